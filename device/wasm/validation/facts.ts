/** What is known of a module once it is valid. */
import type { TypeTable } from "./type-table.js";

export type ValueType = "i32" | "i64" | "f32" | "f64";

/** An imported function, for the policy that decides about it. */
export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
  /** Byte of the module at which the name of the import's module begins. */
  readonly offset: number;
}

export interface ModuleMemory {
  readonly initialPages: number;
  /** As the module declares it. */
  readonly maximumPages: number | undefined;
  /**
   * As preparing writes it: the quota at most. 0 tells the engine's parser that there is no maximum, so the
   * engine sets `runtime->memory.maxPages` itself.
   */
  readonly preparedMaximumPages: number;
}

/** The function that runs as the app. Found by name in the module, so that the engine needs no name. */
export interface ModuleEntry {
  /** Index among all functions, imported ones first. */
  readonly functionIndex: number;
  /** Whether it takes `(i32, i32)`, as C's `main` does. */
  readonly takesArguments: boolean;
  /** Whether it returns an exit code. */
  readonly givesResult: boolean;
}

/** The contents of a custom section, without its name. */
export interface SectionRange {
  /** Byte of the module as it came. */
  readonly offset: number;
  /** Byte of the prepared module. */
  readonly preparedOffset: number;
  readonly byteLength: number;
}

export interface ModuleFacts {
  readonly byteLength: number;
  readonly preparedByteLength: number;
  readonly memory: ModuleMemory | undefined;
  /** Declared elements of the table; 0 without one. */
  readonly tableElements: number;
  readonly hasStart: boolean;
  /** Present where the validator was given the name of an entry. */
  readonly entry: ModuleEntry | undefined;
  readonly importedFunctions: number;
  /** Functions with a body. */
  readonly ownFunctions: number;
  /** Index of the global that preparing adds (`i32`, mutable, 0). */
  readonly interruptGlobal: number;
  /** Most loops within loops in one function: each is a native frame while it runs. */
  readonly deepestLoop: number;
  /** Most blocks within blocks in one function: the engine's compiler recurses for each. */
  readonly deepestBlock: number;
  /** The first custom section `svc_manifest`. */
  readonly manifest: SectionRange | undefined;
  /** The first custom section `svc_py_script`. */
  readonly script: SectionRange | undefined;
  readonly plan: PreparationPlan;
}

/** What the second pass must know before it sees the bytes again. */
export interface PreparationPlan {
  /** Bytes by which each function with a body grows. */
  readonly growths: Int16Array;
  readonly codeContentBytes: number;
  readonly types: TypeTable;
  readonly interruptGlobal: number;
  /** Most pages that a memory may grow to. */
  readonly quotaPages: number;
  /** Element segments without a function, which are left out, and their bytes. */
  readonly emptySegments: number;
  readonly emptySegmentBytes: number;
  /** Sections of names from this byte on are left out, as the engine's parser trusts what they say. */
  readonly namesUntil: number;
}
