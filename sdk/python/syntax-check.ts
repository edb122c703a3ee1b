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

/** Compiles the other script, which is what it reads. */
const COMPILING = Buffer.from(`
import js, uctypes
source = bytes(js.script_size())
js.script_read(uctypes.addressof(source))
compile(source, "main.py", "exec")
`);
const OWN_PLACE = '  File "main.py", line 5, in <module>';
/** Log level of errors. */
const ERROR = 3;

/** @returns what MicroPython says about the script; `undefined` if its syntax is right */
export async function findSyntaxError(module: Uint8Array, script: Uint8Array): Promise<string | undefined> {
  const said: string[] = [];
  let next: Uint8Array = COMPILING;
  const memory = () => new Uint8Array(instance.exports.memory.buffer);
  const functions: Record<string, (...values: number[]) => number | bigint> = {
    ...Object.fromEntries(
      NAMES.trim()
        .split(" ")
        .map((name) => [name, () => 0]),
    ),
    uptime_ms: () => 0n,
    stack_left: () => 32_768,
    script_size: () => next.length,
    script_read(address = 0, offset = 0, length = 0) {
      memory().set(next.subarray(offset, offset + length), address);
      next = script;
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
