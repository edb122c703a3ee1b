/** The facts that validation finds out about a module, for the installer and the engine. */
export type ValueType = "i32" | "i64" | "f32" | "f64";

/** An imported function, as `onImport` receives it. */
export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
  /** Byte of the file at which the import's module name begins. */
  readonly offset: number;
}

interface ModuleMemory {
  readonly initialPages: number;
  /** The maximum that the module declares. */
  readonly maximumPages: number | undefined;
  /**
   * The maximum in the prepared module, never above the quota. The engine's parser reads 0 as "no maximum", so
   * `native/guest-thread.c` sets `runtime->memory.maxPages` itself.
   */
  readonly preparedMaximumPages: number;
}

/** The function that runs as the app. The validator resolves its name, so that the engine needs only the index. */
export interface ModuleEntry {
  /** Index among all functions, imported ones first. */
  readonly functionIndex: number;
  /** Whether it takes `(i32, i32)`, as C's `main` does. */
  readonly takesArguments: boolean;
  /** Whether it returns an exit code. */
  readonly givesResult: boolean;
}

/** Location of a custom section's contents, without its name. */
export interface SectionRange {
  /** Byte of the original module. */
  readonly offset: number;
  /** Byte of the prepared module. */
  readonly preparedOffset: number;
  readonly byteLength: number;
}

export interface ModuleFacts {
  readonly byteLength: number;
  readonly preparedByteLength: number;
  readonly memory: ModuleMemory | undefined;
  /** Declared length of the table in elements; 0 without a table. */
  readonly tableElements: number;
  readonly hasStart: boolean;
  /** Present if the validator received the name of an entry. */
  readonly entry: ModuleEntry | undefined;
  readonly importedFunctions: number;
  /** Functions with a body. */
  readonly ownFunctions: number;
  /** Index of the interrupt global that the prepared module adds (`i32`, mutable, 0). */
  readonly interruptGlobal: number;
  /** Deepest nesting of loops in any function: each loop takes a native stack frame while it runs. */
  readonly deepestLoop: number;
  /** Deepest nesting of blocks in any function: the engine's compiler recurses once per level. */
  readonly deepestBlock: number;
  /** The first custom section `svc_manifest`. */
  readonly manifest: SectionRange | undefined;
  /** The first custom section `svc_py_script`. */
  readonly script: SectionRange | undefined;
}
