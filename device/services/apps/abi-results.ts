/** Results of ABI functions that are errors, by the names that services use; the values are the table's. */
import { ABI_ERRORS } from "../../wasm/abi.js";

type ErrorName = (typeof ABI_ERRORS)[number]["constant"];

function valueOf(name: ErrorName): number {
  for (const { constant, value } of ABI_ERRORS) if (constant === name) return value;
  throw new Error(`The ABI has no "${name}"`);
}

export const NOT_PERMITTED = valueOf("SVC_ERROR_NOT_PERMITTED");
export const NOT_FOUND = valueOf("SVC_ERROR_NOT_FOUND");
export const IO_ERROR = valueOf("SVC_ERROR_IO");
export const BUSY = valueOf("SVC_ERROR_BUSY");
export const NO_HARDWARE = valueOf("SVC_ERROR_NO_HARDWARE");
export const INVALID = valueOf("SVC_ERROR_INVALID");
export const NO_SPACE = valueOf("SVC_ERROR_NO_SPACE");
export const NOT_SUPPORTED = valueOf("SVC_ERROR_NOT_SUPPORTED");
