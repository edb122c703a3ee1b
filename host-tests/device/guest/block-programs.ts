/**
 * Generates functions that pass several values into blocks, through labels and out of blocks, which binaryen's fuzzer does
 * not generate, since it has no operand stack. Locals are read early and written later, inside and outside blocks: this
 * exposes an engine that keeps a reference to a local instead of the value read from it.
 *
 * All functions end, none traps, and none produces a NaN.
 */
import { PARAMETERS } from "../../unit/wasm/engine-hazards.js";
import { F32, F64, type FunctionParts, I32, I64, leb, module } from "../../unit/wasm/module-builder.js";

type Signature = { readonly parameters: readonly number[]; readonly results: readonly number[] };
type Label = { readonly values: readonly number[]; readonly isLoop: boolean };

const TYPES = [I32, I64, F32, F64];
/** Types of parameters and locals. */
const LOCALS = [...PARAMETERS, ...TYPES, I32];
/** Counts down the backward branches, so that every loop ends. */
const FUEL = LOCALS.length - 1;
const FUEL_AT_FIRST = 6;
const OPERANDS_LIMIT = 24;
const NESTING_LIMIT = 4;

const ADD: Readonly<Record<number, number>> = { [I32]: 0x6a, [I64]: 0x7c, [F32]: 0x92, [F64]: 0xa0 };
/** Conversions from `i32` to each type, and back without traps. */
const FROM_I32: Readonly<Record<number, readonly number[]>> = {
  [I64]: [0xac],
  [F32]: [0xb2],
  [F64]: [0xb7],
};
const TO_I32: Readonly<Record<number, readonly number[]>> = {
  [I64]: [0xa7],
  [F32]: [0xfc, 0x00],
  [F64]: [0xfc, 0x02],
};

/** The first functions of every module; each reorders values. */
const CALLEES: readonly FunctionParts[] = [
  { parameters: [I32, I64], results: [I64, I32], code: [0x20, 1, 0x20, 0] },
  { parameters: [F64, I32, F32], results: [F32, F64], code: [0x20, 2, 0x20, 0] },
  { parameters: [I64], results: [I64], code: [0x20, 0] },
];

/** A type index where a block wants its type: signed, so that one from 64 to 127 takes two bytes. */
function blockType(index: number): number[] {
  const bytes = leb(index);
  const last = bytes.pop() as number;
  return (last & 0x40) === 0 ? [...bytes, last] : [...bytes, last | 0x80, 0];
}

/** Numbers that follow from a seed (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

/** The types of the blocks of a module, each once. */
class Signatures {
  readonly list: Signature[] = [];
  readonly #indices = new Map<string, number>();

  indexOf(signature: Signature): number {
    const key = JSON.stringify(signature);
    const known = this.#indices.get(key);
    if (known !== undefined) return known;
    this.#indices.set(key, this.list.length);
    return this.list.push(signature) - 1;
  }
}

/** Writes one function. `#stack` has the types of the operands, `#floor` says where those of the block begin. */
class FunctionWriter {
  readonly code: number[] = [];
  readonly #dice: Dice;
  readonly #signatures: Signatures;
  #stack: number[] = [];
  #floor = 0;
  #left: number;
  #labels: Label[] = [];

  constructor(dice: Dice, signatures: Signatures, steps: number) {
    this.#dice = dice;
    this.#signatures = signatures;
    this.#left = steps;
  }

  write(results: readonly number[]): void {
    this.code.push(0x41, FUEL_AT_FIRST, 0x21, FUEL);
    this.#labels = [{ values: results, isLoop: false }];
    this.#writeBody(results);
  }

  #writeBody(results: readonly number[]): void {
    const steps = 1 + this.#dice.below(10);
    for (let step = 0; step < steps && this.#left > 0; step++) this.#writeStep();
    this.#arrange(results, true);
    if (this.#dice.below(8) === 0) this.#writeBranchAway(results);
    else this.#stack.length -= results.length;
  }

  /** What stands below the results does not matter to `br`. */
  #writeBranchAway(results: readonly number[]): void {
    const label = this.#dice.below(this.#labels.length);
    const { values, isLoop } = this.#labels.at(-1 - label) as Label;
    if (isLoop || values.join() !== results.join()) {
      this.#stack.length -= results.length;
      return;
    }
    if (this.#dice.below(3) > 0) this.code.push(0x0c, label);
    else {
      this.#get(I32);
      this.code.push(0x0e, 1, label, label);
      this.#stack.pop();
    }
    this.#stack.length = this.#floor;
  }

  #writeStep(): void {
    this.#left--;
    const height = this.#stack.length - this.#floor;
    const choice = this.#dice.below(this.#stack.length > OPERANDS_LIMIT ? 6 : 16);
    if (choice < 2 && height > 0) this.#set(0x21);
    else if (choice === 2 && height > 1) this.#add();
    else if (choice === 3 && height > 0) this.#drop();
    else if (choice === 4 && height > 0) this.#convert();
    else if (choice === 5 && height > 0) this.#set(0x22);
    else if (choice === 6) this.#constant(this.#dice.of(TYPES));
    else if (choice === 7) this.#select();
    else if (choice === 8) this.#call();
    else if (choice < 11) this.#branchIf();
    else if (choice < 13 && this.#labels.length < NESTING_LIMIT) this.#block();
    else this.#get(this.#dice.of(TYPES));
  }

  #localOf(type: number): number {
    return this.#dice.of(LOCALS.flatMap((each, index) => (each === type && index !== FUEL ? [index] : [])));
  }

