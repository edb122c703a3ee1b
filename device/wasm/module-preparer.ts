/**
 * Converts a publisher's module to one that is safe for the interpreter (docs/spec/app-packages.md#validated), in two
 * passes over its bytes: the first one validates, the second one writes the prepared module. A sandboxed program
 * does the work (`device/sandbox/validator`), in a fixed memory that does not depend on the module.
 */
import { Fault } from "../../protocol/fault.js";
import type { Sandbox, SandboxProgram } from "../../protocol/ports/sandbox.js";
import {
  ENTRY_MISSING,
  ENTRY_NO_FUNCTION,
  ENTRY_TYPE,
  IMPORT_NO_FUNCTION,
  NO_EXPORTED,
  QUOTA,
} from "../sandbox/validator/failures.js";
import * as layout from "../sandbox/validator/layout.js";
import { NAME_KEPT_BYTES } from "../sandbox/validator/limits.js";
import type { ModuleEntry, ModuleFacts, ModuleImport, SectionRange, ValueType } from "./module-facts.js";
import { faultOf, typeName } from "./module-verdict.js";

const PAGE_BYTES = 65_536;
const PAGES_LIMIT = 65_536;
/** The second pass has no options. */
const PREPARE = -1;
const PIECE_BYTES = 2048;

const KINDS: readonly string[] = Object.freeze(["function", "table", "memory", "global"]);

export interface ModulePreparerOptions {
  /** Limit of the app's linear memory in bytes. Default: 65,536 pages, all that Wasm can address. */
  readonly memoryQuotaBytes?: number;
  /** Name of the export that runs as the app; none has more than 64 bytes. Default: the module needs no entry. */
  readonly entry?: string;
  /** Called for each imported function, in order; throws a {@link Fault} to reject the module. */
  onImport?(asked: ModuleImport): void;
}

/**
 * `validate` for all bytes, `endValidation`, then `prepare` for the same bytes, `endPreparation`. Do not use it after a
 * fault, other than to close it.
 */
