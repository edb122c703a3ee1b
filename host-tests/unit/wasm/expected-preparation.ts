/**
 * What the preparer is to find in a valid module, and to make of it (docs/spec/app-packages.md#validated): an oracle for the
 * program that does both in slices (`device/sandbox/validator`). It has the whole module at hand and trusts it, so that it is
 * a tenth as long. Whether a module is valid is for others to judge (`verdicts.ts`).
 */
import { NAME_LIMIT_BYTES } from "../../../device/sandbox/validator/limits.js";
import type { ModuleFacts, SectionRange } from "../../../device/wasm/module-facts.js";
import type { ModulePreparerOptions } from "../../../device/wasm/module-preparer.js";
import { I32, leb, section } from "./module-builder.js";
import type { Prepared } from "./preparation.js";

const PAGE_BYTES = 65_536;
const PREAMBLE_BYTES = 8;
/** Sections in the order of the standard (binary format §5.5.2); the data count comes before the code. */
const [CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
];
/** A variable of `i32`, 0 at first. */
const INTERRUPT = [I32, 1, 0x41, 0, 0x0b];

/** Reads from a piece of a module. */
class Reader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** @throws {RangeError} past the end */
  take(count: number): Uint8Array {
    if (count > this.bytes.length - this.at) throw new RangeError("The piece ends");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  /** @throws {RangeError} past the end, and above 32 bits */
  unsigned(): number {
    let value = 0;
    for (let bits = 0; bits <= 28; bits += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** bits;
      if (byte < 0x80 && value < 2 ** 32) return value;
    }
    throw new RangeError("The number has more than 32 bits");
  }

  passNumbers(count: number): void {
    for (let left = count; left > 0; left--) while (this.byte() >= 0x80);
  }

  /** As many items as the number before them tells. */
  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.unsigned() }, read);
  }

  sized(): Reader {
    return new Reader(this.take(this.unsigned()));
  }

  text(): string {
    const { bytes } = this.sized();
    if (bytes.length > NAME_LIMIT_BYTES) throw new RangeError("The name is too long for the engine");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  }

  /** @returns the bytes that `read` passes */
  passed(read: () => void): Uint8Array {
    const start = this.at;
    read();
    return this.bytes.subarray(start, this.at);
  }

  rest(): Uint8Array {
    return this.take(this.bytes.length - this.at);
  }
}

interface FunctionType {
  readonly parameters: number;
  readonly results: number;
}

interface Block {
  readonly isLoop: boolean;
  readonly hasParameters: boolean;
  /** Whether the block stands in code that is never reached. */
  readonly isUnreached: boolean;
  /** Whether the rest of the block is never reached. */
  isLeft: boolean;
}

const BLOCK = 0x02;
const LOOP = 0x03;
const IF = 0x04;
const ELSE = 0x05;
const END = 0x0b;
const BRANCH = 0x0c;
const BRANCH_TABLE = 0x0e;
/** `unreachable`, `br`, `br_table`, `return`. */
const LEAVES = [0x00, BRANCH, BRANCH_TABLE, 0x0f];
/** Instructions with one number: branches, calls, variables, sizes of the memory, constants of integers. */
const ONE_NUMBER = [BRANCH, 0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x41, 0x42];
const CALL_INDIRECT = 0x11;
const [FIRST_ACCESS, LAST_ACCESS] = [0x28, 0x3e];
const [F32_CONST, F64_CONST] = [0x43, 0x44];
const PREFIX = 0xfc;
const [MEMORY_COPY, MEMORY_FILL] = [10, 11];

/** Passes what follows an opcode, but for a block's type. */
function passImmediates(code: Reader, opcode: number): void {
  if (ONE_NUMBER.includes(opcode)) code.passNumbers(1);
  else if (opcode === CALL_INDIRECT || (opcode >= FIRST_ACCESS && opcode <= LAST_ACCESS)) code.passNumbers(2);
  else if (opcode === BRANCH_TABLE) code.passNumbers(code.unsigned() + 1);
  else if (opcode === F32_CONST) code.take(4);
  else if (opcode === F64_CONST) code.take(8);
  else if (opcode === PREFIX) {
    const second = code.byte();
    code.take(second === MEMORY_COPY ? 2 : second === MEMORY_FILL ? 1 : 0);
  }
}

class Expectation {
  readonly #module: Reader;
  readonly #options: ModulePreparerOptions;
  readonly #bytes: number[] = [];
  readonly #types: FunctionType[] = [];
  /** Type of each function. */
  readonly #functions: number[] = [];
  readonly #sections = new Map<string, SectionRange>();
  #hasInterrupt = false;
  /** Whether the engine would misread a name section so far. */
  #areNamesBroken = false;
  #importedFunctions = 0;
  #tableElements = 0;
  #globals = 0;
  #deepestLoop = 0;
  #deepestBlock = 0;
  #hasStart = false;
  #memory: ModuleFacts["memory"];
  #entry: ModuleFacts["entry"];

  constructor(bytes: Uint8Array, options: ModulePreparerOptions) {
    this.#module = new Reader(bytes);
    this.#options = options;
  }