  #get(type: number): void {
    this.code.push(0x20, this.#localOf(type));
    this.#stack.push(type);
  }

  #constant(type: number): void {
    const byte = this.#dice.below(64);
    if (type === I32) this.code.push(0x41, byte);
    else if (type === I64) this.code.push(0x42, byte);
    else this.code.push(0x41, byte, ...(FROM_I32[type] ?? []));
    this.#stack.push(type);
  }

  #set(opcode: number): void {
    const type = this.#stack.at(-1) as number;
    this.code.push(opcode, this.#localOf(type));
    if (opcode === 0x21) this.#stack.pop();
  }

  #add(): void {
    const [first, second] = this.#stack.slice(-2) as [number, number];
    if (first !== second) return;
    this.code.push(ADD[first] as number);
    this.#stack.pop();
  }

  #drop(): void {
    this.code.push(0x1a);
    this.#stack.pop();
  }

  #convert(): void {
    const from = this.#stack.pop() as number;
    const to = this.#dice.of(TYPES);
    this.code.push(...(TO_I32[from] ?? []), ...(FROM_I32[to] ?? []));
    this.#stack.push(to);
  }

  #select(): void {
    const type = this.#dice.of(TYPES);
    this.#get(type);
    this.#get(type);
    this.#get(I32);
    this.code.push(0x1b);
    this.#stack.length -= 2;
  }

  #call(): void {
    const index = this.#dice.below(CALLEES.length);
    const { parameters = [], results = [] } = CALLEES[index] as FunctionParts;
    this.#arrange(parameters, false);
    this.code.push(0x10, index);
    this.#stack.length -= parameters.length;
    this.#stack.push(...results);
  }

  #branchIf(): void {
    const label = this.#dice.below(this.#labels.length);
    const { values, isLoop } = this.#labels.at(-1 - label) as Label;
    this.#arrange(values, false);
    if (isLoop) this.code.push(0x20, FUEL, 0x41, 1, 0x6b, 0x22, FUEL, 0x41, 0, 0x4a);
    else {
      this.#get(I32);
      this.#stack.pop();
      if (this.#dice.below(2) === 0) this.code.push(0x41, 1, 0x71);
    }
    this.code.push(0x0d, label);
  }

  /** Over what stands on the stack already, if it is anything, and as many results. */
  #block(): void {
    const opcode = this.#dice.of([0x02, 0x03, 0x04]);
    const count = this.#dice.below(Math.min(4, this.#stack.length - this.#floor) + 1);
    const parameters = this.#stack.slice(this.#stack.length - count);
    const isPassedOn = opcode === 0x04 && this.#dice.below(4) === 0;
    const results = isPassedOn
      ? parameters
      : Array.from({ length: this.#dice.below(4) }, () => this.#dice.of(TYPES));
    if (opcode === 0x04) {
      this.#get(I32);
      this.#stack.pop();
    }
    this.code.push(opcode, ...blockType(this.#signatures.indexOf({ parameters, results })));
    this.#writeArm(opcode, parameters, results);
    if (opcode === 0x04 && !isPassedOn) {
      this.code.push(0x05);
      this.#writeArm(opcode, parameters, results);
    }
    this.code.push(0x0b);
    this.#stack.length -= count;
    this.#stack.push(...results);
  }

  #writeArm(opcode: number, parameters: readonly number[], results: readonly number[]): void {
    const [stack, floor] = [[...this.#stack], this.#floor];
    this.#floor = this.#stack.length - parameters.length;
    const isLoop = opcode === 0x03;
    this.#labels.push({ values: isLoop ? parameters : results, isLoop });
    this.#writeBody(results);
    this.#labels.pop();
    this.#stack = stack;
    this.#floor = floor;
  }

  /** Puts values of `types` on top: those that are there where they are right, else locals. */
  #arrange(types: readonly number[], isAll: boolean): void {
    let kept = types.length;
    while (kept > 0 && !this.#endsWith(types.slice(0, kept))) kept--;
    if (isAll && this.#stack.length - this.#floor !== kept) {
      while (this.#stack.length > this.#floor) this.#drop();
      kept = 0;
    }
    for (const type of types.slice(kept)) this.#get(type);
  }

  #endsWith(types: readonly number[]): boolean {
    const start = this.#stack.length - types.length;
    return start >= this.#floor && types.every((type, index) => this.#stack[start + index] === type);
  }
}

/** A module of functions `f0` and on; the last results of each are all its locals. */
export function blockProgram(seed: number, functions: number, steps: number): Uint8Array<ArrayBuffer> {
  const dice = new Dice(seed);
  const signatures = new Signatures();
  const made = Array.from({ length: functions }, () => {
    const results = Array.from({ length: dice.below(4) }, () => dice.of(TYPES));
    const writer = new FunctionWriter(dice, signatures, steps);
    // As a block, so that branches to it leave the locals to be read.
    const block = signatures.indexOf({ parameters: [], results });
    writer.write(results);
    const locals = LOCALS.flatMap((_, index) => [0x20, index]);
    return {
      parameters: PARAMETERS,
      results: [...results, ...LOCALS],
      locals: LOCALS.slice(PARAMETERS.length).map((type) => [1, type] as const),
      code: [0x02, ...blockType(block), ...writer.code, 0x0b, ...locals],
    };
  });
  return module({
    types: signatures.list,
    functions: [...CALLEES, ...made],
    exports: made.map((_, index) => [`f${index}`, 0, CALLEES.length + index] as const),
  });
}
