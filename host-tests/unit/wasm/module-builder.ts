/** Builds small modules byte by byte, so that a test controls every offset. */

export const I32 = 0x7f;
export const I64 = 0x7e;
export const F32 = 0x7d;
export const F64 = 0x7c;

export const PREAMBLE = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

export function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

export function name(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  return [...leb(bytes.length), ...bytes];
}

export function section(id: number, contents: readonly number[]): number[] {
  return [id, ...leb(contents.length), ...contents];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()];
}

export function custom(title: string, contents: readonly number[]): number[] {
  return section(0, [...name(title), ...contents]);
}

export function times(count: number, bytes: readonly number[]): number[] {
  return Array.from({ length: count }, () => bytes).flat();
}

export interface FunctionParts {
  readonly parameters?: readonly number[];
  readonly results?: readonly number[];
  /** Groups of locals: how many, of which type. */
  readonly locals?: readonly (readonly [count: number, type: number])[];
  /** Without the last `end`. */
  readonly code: readonly number[];
}

export interface ModuleParts {
  /** Types beyond those of the functions, which come first. */
  readonly types?: readonly { readonly parameters: readonly number[]; readonly results: readonly number[] }[];
  /** Imported functions of type 0. */
  readonly imports?: readonly (readonly [module: string, name: string])[];
  readonly functions?: readonly FunctionParts[];
  /** Contents of the memory section after its count. */
  readonly memory?: readonly number[];
  readonly table?: number;
  readonly globals?: readonly (readonly number[])[];
  readonly exports?: readonly (readonly [name: string, kind: number, index: number])[];
  readonly start?: number;
  readonly elements?: readonly (readonly number[])[];
  /** Bytes after the last section. */
  readonly last?: readonly number[];
}

function body({ locals = [], code }: FunctionParts): number[] {
  const bytes = [...list(locals.map(([count, type]) => [...leb(count), type])), ...code, 0x0b];
  return [...leb(bytes.length), ...bytes];
}

/** A module of these parts; its functions have types of their own, in their order, after `types`. */
export function module(parts: ModuleParts): Uint8Array<ArrayBuffer> {
  const {
    types = [],
    imports = [],
    functions = [],
    memory,
    table,
    globals = [],
    exports = [],
    elements = [],
  } = parts;
  const signatures = [
    ...types,
    ...functions.map(({ parameters = [], results = [] }) => ({ parameters, results })),
  ].map(({ parameters, results }) => [
    0x60,
    ...list(parameters.map((t) => [t])),
    ...list(results.map((t) => [t])),
  ]);
  return Uint8Array.from([
    ...PREAMBLE,
    ...(signatures.length > 0 ? section(1, list(signatures)) : []),
    ...(imports.length > 0 ? section(2, list(imports.map(([m, n]) => [...name(m), ...name(n), 0, 0]))) : []),
    ...(functions.length > 0 ? section(3, list(functions.map((_, index) => leb(types.length + index)))) : []),
    ...(table === undefined ? [] : section(4, [1, 0x70, 0, ...leb(table)])),
    ...(memory ? section(5, [1, ...memory]) : []),
    ...(globals.length > 0 ? section(6, list(globals)) : []),
    ...(exports.length > 0
      ? section(7, list(exports.map(([n, kind, index]) => [...name(n), kind, ...leb(index)])))
      : []),
    ...(parts.start === undefined ? [] : section(8, leb(parts.start))),
    ...(elements.length > 0 ? section(9, list(elements)) : []),
    ...(functions.length > 0 ? section(10, list(functions.map(body))) : []),
    ...(parts.last ?? []),
  ]);
}
