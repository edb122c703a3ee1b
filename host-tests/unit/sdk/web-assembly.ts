/** The part of Node's `WebAssembly` that the tests of apps use; Node's types lack it. */

export interface WasmModule {
  readonly imports: readonly { readonly module: string; readonly name: string; readonly kind: string }[];
  readonly exports: readonly { readonly name: string; readonly kind: string }[];
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface AppExports {
  readonly memory: WasmMemory;
  readonly main: () => number;
}

export type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Engine {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): WasmModule["imports"];
    exports(module: object): WasmModule["exports"];
    customSections(module: object, name: string): ArrayBuffer[];
  };
  readonly Instance: new (module: object, imports: Imports) => { readonly exports: unknown };
  validate(bytes: Uint8Array): boolean;
}

const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;

export function isValid(bytes: Uint8Array): boolean {
  return engine.validate(bytes);
}

export function describeModule(bytes: Uint8Array): WasmModule {
  const module = new engine.Module(bytes);
  return { imports: engine.Module.imports(module), exports: engine.Module.exports(module) };
}

/** What the custom sections of that name hold. */
export function customSections(bytes: Uint8Array, name: string): Uint8Array[] {
  return engine.Module.customSections(new engine.Module(bytes), name).map((buffer) => new Uint8Array(buffer));
}

export function instantiate(bytes: Uint8Array, imports: Imports): AppExports {
  return new engine.Instance(new engine.Module(bytes), imports).exports as AppExports;
}
