/**
 * Runs an app's prepared module in the browser's WebAssembly, with the functions of the ABI as its only imports, to its end.
 *
 * Each call is checked as the console's engine checks it: first the capability, then the ranges of memory; either traps.
 */
import type { GuestExit } from "../../device/ports/guest.js";
import { ABI, ABI_MODULE, type AbiFunction, type MemoryRange } from "../../device/wasm/abi.js";
import { capabilityBit, capabilityBits } from "../../protocol/capabilities.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { exposed, functionBodies, functionNames } from "../../protocol/module-file.js";
import { AppEnd, type AppHost } from "./app-host.js";

export interface PreparedApp {
  readonly manifest: Manifest;
  /** As the console would store it. */
  readonly module: Uint8Array;
  readonly hasMemory: boolean;
  /** Whether the entry takes `(argc, argv)`. */
  readonly takesArguments: boolean;
}

/** Ends the app: a check has failed. The messages are the console's. */
class Trap extends Error {}

const OUT_OF_BOUNDS = "out of bounds memory access";

/** @returns how the app has ended */
export function runModule(app: PreparedApp, host: AppHost): GuestExit {
  const { bytes, memory: memoryName, start: startName } = exposed(app.module, app.hasMemory);
  const places: Places = {
    names: functionNames(app.module),
    shift: functionBodies(bytes).start - functionBodies(app.module).start,
  };
  let memory: WebAssembly.Memory | undefined;
  const imports = importsOf(capabilityBits(app.manifest.capabilities), host, () => memory);
  let exports: WebAssembly.Exports;
  Object.assign(Error, { stackTraceLimit: FRAMES_LIMIT });
  try {
    exports = new WebAssembly.Instance(new WebAssembly.Module(bytes), { [ABI_MODULE]: imports }).exports;
  } catch (error) {
    // Active segments beyond table or memory trap here, before any function runs.
    if (error instanceof WebAssembly.RuntimeError) return exitOf(error, places);
    const reason = error instanceof RangeError ? "quota" : "host_error";
    return { reason, message: String(error) };
  }
  try {
    if (memoryName !== undefined) memory = exports[memoryName] as WebAssembly.Memory;
    if (startName !== undefined) (exports[startName] as () => void)();
    const entry = exports[app.manifest.entry] as (...parameters: number[]) => unknown;
    const code = app.takesArguments ? entry(0, 0) : entry();
    return { reason: "exit", code: typeof code === "number" ? code : 0 };
  } catch (error) {
    return exitOf(error, places);
  }
}

type Imports = Record<string, (...parameters: number[]) => number | bigint>;

function importsOf(
  capabilities: number,
  host: AppHost,
  memoryOf: () => WebAssembly.Memory | undefined,
): Imports {
  const imports: Imports = Object.create(null);
  for (const abi of ABI) {
    const isPermitted = !abi.capability || (capabilityBit(abi.capability) & capabilities) !== 0;
    const ranges = (abi.bytes ?? []).map((range) => rangeReader(abi, range));
    imports[abi.name] = (...parameters) => {
      if (!isPermitted) throw new Trap("capability");
      const memory = new Uint8Array(memoryOf()?.buffer ?? new ArrayBuffer(0));
      const result = host.call(abi.name, {
        parameters,
        ranges: ranges.map((read) => read(memory, parameters)),
      });
      return abi.result === "i64" ? BigInt(result) : result;
    };
  }
  return imports;
}

function rangeReader(abi: AbiFunction, { pointer, length, unitBytes = 1 }: MemoryRange) {
  const at = abi.parameters.indexOf(pointer);
  const factors = length.map((name) => abi.parameters.indexOf(name));
  return (memory: Uint8Array, parameters: readonly number[]): Uint8Array => {
    const address = parameters[at] as number;
    let byteLength = unitBytes;
    for (const factor of factors) {
      if ((parameters[factor] as number) < 0) throw new Trap(OUT_OF_BOUNDS);
      byteLength *= parameters[factor] as number;
    }
    // The product of two i32 may lose its last bits in a double, but then it is beyond any memory.
    if (address < 0 || address + byteLength > memory.length) throw new Trap(OUT_OF_BOUNDS);
    return memory.subarray(address, address + byteLength);
  };
}

/** As many as the console tells. */
const FRAMES_LIMIT = 32;

/** What engines say, in the console's words. The first that matches counts. */
const TRAPS: readonly (readonly [RegExp, string])[] = Object.freeze([
  [/unreachable/i, "unreachable executed"],
  [/table index|undefined element|table access/i, "undefined element"],
  [/out of bounds|out-of-bounds|index out of/i, OUT_OF_BOUNDS],
  [/unrepresentable in integer|invalid conversion|out of range/i, "invalid conversion to integer"],
  [/unrepresentable|integer overflow/i, "integer overflow"],
  [/by zero/i, "integer divide by zero"],
  [/null function or|signature mismatch|null/i, "indirect call type mismatch"],
] as const);

/** Where the browser's stacks are in the module as a console stores it. */
interface Places {
  readonly names: ReadonlyMap<number, string>;
  /** By which its code is further on in the module that the browser has. */
  readonly shift: number;
}

function exitOf(error: unknown, places: Places): GuestExit {
  if (error instanceof AppEnd)
    return error.code === undefined ? { reason: "stopped" } : { reason: "exit", code: error.code };
  const stack = framesOf(error, places);
  const trap = trapOf(error);
  if (trap !== undefined) return { reason: "trap", message: trap, ...(stack.length > 0 && { stack }) };
  return { reason: "host_error", message: String(error) };
}

function trapOf(error: unknown): string | undefined {
  if (error instanceof Trap) return error.message;
  if (isStackOverflow(error)) return "stack overflow";
  if (!(error instanceof WebAssembly.RuntimeError)) return undefined;
  return TRAPS.find(([pattern]) => pattern.test(error.message))?.[1] ?? error.message;
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && /call stack|recursion/i.test(error.message);
}

/**
 * The functions of the app on the stack, the innermost first: `NAME@OFFSET` (docs/spec/apps.md#trap-offsets), without an offset
 * where the browser tells none.
 */
function framesOf(error: unknown, { names, shift }: Places): readonly string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [...stack.matchAll(/wasm-function\[(\d+)\](?::0x([0-9a-f]+))?/g)].map(([, index, offset]) => {
    const name = names.get(Number(index)) ?? `#${index}`;
    return offset === undefined ? name : `${name}@${(Number.parseInt(offset, 16) - shift).toString(16)}`;
  });
}
