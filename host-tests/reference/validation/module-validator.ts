/**
 * Validates a WebAssembly module as it arrives, in one pass over chunks of any size
 * (docs/spec/app-packages.md#validated). It accepts modules that are valid by the WebAssembly specification and use
 * only the features of wasm3 0.5.0: the first version, sign extension, saturating conversions, multiple results,
 * `memory.copy` and `memory.fill`, mutable globals and the data count section. Modules that use other features fail
 * with `module_unsupported`.
 *
 * Memory grows with the module, up to the limits in `limits.ts`. Measured on XS with 32-bit pointers: 16 KiB when new,
 * plus four bytes per function, which may lie outside the heap. Nothing else is kept of the code. Together with
 * `ModuleRewriter`, throughput is 1.4 MiB/s in chunks of 2 KiB.
 */
import { Fault } from "../../../protocol/fault.js";
import { ByteWindow } from "./byte-window.js";
import { CodeSection } from "./code-section.js";
import { CustomSection } from "./custom-section.js";
import { Declarations } from "./declarations.js";
import type { ModuleFacts, ModuleImport, ModuleMemory, SectionRange } from "./facts.js";
import { ExportSection, ImportSection } from "./linking-sections.js";
import { NameReader } from "./name-reader.js";
import * as layout from "./prepared-layout.js";
import {
  DataCountSection,
  FunctionSection,
  GlobalSection,
  MemorySection,
  PAGES_LIMIT,
  type SectionReader,
  StartSection,
  TableSection,
  TypeSection,
} from "./sections.js";
import { DataSection, ElementSection } from "./segment-sections.js";
import { invalid, unsupported } from "./verdict.js";

const MAGIC = 0x6d73_6100;
const VERSION = 1;
const PAGE_BYTES = 65_536;

/** Custom sections that the console reads. */
const MANIFEST_SECTION = "svc_manifest";
const SCRIPT_SECTION = "svc_py_script";

export interface ModuleValidatorOptions {
  /** Limit of the app's linear memory in bytes. Default: 65,536 pages, all that Wasm can address. */
  readonly memoryQuotaBytes?: number;
  /** Name of the export that runs as the app. Default: the module needs no entry. */
  readonly entry?: string;
  /** Called for each imported function, in order; throws a {@link Fault} to reject the module. */
  onImport?(asked: ModuleImport): void;
  /**
   * `FUNCTION_TABLE_BYTES` bytes for the two lists with an entry per function, the only ones that are long in a module
   * of ordinary size. Default: they are allocated in the heap. In use until the module is prepared.
   */
  readonly functionTable?: Uint8Array | undefined;
}

export class ModuleValidator {
  readonly #window = new ByteWindow();
  readonly #declarations: Declarations;
  readonly #options: ModuleValidatorOptions;
  readonly #quotaPages: number;
  readonly #name = new NameReader();
  readonly #custom: CustomSection;
  readonly #code: CodeSection;
  readonly #exports: ExportSection;
  readonly #globals: GlobalSection;
  readonly #elements: ElementSection;
  readonly #sections: readonly SectionReader[];
  readonly #place = new layout.InterruptPlace();
  readonly #read = () => this.#readSections();
  #isPastPreamble = false;
  /** Id of the section being read, -1 between sections. */
  #section = -1;
  #lastOrder = 0;
  #contentStart = 0;
  #hasData = false;
  #hasCode = false;
  #preparedBytes = layout.PREAMBLE_BYTES;
  #manifest: SectionRange | undefined;
  #script: SectionRange | undefined;