export class ModulePreparer {
  readonly #options: ModulePreparerOptions;
  readonly #program: SandboxProgram;
  readonly #words: Int32Array;
  /** A byte order mark stays: it is part of the name for the engine, which compares bytes. */
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });
  #preparedByteLength = 0;
  #expectedByteLength = 0;

  /** @throws {Error} when no memory is left for the program; otherwise it holds that memory until it is closed */
  constructor(sandbox: Sandbox, options: ModulePreparerOptions = {}) {
    const { entry, memoryQuotaBytes = Number.POSITIVE_INFINITY } = options;
    const program = sandbox.open("validator");
    const { buffer, byteOffset } = program.memory;
    this.#options = options;
    this.#program = program;
    this.#words = new Int32Array(buffer, byteOffset, layout.TYPE_VALUES >> 2);
    const name = entry === undefined ? undefined : new TextEncoder().encode(entry);
    if (name) program.memory.set(name.subarray(0, NAME_KEPT_BYTES), layout.INPUT);
    program.begin(Math.min(PAGES_LIMIT, Math.floor(memoryQuotaBytes / PAGE_BYTES)), name ? name.length : -1);
  }

  /**
   * Read the next bytes of the module.
   * @throws {Fault} `module_invalid`, `module_unsupported`, `import_unknown`, `entry_missing`,
   *   `quota_exceeded`, or what `onImport` throws; the first two carry the `offset` of the byte
   */
  validate(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      let fed = this.#write(chunk, at);
      at += fed;
      while (this.#run(() => this.#program.feed(fed)) !== 0) {
        this.#askAboutImport();
        fed = 0;
      }
    }
  }

  /** Finish the first pass: all bytes have been read. @throws {Fault} as {@link validate} */
  endValidation(): ModuleFacts {
    while (this.#run(() => this.#program.finish()) !== 0) this.#askAboutImport();
    const facts = this.#facts();
    this.#expectedByteLength = facts.preparedByteLength;
    this.#program.begin(PREPARE, 0);
    return facts;
  }

  /**
   * Read the next bytes of the same module.
   * @param onPiece receives the next bytes of the prepared module, at most 2 KiB, as a view that is valid only during the call
   */
  prepare(chunk: Uint8Array, onPiece: (piece: Uint8Array) => void): void {
    for (let at = 0; at < chunk.length; ) {
      const fed = this.#write(chunk, at);
      at += fed;
      this.#passOn(this.#program.feed(fed), onPiece);
    }
  }

  /** Finish the prepared module. @throws {Error} if the bytes were those of another module */
  endPreparation(onPiece: (piece: Uint8Array) => void): void {
    this.#passOn(this.#program.finish(), onPiece);
    if (this.#preparedByteLength !== this.#expectedByteLength)
      throw new Error(
        `Cannot prepare the module: ${this.#preparedByteLength} bytes came out, not ${this.#expectedByteLength}`,
      );
  }

  close(): void {
    this.#program.close();
  }

  /** Writes what the program accepts at a time. @returns its length */
  #write(chunk: Uint8Array, at: number): number {
    const piece =
      chunk.length - at <= layout.PIECE_BYTES
        ? chunk.subarray(at)
        : chunk.subarray(at, at + layout.PIECE_BYTES);
    this.#program.memory.set(piece, this.#program.room());
    return piece.length;
  }

  #passOn(byteLength: number, onPiece: (piece: Uint8Array) => void): void {
    const end = layout.OUTPUT + byteLength;
    for (let at: number = layout.OUTPUT; at < end; at += PIECE_BYTES)
      onPiece(this.#program.memory.subarray(at, Math.min(at + PIECE_BYTES, end)));
    this.#preparedByteLength += byteLength;
  }

  #word(address: number): number {
    return this.#words[address >> 2] as number;
  }

  #run(call: () => number): number {
    try {
      return call();
    } catch (error) {
      throw this.#word(layout.FAILURE) === 0 ? error : this.#fault();
    }
  }

  #fault(): Fault {
    const reason = this.#word(layout.FAILURE);
    const offset = this.#word(layout.FAILURE + 4);
    const parameter = this.#word(layout.FAILURE + 8) >>> 0;
    const { entry, memoryQuotaBytes } = this.#options;
    if (reason === QUOTA)
      return new Fault(
        "quota_exceeded",
        `Cannot give the app ${parameter * PAGE_BYTES} bytes of memory: its quota is ${memoryQuotaBytes}`,
      );
    if (reason === ENTRY_MISSING)
      return new Fault("entry_missing", `Cannot start at "${entry}": no export has that name`);
    if (reason === ENTRY_NO_FUNCTION)
      return new Fault("entry_missing", `Cannot start at "${entry}": it is a ${KINDS[parameter]}`);
    if (reason === ENTRY_TYPE)
      return new Fault(
        "entry_missing",
        `Cannot start at "${entry}": its type must be () or (i32, i32), returning nothing or i32`,
      );
    if (reason === IMPORT_NO_FUNCTION) return this.#importFault(KINDS[parameter] as string, offset);
    const feature = this.#word(layout.FAILURE + 12);
    const word = this.#word(layout.IMPORT);
    const second = reason === NO_EXPORTED ? (KINDS[word] as string) : word >>> 0;
    return faultOf({ reason, offset, parameter, feature, second, name: this.#name(layout.NAME) });
  }

  #importFault(kind: string, offset: number): Fault {
    const name = `${this.#name(layout.MODULE_NAME)}.${this.#name(layout.NAME)}`;
    return new Fault("import_unknown", `Cannot import ${kind} "${name}": apps import functions`, {
      details: { offset },
    });
  }

  #askAboutImport(): void {
    if (!this.#options.onImport) return;
    const first = this.#word(layout.IMPORT + 4);
    const results = first + this.#word(layout.IMPORT + 8);
    this.#options.onImport({
      module: this.#name(layout.MODULE_NAME),
      name: this.#name(layout.NAME),
      parameters: this.#types(first, results),
      results: this.#types(results, results + this.#word(layout.IMPORT + 12)),
      offset: this.#word(layout.IMPORT),
    });
  }

  #types(start: number, end: number): readonly ValueType[] {
    const types: ValueType[] = [];
    for (let index = start; index < end; index++)
      types.push(typeName(this.#program.memory[layout.TYPE_VALUES + index] as number) as ValueType);
    return types;
  }

  /** A name for import checks and messages. A longer one than the program keeps is cut and ends in `…`. */
  #name(address: number): string {
    const length = this.#word(address);
    const start = address + 4;
    const text = this.#text.decode(
      this.#program.memory.subarray(
        start,
        length < NAME_KEPT_BYTES ? start + length : start + NAME_KEPT_BYTES,
      ),
    );
    return length > NAME_KEPT_BYTES ? `${text}…` : text;
  }

  #fact(address: number): number {
    return this.#word(layout.FACTS + address);
  }

  #facts(): ModuleFacts {
    const memoryPages = this.#fact(layout.FACT_MEMORY_PAGES);
    const maximumPages = this.#fact(layout.FACT_MEMORY_MAXIMUM_PAGES);
    return {
      byteLength: this.#fact(layout.FACT_BYTES),
      preparedByteLength: this.#fact(layout.FACT_PREPARED_BYTES),
      memory:
        memoryPages < 0
          ? undefined
          : {
              initialPages: memoryPages,
              maximumPages: maximumPages < 0 ? undefined : maximumPages,
              preparedMaximumPages: this.#fact(layout.FACT_PREPARED_MAXIMUM_PAGES),
            },
      tableElements: this.#fact(layout.FACT_TABLE_ELEMENTS),
      hasStart: this.#fact(layout.FACT_HAS_START) === 1,
      entry: this.#entry(),
      importedFunctions: this.#fact(layout.FACT_IMPORTED_FUNCTIONS),
      ownFunctions: this.#fact(layout.FACT_OWN_FUNCTIONS),
      interruptGlobal: this.#fact(layout.FACT_GLOBALS),
      deepestLoop: this.#fact(layout.FACT_DEEPEST_LOOP),
      deepestBlock: this.#fact(layout.FACT_DEEPEST_BLOCK),
      manifest: this.#range(layout.FACT_MANIFEST),
      script: this.#range(layout.FACT_SCRIPT),
    };
  }

  #entry(): ModuleEntry | undefined {
    const functionIndex = this.#fact(layout.FACT_ENTRY);
    const signature = this.#fact(layout.FACT_ENTRY_SIGNATURE);
    if (functionIndex < 0) return undefined;
    return { functionIndex, takesArguments: (signature & 1) !== 0, givesResult: (signature & 2) !== 0 };
  }

  #range(fact: number): SectionRange | undefined {
    const offset = this.#fact(fact);
    if (offset < 0) return undefined;
    return { offset, preparedOffset: this.#fact(fact + 4), byteLength: this.#fact(fact + 8) };
  }
}
