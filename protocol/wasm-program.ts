/**
 * The sandboxed programs on an engine behind the JavaScript interface of WebAssembly: in Node, for the hub and the tests, and in
 * browsers. So they check what the console checks, with the same code.
 */
import type { Sandbox, SandboxProgram, SandboxProgramName } from "./ports/sandbox.js";

interface ProgramExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  memoryBytes(): number;
  begin(first: number, second: number): number;
  room(): number;
  feed(byteLength: number): number;
  finish(): number;
}

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** Node's types do not have it. */
function webAssembly(): WebAssemblyApi {
  return (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
}

export class WasmSandbox implements Sandbox {
  readonly #modules = new Map<string, object>();

  has(name: string): boolean {
    return this.#modules.has(name);
  }

  /** @param bytes of the program */
  add(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#modules.set(name, new (webAssembly().Module)(bytes));
  }

  open(name: SandboxProgramName): SandboxProgram {
    const module = this.#modules.get(name);
    if (!module) throw new Error(`Cannot open the program "${name}": it is not loaded`);
    return new WasmProgram(new (webAssembly().Instance)(module).exports as ProgramExports);
  }
}

/** @returns bytes of memory that a program needs */
export function programMemoryBytes(bytes: Uint8Array<ArrayBuffer>): number {
  const { Instance, Module } = webAssembly();
  return (new Instance(new Module(bytes)).exports as ProgramExports).memoryBytes();
}

class WasmProgram implements SandboxProgram {
  #exports: ProgramExports | undefined;
  #memory: Uint8Array;

  constructor(exports: ProgramExports) {
    this.#exports = exports;
    this.#memory = new Uint8Array(exports.memory.buffer, 0, exports.memoryBytes());
  }

  get memory(): Uint8Array {
    return this.#memory;
  }

  begin(first: number, second: number): number {
    return this.#open().begin(first, second);
  }

  room(): number {
    return this.#open().room();
  }

  feed(byteLength: number): number {
    return this.#open().feed(byteLength);
  }

  finish(): number {
    return this.#open().finish();
  }

  close(): void {
    this.#exports = undefined;
    this.#memory = new Uint8Array(0);
  }

  #open(): ProgramExports {
    if (!this.#exports) throw new Error("Cannot use a closed program");
    return this.#exports;
  }
}