  prepare(): Prepared {
    this.#write(this.#module.take(PREAMBLE_BYTES));
    while (!this.#module.isAtEnd) this.#prepareSection();
    if (!this.#hasInterrupt) this.#writeSection(GLOBAL, [1, ...INTERRUPT]);
    const facts: ModuleFacts = {
      byteLength: this.#module.bytes.length,
      preparedByteLength: this.#bytes.length,
      memory: this.#memory,
      tableElements: this.#tableElements,
      hasStart: this.#hasStart,
      entry: this.#entry,
      importedFunctions: this.#importedFunctions,
      ownFunctions: this.#functions.length - this.#importedFunctions,
      interruptGlobal: this.#globals,
      deepestLoop: this.#deepestLoop,
      deepestBlock: this.#deepestBlock,
      manifest: this.#sections.get("svc_manifest"),
      script: this.#sections.get("svc_py_script"),
    };
    return { facts, bytes: Uint8Array.from(this.#bytes) };
  }

  #write(bytes: ArrayLike<number>): void {
    for (let index = 0; index < bytes.length; index++) this.#bytes.push(bytes[index] as number);
  }

  #writeSection(id: number, contents: ArrayLike<number>): void {
    this.#write(section(id, Array.from(contents)));
  }

  #prepareSection(): void {
    const id = this.#module.byte();
    const contents = this.#module.sized();
    if (id > GLOBAL && !this.#hasInterrupt) this.#writeSection(GLOBAL, [1, ...INTERRUPT]);
    if (id >= GLOBAL) this.#hasInterrupt = true;
    if (id === CUSTOM) this.#prepareCustom(contents);
    else if (id === MEMORY) this.#prepareMemory(contents);
    else if (id === GLOBAL) this.#prepareGlobals(contents);
    else if (id === ELEMENT) this.#prepareElements(contents);
    else if (id === CODE) this.#prepareCode(contents);
    else {
      this.#writeSection(id, contents.bytes);
      this.#read(id, contents);
    }
  }

  /** The facts in a section that is copied. */
  #read(id: number, contents: Reader): void {
    if (id === TYPE) this.#types.push(...contents.list(() => readType(contents)));
    else if (id === IMPORT) {
      this.#functions.push(...contents.list(() => readImportedFunction(contents)));
      this.#importedFunctions = this.#functions.length;
    } else if (id === FUNCTION) this.#functions.push(...contents.list(() => contents.unsigned()));
    else if (id === TABLE)
      for (const length of contents.list(() => readTable(contents))) this.#tableElements = length;
    else if (id === EXPORT) contents.list(() => this.#readExport(contents));
    else if (id === START) this.#hasStart = true;
  }

  #prepareCustom(contents: Reader): void {
    const name = contents.text();
    if (name === "name" || name.startsWith("name\0")) {
      this.#areNamesBroken ||= !isReadByTheEngine(new Reader(contents.bytes.subarray(contents.at)));
      if (this.#areNamesBroken) return;
    }
    const byteLength = contents.bytes.length - contents.at;
    this.#writeSection(CUSTOM, contents.bytes);
    if (this.#sections.has(name)) return;
    const offset = this.#module.at - byteLength;
    this.#sections.set(name, { offset, preparedOffset: this.#bytes.length - byteLength, byteLength });
  }

  #prepareMemory(contents: Reader): void {
    if (contents.unsigned() === 0) return;
    const hasMaximum = contents.byte() === 1;
    const initialPages = contents.unsigned();
    const maximumPages = hasMaximum ? contents.unsigned() : undefined;
    const quotaPages = Math.floor((this.#options.memoryQuotaBytes ?? Number.POSITIVE_INFINITY) / PAGE_BYTES);
    const preparedMaximumPages = Math.min(maximumPages ?? PAGE_BYTES, quotaPages, PAGE_BYTES);
    this.#memory = { initialPages, maximumPages, preparedMaximumPages };
    this.#writeSection(MEMORY, [1, 1, ...leb(initialPages), ...leb(preparedMaximumPages)]);
  }

  #prepareGlobals(contents: Reader): void {
    this.#globals = contents.unsigned();
    this.#writeSection(GLOBAL, [...leb(this.#globals + 1), ...contents.rest(), ...INTERRUPT]);
  }

  /** Segments without functions go. */
  #prepareElements(contents: Reader): void {
    const segments = contents.list(() => {
      let functions = 0;
      const bytes = contents.passed(() => {
        contents.unsigned();
        passConstant(contents);
        functions = contents.list(() => contents.unsigned()).length;
      });
      return { bytes, functions };
    });
    const kept = segments.filter(({ functions }) => functions > 0);
    const isWhole = kept.length === segments.length;
    const list = [...leb(kept.length), ...kept.flatMap(({ bytes }) => [...bytes])];
    this.#writeSection(ELEMENT, isWhole ? contents.bytes : list);
  }

  #prepareCode(contents: Reader): void {
    const bodies = contents.list(() => {
      const body = this.#prepareBody(contents.sized());
      return [...leb(body.length), ...body];
    });
    this.#writeSection(CODE, [...leb(bodies.length), ...bodies.flat()]);
  }

  /** Code that is never reached goes, and a branch to a loop with parameters becomes one on a condition. */
  #prepareBody(body: Reader): number[] {
    const locals = body.passed(() =>
      body.list(() => {
        body.passNumbers(1);
        body.byte();
      }),
    );
    const kept = [...locals];
    const blocks: Block[] = [];
    this.#enter(blocks, { isLoop: false, hasParameters: false, isUnreached: false, isLeft: false });
    while (blocks.length > 0) kept.push(...this.#prepareInstruction(body, blocks));
    return kept;
  }

  #enter(blocks: Block[], block: Block): void {
    blocks.push(block);
    this.#deepestBlock = Math.max(this.#deepestBlock, blocks.length);
    this.#deepestLoop = Math.max(this.#deepestLoop, blocks.filter(({ isLoop }) => isLoop).length);
  }

