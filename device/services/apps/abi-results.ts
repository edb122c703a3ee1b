/** Error results of ABI functions by name; the values come from the ABI table. */
import { ABI_ERRORS } from "../../wasm/abi.js";

type ErrorName = (typeof ABI_ERRORS)[number]["constant"];

function errorOf(name: ErrorName): number {
  for (const { constant, value } of ABI_ERRORS) if (constant === name) return value;
  throw new Error(`The ABI has no "${name}"`);
}

export const NOT_PERMITTED = errorOf("SVC_ERROR_NOT_PERMITTED");
export const NOT_FOUND = errorOf("SVC_ERROR_NOT_FOUND");
export const IO_ERROR = errorOf("SVC_ERROR_IO");
export const BUSY = errorOf("SVC_ERROR_BUSY");
export const NO_HARDWARE = errorOf("SVC_ERROR_NO_HARDWARE");
export const INVALID = errorOf("SVC_ERROR_INVALID");
export const NO_SPACE = errorOf("SVC_ERROR_NO_SPACE");
export const NOT_SUPPORTED = errorOf("SVC_ERROR_NOT_SUPPORTED");
