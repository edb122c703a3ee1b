/** A C compiler that is asked what it complains about. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Compiler {
  readonly program: string;
  readonly flags: readonly string[];
}

export interface Complaint {
  /** Of the compiler's input, as it was named there. */
  readonly file: string;
  readonly line: number;
  /** `error: …` or `warning: …`. */
  readonly message: string;
}

export interface Answer {
  readonly output: string;
  readonly complaints: readonly Complaint[];
}

/** @throws {Error} if the compiler cannot be started, or fails without a complaint: it has then said nothing about the input */
export async function ask({ program, flags }: Compiler, more: readonly string[]): Promise<Answer> {
  const { stdout, stderr, code } = await run(program, [...flags, ...more], { maxBuffer: 1 << 26 }).then(
    (result) => ({ ...result, code: 0 }),
    (error) => error,
  );
  // A number is the status of a compiler that has run.
  if (typeof code === "string") throw new Error(`Cannot run the compiler "${program}": ${code}`);
  const complaints = complaintsIn(stderr);
  if (code !== 0 && complaints.length === 0)
    throw new Error(`The compiler "${program}" fails without a complaint: ${stderr.trim() || code}`);
  return { output: stdout, complaints };
}

/** Lines of the form `file:line:column: error: message`; the driver's have its name in place of a position. */
function complaintsIn(text: string): Complaint[] {
  const lines = text.matchAll(/^(.*?): ((?:fatal )?(?:error|warning): .*)$/gm);
  return [...lines].map(([, position = "", message = ""]) => {
    const [, file = position, line = 0] = position.match(/^(.*?):(\d+)(?::\d+)?$/) ?? [];
    return { file, line: Number(line), message };
  });
}
