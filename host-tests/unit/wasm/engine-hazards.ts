/** Valid functions that wasm3 by itself computes wrongly (device/wasm/native/wasm3-values.h), and their neighbours. */
import { F32, F64, I32, I64, module } from "./module-builder.js";

export const PARAMETERS = [I32, I64, F32, F64, I32, I64, F32, F64];
const ADD_I32 = [0x20, 0, 0x20, 0, 0x6a];
const ADD_F64 = [0x20, 3, 0x20, 3, 0xa0];
/** An operation that needs the engine's register for integers, and leaves nothing. */
const USE_REGISTER = [...ADD_I32, 0x1a];

interface Hazard {
  readonly what: string;
  readonly results: readonly number[];
  /** Type of the only block. */
  readonly block: { readonly parameters: readonly number[]; readonly results: readonly number[] };
  readonly code: readonly number[];
}

export const HAZARDS: readonly Hazard[] = [
  {
    what: "64-bit local on the stack twice",
    results: [I64],
    block: { parameters: [], results: [] },
    code: [0x20, 1, 0x20, 1, 0x42, 5, 0x21, 1, 0x1a, ...ADD_I32, ...ADD_I32, 0x1a, 0x1a],
  },
  {
    what: "block parameter on the stack twice",
    results: [I32],
    block: { parameters: [I32], results: [] },
    code: [0x20, 0, 0x20, 0, 0x02, 0, 0x1a, ...ADD_I32, ...ADD_I32, 0x1a, 0x1a, 0x0b],
  },
  {
    what: "float after other results",
    results: [I32, I32, F64],
    block: { parameters: [], results: [I32, I32, F64] },
    code: [0x02, 0, ...ADD_I32, 0x20, 0, 0x20, 7, 0x0b],
  },
  {
    what: "float over other operands",
    results: [F64],
    block: { parameters: [], results: [F64] },
    code: [0x02, 0, ...ADD_F64, 0x20, 7, 0x41, 0, 0x0d, 0, 0xa0, 0x0b],
  },
  {
    what: "64-bit value before others",
    results: [I64, I32, I32],
    block: { parameters: [], results: [I64, I32, I32] },
    code: [0x02, 0, 0x20, 1, ...ADD_I32, 0x20, 4, 0x20, 4, 0x6a, ...USE_REGISTER, 0x0b],
  },
  {
    what: "local handed over twice",
    results: [I32, I32, I32],
    block: { parameters: [], results: [I32, I32, I32] },
    code: [0x02, 0, 0x20, 0, 0x20, 4, 0x20, 4, 0x41, 9, 0x21, 4, 0x0b],
  },
];

/** What lies next to the hazards and is computed right. */
export const HARMLESS: readonly Hazard[] = [
  {
    what: "a 64-bit local that is used twice before it is set",
    results: [],
    block: { parameters: [], results: [] },
    code: [0x20, 1, 0x20, 1, 0x7e, 0x21, 1],
  },
  {
    what: "a 64-bit local that is read again after it has been set",
    results: [I64, I64],
    block: { parameters: [], results: [] },
    code: [0x20, 1, 0x42, 5, 0x21, 1, 0x20, 1, 0x42, 6, 0x21, 1],
  },
  {
    what: "a parameter of a block that is read from a local once",
    results: [I32, I32],
    block: { parameters: [I32], results: [I32] },
    code: [0x20, 0, 0x20, 4, 0x03, 0, ...ADD_I32, 0x6a, 0x0b],
  },
  {
    what: "a float before other results",
    results: [F64, I32],
    block: { parameters: [], results: [F64, I32] },
    code: [0x02, 0, 0x20, 3, 0x20, 0, 0x0b],
  },
  {
    what: "a branch with a float alone, out of other blocks",
    results: [F64],
    block: { parameters: [], results: [F64] },
    code: [0x02, 0, 0x02, 0x40, 0x20, 7, 0x0c, 1, 0x0b, 0x20, 3, 0x0b],
  },
  {
    what: "a branch over other operands with a float to the end of the function",
    results: [F64],
    block: { parameters: [], results: [] },
    code: [...ADD_F64, 0x20, 7, 0x20, 0, 0x0d, 0, 0xa0],
  },
  {
    what: "a 64-bit value before another one",
    results: [I64, I32],
    block: { parameters: [], results: [I64, I32] },
    code: [0x02, 0, 0x20, 1, ...ADD_I32, ...USE_REGISTER, 0x0b],
  },
  {
    what: "values of one local that stays as it is",
    results: [I32, I32],
    block: { parameters: [], results: [I32, I32] },
    code: [0x02, 0, 0x20, 4, 0x20, 4, 0x0b],
  },
];

/** The module of one function, `f0`, with {@link PARAMETERS}. */
export function hazardModule({ results, block, code }: Omit<Hazard, "what">): Uint8Array<ArrayBuffer> {
  return module({
    types: [block],
    functions: [{ parameters: PARAMETERS, results, code }],
    exports: [["f0", 0, 0]],
  });
}
