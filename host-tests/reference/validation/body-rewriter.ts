/**
 * Rewrites a function body as `prepared-code.ts` describes. The body is known to be valid, so this class determines
 * only where each instruction ends. It copies runs of unchanged instructions at once.
 */

import { NESTING_LIMIT } from "../../../device/sandbox/validator/limits.js";
import type { ByteWindow } from "./byte-window.js";
import { readBlockType } from "./instructions.js";
import { INSTRUCTIONS, KIND_ACCESS, KIND_BITS, MEMORY_COPY, MEMORY_FILL } from "./opcodes.js";
import type { PieceWriter } from "./piece-writer.js";
import type { TypeTable } from "./type-table.js";

/** Immediates of an instruction: none, one number, two numbers, or those that `#readOther` parses. */
const PLAIN = 0;
const ONE_NUMBER = 1;
const TWO_NUMBERS = 2;
const OTHER = 3;

const endings = INSTRUCTIONS.map((instruction): number =>
  (instruction & KIND_BITS) === KIND_ACCESS ? TWO_NUMBERS : PLAIN,
);
const WITH_ONE_NUMBER = [0x0d, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x41, 0x42];
for (let index = 0; index < WITH_ONE_NUMBER.length; index++)
  endings[WITH_ONE_NUMBER[index] as number] = ONE_NUMBER;
const OTHERS = [0x00, 0x02, 0x03, 0x04, 0x05, 0x0b, 0x0c, 0x0e, 0x0f, 0x43, 0x44, 0xfc];
for (let index = 0; index < OTHERS.length; index++) endings[OTHERS[index] as number] = OTHER;
endings[0x11] = TWO_NUMBERS;
/** Immediates by opcode. An ordinary array, for the same reason as {@link INSTRUCTIONS}. */
const IMMEDIATES: readonly number[] = Object.freeze(endings);

export class BodyRewriter {
  readonly #writer: PieceWriter;
  readonly #types: TypeTable;
  /** For each open block, 1 if it is a loop with parameters. */
  readonly #isLoopWithParameters = new Uint8Array(NESTING_LIMIT);
  #depth = 0;
  /** Depth of blocks in dead code, counting the block that contains it; 0 in live code. */
  #dead = 0;
  /** Groups of locals not yet read, -1 before their count. */
  #groups = -1;
  /** Targets of a `br_table` not yet read. */
  #targets = 0;
  /** Position of the first byte that was read but not yet written. */
  #unwritten = 0;

  constructor(writer: PieceWriter, types: TypeTable) {
    this.#writer = writer;
    this.#types = types;
  }

  begin(): void {
    this.#groups = -1;
    this.#depth = 1;
    this.#dead = 0;
    this.#isLoopWithParameters[0] = 0;
  }

  /** Rewrites the available part of the body. @returns whether the body is complete */
  read(window: ByteWindow): boolean {
    this.#unwritten = window.position;
    while (this.#depth > 0 && window.isReady) {
      if (this.#groups < 0) this.#groups = window.readUnsigned();
      else if (this.#groups > 0) {
        window.readUnsigned();
        window.readByte();
        this.#groups--;
      } else if (this.#targets > 0) this.#readTarget(window);
      else this.#readCode(window);
    }
    if (this.#dead === 0) this.#copy(window, window.position);
    return this.#depth === 0;
  }

  #readTarget(window: ByteWindow): void {
    window.readUnsigned();
    this.#targets--;
    if (this.#targets === 0) this.#die(window);
  }

  #readCode(window: ByteWindow): void {
    const { bytes } = window;
    const stop = window.atomLimit;
    let at = window.position;
    while (at < stop) {
      const opcode = bytes[at++] as number;
      const immediates = IMMEDIATES[opcode] as number;
      if (immediates === PLAIN) continue;
      if (immediates === OTHER) {
        window.position = at;
        this.#readOther(window, opcode, at - 1);
        at = window.position;
        if (this.#depth === 0 || this.#targets > 0) break;
        continue;
      }
      while ((bytes[at++] as number) >= 0x80);
      if (immediates === TWO_NUMBERS) while ((bytes[at++] as number) >= 0x80);
    }
    window.position = at;
  }

  #readOther(window: ByteWindow, opcode: number, start: number): void {
    switch (opcode) {
      case 0x02:
      case 0x03:
      case 0x04:
        this.#open(window, opcode);
        break;
      case 0x0b:
        this.#end(start);
        break;
      case 0x05:
        if (this.#dead === 1) this.#revive(start);
        break;
      case 0x0c:
        this.#branch(window, start);
        break;
      case 0x0e:
        this.#targets = window.readUnsigned() + 1;
        break;
      case 0x00:
      case 0x0f:
        this.#die(window);
        break;
      case 0x43:
        window.skip(4);
        break;
      case 0x44:
        window.skip(8);
        break;
      default:
        skipPrefixed(window);
        break;
    }
  }

  #open(window: ByteWindow, opcode: number): void {
    const type = readBlockType(window, this.#types.ownCount);
    if (this.#dead > 0) {
      this.#dead++;
      return;
    }
    const isLoop = opcode === 0x03;
    this.#isLoopWithParameters[this.#depth++] = isLoop && this.#types.parameterCount(type) > 0 ? 1 : 0;
  }

  #end(start: number): void {
    if (this.#dead > 1) {
      this.#dead--;
      return;
    }
    if (this.#dead === 1) this.#revive(start);
    this.#depth--;
  }

  #branch(window: ByteWindow, start: number): void {
    const label = window.readUnsigned();
    if (this.#dead === 0 && this.#isLoopWithParameters[this.#depth - 1 - label] === 1) {
      this.#copy(window, start);
      const writer = this.#writer;
      writer.writeByte(0x41);
      writer.writeByte(1);
      writer.writeByte(0x0d);
      writer.write(window.bytes, start + 1, window.position);
      writer.writeByte(0x00);
      this.#unwritten = window.position;
    }
    this.#die(window);
  }

  /** Dead code begins: writes what precedes it. */
  #die(window: ByteWindow): void {
    if (this.#dead > 0) return;
    this.#copy(window, window.position);
    this.#dead = 1;
  }

  /** Dead code ends: copying resumes at `start`. */
  #revive(start: number): void {
    this.#dead = 0;
    this.#unwritten = start;
  }

  #copy(window: ByteWindow, end: number): void {
    this.#writer.write(window.bytes, this.#unwritten, end);
    this.#unwritten = end;
  }
}

/** Skips the rest of an instruction with prefix 0xfc: `memory.copy` has two memory bytes, `memory.fill` one. */
function skipPrefixed(window: ByteWindow): void {
  const opcode = window.readByte();
  if (opcode === MEMORY_COPY) window.skip(2);
  else if (opcode === MEMORY_FILL) window.skip(1);
}
