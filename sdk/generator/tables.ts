/** The tables that the SDK is generated from. */
import type * as abi from "../../device/wasm/abi.js";
import type * as capabilities from "../../protocol/capabilities.js";

export type Tables = typeof abi & typeof capabilities;
