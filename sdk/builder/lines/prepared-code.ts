/**
 * Where the code of a published module is in the module that a console makes of it (docs/spec/app-packages.md#module-checked),
 * which is what a trap's offsets are of. A console copies functions as they are, but leaves out what is never executed.
 */
import { type FunctionBody, functionBodies } from "../../../protocol/module-file.js";
import { ByteReader } from "./byte-reader.js";

/** Bytes of a body that were copied in one piece. */
interface Run {
  /** From the start of the published code section's content. */
  readonly from: number;
  readonly to: number;
  /** Byte of the prepared module. */
  readonly at: number;
}

export interface PreparedFunction {
  /** Byte of the prepared module where the function's body begins. */
  readonly at: number;
  /** In ascending order; none of a function that a console changes in another way. */
  readonly runs: readonly Run[];
}

/** @returns the module's own functions, by their order */
export function preparedFunctions(published: Uint8Array, prepared: Uint8Array): readonly PreparedFunction[] {
  const { start, bodies } = functionBodies(published);
  const target = functionBodies(prepared);
  return bodies.map((body, index) => {
    const copy = target.bodies[index];
    if (!copy) throw new Error(`Cannot find function ${index} in the prepared module`);
    const pieces = livePieces(published, body);
    let at = copy.from;
    const runs = pieces.map(({ from, to }) => {
      const run = { from: from - start, to: to - start, at };
      at += to - from;
      return run;
    });
    return { at: copy.from, runs: at === copy.to ? runs : [] };
  });
}

const BLOCK = 0x02;
const IF = 0x04;
const ELSE = 0x05;
const END = 0x0b;
const PREFIX = 0xfc;
/** After these, nothing is executed until the block ends. */
const LEAVING = new Set([0x00, 0x0c, 0x0e, 0x0f]);

/** The parts of a valid body that are executed, in order; the locals come first. */
function livePieces(module: Uint8Array, body: FunctionBody): readonly FunctionBody[] {
  const reader = new ByteReader(module.subarray(0, body.to), body.from);
  for (let groups = reader.uleb(); groups > 0; groups--) {
    reader.uleb();
    reader.skip(1);
  }
  const pieces: FunctionBody[] = [];
  let from = body.from;
  let dead = 0; // depth of blocks in dead code, counting the block that contains it
  while (reader.at < body.to) {
    const start = reader.at;
    const opcode = reader.unsigned(1);
    skipImmediates(reader, opcode);
    if (dead > 0) {
      if (opcode >= BLOCK && opcode <= IF) dead++;
      else if (opcode === END) dead--;
      if (dead === 0 || (dead === 1 && opcode === ELSE)) {
        dead = 0;
        from = start;
      }
    } else if (LEAVING.has(opcode)) {
      pieces.push({ from, to: reader.at });
      dead = 1;
    }
  }
  if (dead === 0) pieces.push({ from, to: body.to });
  return pieces;
}

const F32_CONST = 0x43;
const F64_CONST = 0x44;
const BR_TABLE = 0x0e;

/** §5.4. The module is valid, so there are no other instructions. */
function skipImmediates(reader: ByteReader, opcode: number): void {
  if (opcode === BR_TABLE) for (let left = reader.uleb() + 1; left > 0; left--) reader.uleb();
  else if (opcode === F32_CONST) reader.skip(4);
  else if (opcode === F64_CONST) reader.skip(8);
  else if (opcode === PREFIX) reader.skip(PREFIXED_BYTES[reader.uleb()] ?? 0);
  else for (let left = numbersAfter(opcode); left > 0; left--) reader.uleb();
}

/** `memory.copy` and `memory.fill` name memories. */
const PREFIXED_BYTES: Readonly<Record<number, number>> = { 10: 2, 11: 1 };

/** Immediates that are LEB128; a block's type is one, too. */
function numbersAfter(opcode: number): number {
  if (opcode === 0x11 || (opcode >= 0x28 && opcode <= 0x3e)) return 2; // call_indirect, accesses to memory
  const isOne =
    (opcode >= BLOCK && opcode <= IF) ||
    opcode === 0x0c || // br, br_if
    opcode === 0x0d ||
    opcode === 0x10 || // call
    (opcode >= 0x20 && opcode <= 0x24) || // variables
    (opcode >= 0x3f && opcode <= 0x42); // size and growth of memory, whole constants
  return isOne ? 1 : 0;
}
