/** The part of the JavaScript API of WebAssembly that tests use; Node's own types lack it. */

type Exported = (...parameters: unknown[]) => unknown;

export interface Instance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface Api {
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => Instance;
  readonly RuntimeError: new () => Error;
}

const api = (globalThis as unknown as { WebAssembly: Api }).WebAssembly;

/** Whether V8 takes the module. */
export function isValidToV8(bytes: Uint8Array<ArrayBuffer>): boolean {
  return api.validate(bytes);
}

export function instantiate(
  bytes: Uint8Array<ArrayBuffer>,
  imports: Record<string, Record<string, unknown>> = {},
): Instance {
  return new api.Instance(new api.Module(bytes), imports);
}

/** Calls an exported function. */
export function invoke(instance: Instance, field: string, parameters: readonly unknown[] = []): unknown {
  return (instance.exports[field] as Exported)(...parameters);
}

export function isTrap(error: unknown): boolean {
  return error instanceof api.RuntimeError;
}
