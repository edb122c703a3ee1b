/** Readers of the import and export sections. */

import { EXPORT_LIMIT } from "../../../device/sandbox/validator/limits.js";
import { Fault } from "../../../protocol/fault.js";
import type { ByteWindow } from "./byte-window.js";
import type { Declarations } from "./declarations.js";
import type { ModuleEntry, ModuleImport, ValueType } from "./facts.js";
import type { NameReader } from "./name-reader.js";
import { NameSet } from "./name-set.js";
import { addFunction, ListReader } from "./sections.js";
import type { TypeTable } from "./type-table.js";
import { I32, typeName } from "./value-types.js";
import { beyondLimit, invalid, unsupported } from "./verdict.js";

const KINDS: readonly string[] = Object.freeze(["function", "table", "memory", "global"]);
const KIND_FUNCTION = 0;
const KIND_TABLE = 1;
const KIND_MEMORY = 2;
const KIND_TAG = 4;

export class ImportSection extends ListReader {
  readonly #name: NameReader;
  readonly #onImport: ((asked: ModuleImport) => void) | undefined;
  #module = "";
  #offset = 0;
  #phase: "module" | "field" | "kind" = "module";

  constructor(declarations: Declarations, name: NameReader, onImport?: (asked: ModuleImport) => void) {
    super(declarations);
    this.#name = name;
    this.#onImport = onImport;
  }

  override begin(): void {
    super.begin();
    this.#name.begin();
  }

  protected override readItem(window: ByteWindow): boolean {
    if (this.#phase === "module") {
      if (!this.#name.read(window)) return false;
      this.#offset = this.#name.start;
      this.#module = this.#name.toString();
      this.#name.begin();
      this.#phase = "field";
    }
    if (this.#phase === "field") {
      if (!this.#name.read(window)) return false;
      this.#phase = "kind";
    }
    if (!window.isReady) return false;
    this.#readKind(window);
    this.#name.begin();
    this.#phase = "module";
    return true;
  }

  #readKind(window: ByteWindow): void {
    const { offset } = window;
    const kind = window.readByte();
    const name = this.#name.toString();
    if (kind === KIND_TAG) throw unsupported(offset, "exception handling", `"${name}" is a tag`);
    const word = KINDS[kind];
    if (word === undefined) throw invalid(offset, `0x${kind.toString(16)} is nothing to import`);
    if (kind !== KIND_FUNCTION)
      throw new Fault(
        "import_unknown",
        `Cannot import ${word} "${this.#module}.${name}": apps import functions`,
        {
          details: { offset },
        },
      );
    const type = addFunction(this.declarations, window);
    this.declarations.importedFunctions++;
    if (!this.#onImport) return;
    const { types } = this.declarations;
    this.#onImport({
      module: this.#module,
      name,
      parameters: valueTypes(types, types.parameterStart(type), types.parameterCount(type)),
      results: valueTypes(types, types.resultStart(type), types.resultCount(type)),
      offset: this.#offset,
    });
  }
}

function valueTypes(types: TypeTable, start: number, count: number): readonly ValueType[] {
  const list: ValueType[] = [];
  for (let index = start; index < start + count; index++)
    list.push(typeName(types.values.at(index)) as ValueType);
  return list;
}

export class ExportSection extends ListReader {
  /** The exported function that has the entry's name. */
  entry: ModuleEntry | undefined;
  readonly #name: NameReader;
  readonly #names = new NameSet();
  readonly #entryName: string | undefined;
  #isNamed = false;

  constructor(declarations: Declarations, name: NameReader, entryName?: string) {
    super(declarations);
    this.#name = name;
    this.#entryName = entryName;
  }

  override begin(): void {
    super.begin();
    this.#name.begin();
  }

  protected override readItem(window: ByteWindow): boolean {
    if (!this.#isNamed) {
      if (!this.#name.read(window)) return false;
      this.#isNamed = true;
    }
    if (!window.isReady) return false;
    this.#addName(window.offset);
    this.#readKind(window);
    this.#name.begin();
    this.#isNamed = false;
    return true;
  }

  #addName(offset: number): void {
    if (!this.#names.add(this.#name.firstHash, this.#name.secondHash))
      throw invalid(offset, `"${this.#name}" is exported twice`);
    if (this.#names.length > EXPORT_LIMIT)
      throw beyondLimit(offset, "EXPORT_LIMIT", `there are more than ${EXPORT_LIMIT} exports`);
  }

  #readKind(window: ByteWindow): void {
    const { offset } = window;
    const kind = window.readByte();
    const index = window.readUnsigned();
    if (kind === KIND_TAG) throw unsupported(offset, "exception handling", `"${this.#name}" is a tag`);
    if (kind >= KINDS.length) throw invalid(offset, `0x${kind.toString(16)} is nothing to export`);
    if (index >= this.#count(kind)) throw invalid(offset, `there is no ${KINDS[kind]} ${index}`);
    if (this.#entryName !== undefined && this.#name.is(this.#entryName)) this.#setEntry(kind, index);
  }

  #count(kind: number): number {
    const { functions, tableElements, memoryPages, globals } = this.declarations;
    if (kind === KIND_FUNCTION) return functions.length;
    if (kind === KIND_TABLE) return tableElements >= 0 ? 1 : 0;
    return kind === KIND_MEMORY ? Number(memoryPages >= 0) : globals.length;
  }

  #setEntry(kind: number, functionIndex: number): void {
    if (kind !== KIND_FUNCTION)
      throw new Fault("entry_missing", `Cannot start at "${this.#entryName}": it is a ${KINDS[kind]}`);
    const { functions, types } = this.declarations;
    const type = functions.at(functionIndex);
    const parameters = types.parameterCount(type);
    const results = types.resultCount(type);
    const isI32 = (start: number, count: number) => {
      for (let at = start; at < start + count; at++) if (types.values.at(at) !== I32) return false;
      return true;
    };
    const isEntry =
      (parameters === 0 || parameters === 2) &&
      results <= 1 &&
      isI32(types.parameterStart(type), parameters) &&
      isI32(types.resultStart(type), results);
    if (!isEntry)
      throw new Fault(
        "entry_missing",
        `Cannot start at "${this.#entryName}": its type must be () or (i32, i32), returning nothing or i32`,
      );
    this.entry = { functionIndex, takesArguments: parameters === 2, givesResult: results === 1 };
  }
}