  constructor(options: ModuleValidatorOptions = {}) {
    this.#options = options;
    this.#quotaPages = Math.min(
      PAGES_LIMIT,
      Math.floor((options.memoryQuotaBytes ?? Number.POSITIVE_INFINITY) / PAGE_BYTES),
    );
    const declarations = new Declarations(options.functionTable);
    this.#declarations = declarations;
    this.#custom = new CustomSection(this.#name, new NameReader());
    this.#code = new CodeSection(declarations);
    this.#exports = new ExportSection(declarations, this.#name, options.entry);
    this.#globals = new GlobalSection(declarations);
    this.#elements = new ElementSection(declarations);
    this.#sections = [
      this.#custom,
      new TypeSection(declarations),
      new ImportSection(declarations, this.#name, options.onImport),
      new FunctionSection(declarations),
      new TableSection(declarations),
      new MemorySection(declarations),
      this.#globals,
      this.#exports,
      new StartSection(declarations),
      this.#elements,
      this.#code,
      new DataSection(declarations),
      new DataCountSection(declarations),
    ];
  }

  /**
   * Read the next bytes of the module. Do not use the validator after a fault.
   * @throws {Fault} `module_invalid`, `module_unsupported`, `import_unknown`, `entry_missing`,
   *   `quota_exceeded`, or what `onImport` throws; the first two carry the `offset` of the byte
   */
  push(chunk: Uint8Array): void {
    this.#window.feed(chunk, this.#read);
  }

  /** Finish validation: all bytes have been pushed. @throws {Fault} as {@link push} */
  end(): ModuleFacts {
    this.#window.finish(this.#read);
    if (!this.#isPastPreamble || this.#section >= 0) throw this.#window.cut();
    this.#checkWhole();
    if (this.#place.comesLast) this.#preparedBytes += layout.INTERRUPT_SECTION.length;
    return this.#facts();
  }

  #readSections(): void {
    const window = this.#window;
    if (!this.#isPastPreamble) {
      if (!window.isReady) return;
      this.#readPreamble();
    }
    for (;;) {
      if (this.#section < 0) {
        if (!window.isReady || window.position === window.end) return;
        this.#beginSection();
      }
      if (!(this.#sections[this.#section] as SectionReader).read(window)) return;
      this.#endSection();
    }
  }

  #readPreamble(): void {
    if (readWord(this.#window) !== MAGIC) throw invalid(0, "it does not begin as a module does");
    const version = readWord(this.#window);
    if (version !== VERSION) throw invalid(4, `it has version ${version >>> 0}, not ${VERSION}`);
    this.#isPastPreamble = true;
  }

  #beginSection(): void {
    const window = this.#window;
    const { offset } = window;
    const id = window.readByte();
    if (id === layout.SECTION_TAG)
      throw unsupported(offset, "exception handling", "it has a section of tags");
    if (id >= this.#sections.length) throw invalid(offset, `there is no section of kind ${id}`);
    if (id !== layout.SECTION_CUSTOM) this.#checkOrder(id, offset);
    const byteLength = window.readUnsigned();
    this.#contentStart = window.offset;
    window.enter(this.#contentStart + byteLength);
    if (this.#place.comesBefore(id)) this.#preparedBytes += layout.INTERRUPT_SECTION.length;
    this.#section = id;
    (this.#sections[id] as SectionReader).begin();
  }

  #checkOrder(id: number, offset: number): void {
    const order = layout.sectionOrder(id);
    if (order <= this.#lastOrder) throw invalid(offset, `section ${id} is out of order or comes twice`);
    this.#lastOrder = order;
  }

  #endSection(): void {
    const window = this.#window;
    if (window.offset !== window.containerEnd)
      throw invalid(window.offset, "bytes follow the end of a section");
    this.#layOut(this.#section, window.offset - this.#contentStart);
    window.enter(Number.POSITIVE_INFINITY);
    this.#section = -1;
  }

  /** Adds the section to the length of the prepared module. */
  #layOut(id: number, contentBytes: number): void {
    if (id === layout.SECTION_CUSTOM) {
      this.#layOutCustom(contentBytes);
      return;
    }
    let preparedBytes = contentBytes;
    if (id === layout.SECTION_MEMORY) {
      if (this.#declarations.memoryPages < 0) return; // the engine rejects an empty section: omitted
      this.#checkQuota();
      preparedBytes = layout.memoryContentBytes(this.#declarations.memoryPages, this.#preparedMaximum());
    } else if (id === layout.SECTION_GLOBAL) {
      const count = this.#declarations.globals.length;
      preparedBytes = layout.globalContentBytes(count, contentBytes - this.#globals.countBytes);
    } else if (id === layout.SECTION_ELEMENT && this.#elements.emptySegments > 0) {
      const { segments, emptySegments, emptyBytes, countBytes } = this.#elements;
      preparedBytes = layout.elementContentBytes(
        segments - emptySegments,
        contentBytes - countBytes - emptyBytes,
      );
    } else if (id === layout.SECTION_CODE) {
      this.#hasCode = true;
      preparedBytes = this.#code.preparedBytes;
    } else if (id === layout.SECTION_DATA) this.#hasData = true;
    this.#preparedBytes += layout.sectionBytes(preparedBytes);
  }

  #layOutCustom(contentBytes: number): void {
    const custom = this.#custom;
    if (custom.isLeftOut) return;
    const nameBytes = contentBytes - custom.contentBytes;
    const header = layout.sectionBytes(contentBytes) - contentBytes;
    const range = {
      offset: custom.contentStart,
      preparedOffset: this.#preparedBytes + header + nameBytes,
      byteLength: custom.contentBytes,
    };
    if (this.#name.is(MANIFEST_SECTION)) this.#manifest ??= range;
    if (this.#name.is(SCRIPT_SECTION)) this.#script ??= range;
    this.#preparedBytes += header + contentBytes;
  }

  #checkQuota(): void {
    const { memoryPages } = this.#declarations;
    if (memoryPages > this.#quotaPages)
      throw new Fault(
        "quota_exceeded",
        `Cannot give the app ${memoryPages * PAGE_BYTES} bytes of memory: its quota is ${this.#options.memoryQuotaBytes}`,
      );
  }

  #preparedMaximum(): number {
    const { memoryMaximumPages } = this.#declarations;
    return memoryMaximumPages < 0 ? this.#quotaPages : Math.min(memoryMaximumPages, this.#quotaPages);
  }

  /** Checks that need the whole module. */
  #checkWhole(): void {
    const { offset } = this.#window;
    const { functions, importedFunctions, dataSegments } = this.#declarations;
    if (!this.#hasCode && functions.length > importedFunctions)
      throw invalid(offset, "its functions have no code");
    if (!this.#hasData && dataSegments > 0) throw invalid(offset, "its data segments are missing");
    if (this.#options.entry !== undefined && !this.#exports.entry)
      throw new Fault("entry_missing", `Cannot start at "${this.#options.entry}": no export has that name`);
  }

  #facts(): ModuleFacts {
    const declarations = this.#declarations;
    const { functions, importedFunctions, globals, types } = declarations;
    const { state } = this.#code.body;
    return {
      byteLength: this.#window.offset,
      preparedByteLength: this.#preparedBytes,
      memory: this.#memory(),
      tableElements: Math.max(0, declarations.tableElements),
      hasStart: declarations.start >= 0,
      entry: this.#exports.entry,
      importedFunctions,
      ownFunctions: functions.length - importedFunctions,
      interruptGlobal: globals.length,
      deepestLoop: state.deepestLoop,
      deepestBlock: state.deepest,
      manifest: this.#manifest,
      script: this.#script,
      plan: {
        types,
        interruptGlobal: globals.length,
        growths: this.#code.growths,
        codeContentBytes: this.#code.preparedBytes,
        quotaPages: this.#quotaPages,
        emptySegments: this.#elements.emptySegments,
        emptySegmentBytes: this.#elements.emptyBytes,
        namesUntil: this.#custom.namesUntil,
      },
    };
  }

  #memory(): ModuleMemory | undefined {
    const { memoryPages, memoryMaximumPages } = this.#declarations;
    if (memoryPages < 0) return undefined;
    return {
      initialPages: memoryPages,
      maximumPages: memoryMaximumPages < 0 ? undefined : memoryMaximumPages,
      preparedMaximumPages: this.#preparedMaximum(),
    };
  }
}

function readWord(window: ByteWindow): number {
  let word = 0;
  for (let shift = 0; shift < 32; shift += 8) word |= window.readByte() << shift;
  return word;
}
