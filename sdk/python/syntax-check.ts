/**
 * Finds syntax errors of a script while it is built: the runtime runs here, with a script that compiles the other. Its
 * log says what is wrong.
 */
import { NAMES } from "./dispatch.js";

/** The part of Node's `WebAssembly` that this uses; Node's types lack it. */
interface Engine {
  instantiate(
    module: Uint8Array,
    imports: object,
  ): Promise<{
    readonly instance: { readonly exports: { readonly memory: { buffer: ArrayBuffer }; main(): number } };
  }>;
}
const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;

/** Where the other script is compiled. */
const OWN_PLACE = '  File "main.py", line 1, in <module>';
/** Log level of errors. */
const ERROR = 3;

/** @returns what MicroPython says about the script; `undefined` if its syntax is right */
export async function findSyntaxError(module: Uint8Array, script: Uint8Array): Promise<string | undefined> {
  const said: string[] = [];
  const compiling = Buffer.concat([
    Buffer.from("compile("),
    literalOf(script),
    Buffer.from(', "main.py", "exec")\n'),
  ]);
  const memory = () => new Uint8Array(instance.exports.memory.buffer);
  const functions: Record<string, (...values: number[]) => number | bigint> = {
    ...Object.fromEntries(
      NAMES.trim()
        .split(" ")
        .map((name) => [name, () => 0]),
    ),
    uptime_ms: () => 0n,
    stack_left: () => 32_768,
    script_size: () => compiling.length,
    script_read(address = 0, offset = 0, length = 0) {
      memory().set(compiling.subarray(offset, offset + length), address);
      return length;
    },
    log(level = 0, address = 0, length = 0) {
      if (level === ERROR) said.push(Buffer.from(memory().slice(address, address + length)).toString());
      return 0;
    },
    exit() {
      throw new Error("exit");
    },
  };
  const { instance } = await engine.instantiate(module, { svc: functions });
  const code = instance.exports.main();
  if (code === 0) return undefined;
  const text = said.filter((line) => line !== OWN_PLACE).join("\n");
  return withLine(text, Buffer.from(script).toString());
}

/** Adds the text of the line that is named last. */
function withLine(said: string, script: string): string {
  return said.replace(
    /^( *)File "main\.py", line (\d+).*$(?![\s\S]*File)/m,
    (place, indent: string, line: string) => {
      const text = script.split("\n")[Number(line) - 1]?.trim();
      return text ? `${place}\n${indent}  ${text}` : place;
    },
  );
}

/** The script as a literal of Python. */
function literalOf(script: Uint8Array): Buffer {
  const escapes: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\0": "\\0" };
  const text = Buffer.from(script).toString("latin1");
  // One character is one byte in here, so that bytes outside ASCII stay as they are.
  return Buffer.from(`"${text.replace(/[\\"\n\r\0]/g, (character) => escapes[character] ?? "")}"`, "latin1");
}