  /** @returns what stays of the next instruction */
  #prepareInstruction(code: Reader, blocks: Block[]): readonly number[] {
    const block = blocks.at(-1) as Block;
    const { isLeft } = block;
    const start = code.at;
    const opcode = code.byte();
    if (opcode === END) {
      blocks.pop();
      return block.isUnreached ? [] : [END];
    }
    if (opcode === ELSE) {
      block.isLeft = block.isUnreached;
      return block.isUnreached ? [] : [ELSE];
    }
    if (opcode === BLOCK || opcode === LOOP || opcode === IF) {
      const hasParameters = this.#hasParameters(code);
      this.#enter(blocks, { isLoop: opcode === LOOP, hasParameters, isUnreached: isLeft, isLeft });
    } else passImmediates(code, opcode);
    if (LEAVES.includes(opcode)) block.isLeft = true;
    if (isLeft) return [];
    const whole = [...code.bytes.subarray(start, code.at)];
    return opcode === BRANCH && isLoopWithParameters(blocks, whole) ? onCondition(whole) : whole;
  }

  /** Reads the type of a block. */
  #hasParameters(code: Reader): boolean {
    const byte = code.bytes[code.at] as number;
    if (byte < 0x40 || byte >= 0x80) return (this.#types[code.unsigned()]?.parameters ?? 0) > 0;
    code.byte(); // nothing, or a value
    return false;
  }

  #readExport(contents: Reader): void {
    const name = contents.text();
    contents.byte();
    const functionIndex = contents.unsigned();
    if (name !== this.#options.entry) return;
    const type = this.#types[this.#functions[functionIndex] as number] as FunctionType;
    this.#entry = { functionIndex, takesArguments: type.parameters > 0, givesResult: type.results > 0 };
  }
}

function isLoopWithParameters(blocks: readonly Block[], branch: readonly number[]): boolean {
  const label = new Reader(Uint8Array.from(branch.slice(1))).unsigned();
  const target = blocks.at(-1 - label) as Block;
  return target.isLoop && target.hasParameters;
}

/** A `br` as `br_if` on 1, and `unreachable` after it. */
function onCondition(branch: readonly number[]): readonly number[] {
  return [0x41, 1, 0x0d, ...branch.slice(1), 0x00];
}

function readType(contents: Reader): FunctionType {
  contents.byte();
  const [parameters, results] = [0, 1].map(() => contents.list(() => contents.byte()).length) as [
    number,
    number,
  ];
  return { parameters, results };
}

function readImportedFunction(contents: Reader): number {
  contents.text();
  contents.text();
  contents.byte();
  return contents.unsigned();
}

function readTable(contents: Reader): number {
  contents.byte();
  const hasMaximum = contents.byte() === 1;
  const length = contents.unsigned();
  if (hasMaximum) contents.unsigned();
  return length;
}

function passConstant(contents: Reader): void {
  for (let opcode = contents.byte(); opcode !== END; opcode = contents.byte())
    passImmediates(contents, opcode);
}

/** Whether the engine, which trusts every number of a name section, reads this one to its end. */
function isReadByTheEngine(names: Reader): boolean {
  try {
    while (!names.isAtEnd) passSubsection(names);
    return true;
  } catch {
    return false;
  }
}

/** @throws {Error} where the engine would go wrong */
function passSubsection(names: Reader): void {
  const kind = names.byte();
  const byteLength = names.unsigned();
  const end = names.at + byteLength;
  if (kind !== 1 || byteLength > names.bytes.length - names.at) {
    if (kind >= 0x80) throw new RangeError("There is no such subsection");
    names.take(byteLength);
    return;
  }
  for (let left = names.unsigned(); left > 0; left--) {
    names.unsigned();
    names.text();
  }
  if (names.at !== end) throw new RangeError("The names do not end with their subsection");
}

/** @param bytes a valid module of the engine's features */
export function expectedPreparation(bytes: Uint8Array, options: ModulePreparerOptions = {}): Prepared {
  return new Expectation(bytes, options).prepare();
}
