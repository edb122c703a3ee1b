/** Facts of the reference validator: those of the console, and what its second pass needs. */
import type { ModuleFacts as ConsoleFacts } from "../../../device/wasm/module-facts.js";
import type { TypeTable } from "./type-table.js";

export type {
  ModuleEntry,
  ModuleImport,
  ModuleMemory,
  SectionRange,
  ValueType,
} from "../../../device/wasm/module-facts.js";

export interface ModuleFacts extends ConsoleFacts {
  readonly plan: PreparationPlan;
}

/** Results of the first pass that the second pass, `ModuleRewriter`, needs in advance. */
export interface PreparationPlan {
  /** Bytes by which each function body grows; negative if it shrinks. */
  readonly growths: Int16Array;
  readonly codeContentBytes: number;
  readonly types: TypeTable;
  readonly interruptGlobal: number;
  /** Limit in pages to which a memory may grow. */
  readonly quotaPages: number;
  /** Number and bytes of the element segments without functions, which the rewriter omits. */
  readonly emptySegments: number;
  readonly emptySegmentBytes: number;
  /** The rewriter omits name sections from this byte on: the engine's parser would trust a malformed one. */
  readonly namesUntil: number;
}
