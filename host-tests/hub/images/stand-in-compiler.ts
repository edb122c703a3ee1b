/**
 * A compiler that a test directs: a `gcc` that waits in the place of the real one, and tells what it was started with. It
 * compiles nothing: its runs end as `compile_failed`, with what it says.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";

/** One run of the compiler. */
export interface Run {
  readonly pid: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly commandLine: string;
}

/** Notes its process and what it was given, does what the test wants, and ends with status 1. */
const script = (directory: string, work: string) => `#!/bin/sh
note() {
  env -0 > "${directory}/environment-$1"
  echo "$command" > "${directory}/command-$1"
  echo "$1" >> "${directory}/started"
}
command="$0 $*"
note $$
${work}
echo "the stand-in does not compile" >&2
exit 1
`;

export class StandInCompiler {
  readonly #directory = mkdtempSync(path.join(tmpdir(), "stand-in-"));

  /** @param work commands of a shell, of which `note PID` adds a run; default: waits until {@link release} */
  constructor(work?: string) {
    const release = path.join(this.#directory, "release");
    const waiting = `while ! rm "${release}" 2>/dev/null; do sleep 0.02; done`;
    mkdirSync(path.join(this.#directory, "bin"));
    const program = path.join(this.#directory, "bin/gcc");
    writeFileSync(program, script(this.#directory, work ?? waiting));
    chmodSync(program, 0o755);
  }

  /** `PATH` in which it comes first. */
  get searchPath(): string {
    return `${path.join(this.#directory, "bin")}:${process.env["PATH"]}`;
  }

  /** The runs so far, in their order. */
  get runs(): readonly Run[] {
    const started = path.join(this.#directory, "started");
    if (!existsSync(started)) return [];
    return readFileSync(started, "utf8")
      .trim()
      .split("\n")
      .map((pid) => this.#run(Number(pid)));
  }

  /** The run of that number, from 1, once it has begun. */
  async run(number: number): Promise<Run> {
    await expect.poll(() => this.runs.length).toBeGreaterThanOrEqual(number);
    return this.runs[number - 1] as Run;
  }

  /** Lets the run that waits, or the next one, go on. */
  release(): void {
    writeFileSync(path.join(this.#directory, "release"), "");
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #run(pid: number): Run {
    const lines = readFileSync(path.join(this.#directory, `environment-${pid}`), "utf8").split("\0");
    const entries = lines.filter(Boolean).map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
    const commandLine = readFileSync(path.join(this.#directory, `command-${pid}`), "utf8");
    return { pid, environment: Object.fromEntries(entries), commandLine };
  }
}

/** Waits until nothing is left of a run: neither its process nor the directory that it worked in. */
export async function expectGone({ pid, environment }: Run): Promise<void> {
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => existsSync(environment["TMPDIR"] as string)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
