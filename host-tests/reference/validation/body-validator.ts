/**
 * Validates function bodies as they arrive: the locals, then each instruction. The loop over plain instructions keeps
 * its state in local variables, as field access on XS takes several times as long. The other instructions are in
 * `instructions.ts`.
 *
 * It also computes by how many bytes preparing lengthens the body (`prepared-code.ts`).
 */

import { BRANCH_TABLE_LIMIT, LOCAL_LIMIT, OPERAND_LIMIT } from "../../../device/sandbox/validator/limits.js";
import type { ByteWindow } from "./byte-window.js";
import type { Declarations } from "./declarations.js";
import { FRAME_FUNCTION, FRAME_LOOP, FunctionState } from "./function-state.js";
import * as instructions from "./instructions.js";
import * as op from "./opcodes.js";
import { LOOP_BRANCH_GROWTH_BYTES } from "./prepared-code.js";
import { ANY, F64, I32, refuseType } from "./value-types.js";
import { beyondLimit, invalid, unsupported } from "./verdict.js";

type Phase = "groups" | "locals" | "code" | "targets" | "done";

export class BodyValidator {
  readonly state: FunctionState;
  /** Bytes that preparing adds to the body; negative if it omits more than it adds. */
  growth = 0;
  #phase: Phase = "done";
  /** Groups of locals, or targets of a `br_table`, not yet read. */
  #left = 0;
  /** Number of values that each target of a `br_table` takes, -1 before the first target. */
  #targetValues = -1;
  #type = 0;
  /** Offset at which dead code began. */
  #deadFrom = 0;

  constructor(declarations: Declarations) {
    this.state = new FunctionState(declarations);
  }

  /** @param type index of the function's type in the type table */
  begin(type: number): void {
    const { state } = this;
    const { types } = state.declarations;
    this.#phase = "groups";
    this.#type = type;
    this.growth = 0;
    state.reset();
    const start = types.parameterStart(type);
    for (let index = types.parameterCount(type); --index >= 0; )
      state.locals[index] = types.values.at(start + index);
    state.localCount = types.parameterCount(type);
  }

  /** Validates the available part of the body. @returns whether the body is complete */
  read(window: ByteWindow): boolean {
    while (this.#phase !== "done" && window.isReady) {
      if (this.#phase === "code") this.#readCode(window);
      else if (this.#phase === "targets") this.#readTarget(window);
      else if (this.#phase === "locals") this.#readGroup(window);
      else this.#readGroupCount(window);
    }
    return this.#phase === "done";
  }

  #readGroupCount(window: ByteWindow): void {
    this.#left = window.readUnsigned();
    this.#phase = "locals";
    if (this.#left === 0) this.#beginCode(window.offset);
  }

  #readGroup(window: ByteWindow): void {
    const { state } = this;
    const { offset } = window;
    const count = window.readUnsigned();
    const type = window.readByte();
    if (type < F64 || type > I32) throw refuseType(window.offset - 1, type);
    if (count > LOCAL_LIMIT - state.localCount)
      throw beyondLimit(
        offset,
        "LOCAL_LIMIT",
        `a function has more than ${LOCAL_LIMIT} parameters and locals`,
      );
    state.locals.fill(type, state.localCount, state.localCount + count);
    state.localCount += count;
    this.#left--;
    if (this.#left === 0) this.#beginCode(window.offset);
  }

  #beginCode(offset: number): void {
    const { state } = this;
    state.budget.beginFunction(state.localCount, state.declarations.types.resultCount(this.#type), offset);
    state.openFrame(FRAME_FUNCTION, this.#type, offset);
    this.#phase = "code";
  }

  #readCode(window: ByteWindow): void {
    const { state } = this;
    const { bytes, base } = window;
    const { operands, locals, localCount } = state;
    const hasMemory = state.declarations.memoryPages >= 0;
    const stop = window.atomLimit;
    let at = window.position;
    let { height, floor } = state;
    while (at < stop) {
      if (height > OPERAND_LIMIT) throw tooManyOperands(base + at);
      const start = at;
      const opcode = bytes[at++] as number;
      const instruction = op.INSTRUCTIONS[opcode] as number;
      const kind = instruction & op.KIND_BITS;
      if (kind === op.KIND_LOCAL_GET) {
        let index = bytes[at++] as number;
        if (index >= 0x80) {
          window.position = at - 1;
          index = window.readUnsigned();
          at = window.position;
        }
        if (index >= localCount) throw at > window.limit ? window.cut() : noLocal(base + start, index);
        operands[height++] = locals[index] as number;
      } else if (kind === op.KIND_I32_CONST) {
        if ((bytes[at++] as number) >= 0x80) {
          window.position = at - 1;
          window.readSigned32();
          at = window.position;
        }
        operands[height++] = I32;
      } else if (kind === op.KIND_PLAIN || kind === op.KIND_ACCESS) {
        if (kind === op.KIND_ACCESS) {
          let alignment = bytes[at++] as number;
          if (alignment >= 0x80) {
            window.position = at - 1;
            alignment = window.readUnsigned();
            at = window.position;
          }
          if (alignment > ((instruction >> op.ALIGNMENT_SHIFT) & op.ALIGNMENT_BITS))
            throw at > window.limit ? window.cut() : misaligned(base + start + 1, alignment);
          if ((bytes[at++] as number) >= 0x80) {
            window.position = at - 1;
            window.readUnsigned();
            at = window.position;
          }
          if (!hasMemory)
            throw at > window.limit ? window.cut() : invalid(base + start, "there is no memory");
        }
        const second = (instruction >> op.SECOND_SHIFT) & op.TYPE_BITS;
        if (second !== 0) {
          if (height > floor && operands[height - 1] === second) height--;
          else {
            if (at > window.limit) throw window.cut();
            state.height = height;
            state.pop(second, base + start);
            height = state.height;
          }
        }
        const first = (instruction >> op.FIRST_SHIFT) & op.TYPE_BITS;
        const result = instruction >> op.RESULT_SHIFT;
        if (height > floor && operands[height - 1] === first) {
          if (result === first) continue; // already in place
          height--;
        } else {
          if (at > window.limit) throw window.cut();
          state.height = height;
          state.pop(first, base + start);
          height = state.height;
        }
        if (result !== 0) operands[height++] = result;
        else if (height === 0) state.budget.callTop = 0;
      } else if (kind === op.KIND_LOCAL_SET || kind === op.KIND_LOCAL_TEE) {
        let index = bytes[at++] as number;
        if (index >= 0x80) {
          window.position = at - 1;
          index = window.readUnsigned();
          at = window.position;
        }
        if (index >= localCount) throw at > window.limit ? window.cut() : noLocal(base + start, index);
        const type = locals[index] as number;
        if (height > floor && operands[height - 1] === type) height--;
        else {
          if (at > window.limit) throw window.cut();
          state.height = height;
          state.pop(type, base + start);
          height = state.height;
        }
        if (kind === op.KIND_LOCAL_TEE) operands[height++] = type;
        else if (height === 0) state.budget.callTop = 0;
      } else {
        state.height = height;
        window.position = at;
        this.#readOther(window, opcode, base + start);
        at = window.position;
        height = state.height;
        floor = state.floor;
        if (this.#phase !== "code") break;
      }
    }
    window.position = at;
    state.height = height;
    if (at > window.limit || (this.#phase === "code" && at === window.limit && window.isContainerSeen))
      throw window.cut();
  }

  #readOther(window: ByteWindow, opcode: number, offset: number): void {
    const { state } = this;
    switch (opcode) {
      case 0x0b:
        this.#end(window, offset);
        break;
      case 0x0d:
        instructions.branch(state, window, opcode, offset);
        break;
      case 0x10:
        instructions.call(state, window, offset);
        break;
      case 0x02:
      case 0x03:
      case 0x04:
        instructions.openBlock(state, window, opcode, offset);
        break;
      case 0x0c:
        this.#branchAway(window, offset);
        break;
      case 0x23:
      case 0x24:
        instructions.accessGlobal(state, window, opcode, offset);
        break;
      case 0x05:
        if (state.deadDepth === state.depth) this.#endDead(offset);
        instructions.elseBlock(state, offset);
        break;
      case 0x1a:
        state.pop(ANY, offset);
        if (state.height === 0) state.budget.callTop = 0;
        break;
      case 0x1b:
        instructions.select(state, offset);
        break;
      case 0x0e:
        this.#beginTargets(window, offset);
        break;
      case 0x0f:
        instructions.returnValues(state, offset);
        this.#beginDead(window);
        break;
      case 0x00:
        state.setUnreachable();
        this.#beginDead(window);
        break;
      case 0x11:
        instructions.callIndirect(state, window, offset);
        break;
      case 0x3f:
      case 0x40:
        instructions.sizeMemory(state, window, opcode, offset);
        break;
      case 0x42:
      case 0x43:
      case 0x44:
        instructions.longConstant(state, window, opcode);
        break;
      case 0xfc:
        instructions.prefixed(state, window, offset);
        break;
      case 0x01:
        break;
      default:
        throw instructions.refuseOpcode(opcode, offset);
    }
  }

  #end(window: ByteWindow, offset: number): void {
    const { state } = this;
    if (state.deadDepth === state.depth) this.#endDead(offset);
    instructions.endBlock(state, offset);
    if (state.depth > 0) return;
    if (window.offset !== window.containerEnd)
      throw invalid(window.offset, "bytes follow the end of a function");
    this.#phase = "done";
  }

  #branchAway(window: ByteWindow, offset: number): void {
    const { state } = this;
    const frame = instructions.branch(state, window, 0x0c, offset);
    if (state.kindAt(frame) === FRAME_LOOP && state.labelCount(frame) > 0)
      this.#grow(LOOP_BRANCH_GROWTH_BYTES);
    this.#beginDead(window);
  }

  #beginTargets(window: ByteWindow, offset: number): void {
    const count = window.readUnsigned();
    if (count > BRANCH_TABLE_LIMIT)
      throw beyondLimit(
        offset,
        "BRANCH_TABLE_LIMIT",
        `a br_table has more than ${BRANCH_TABLE_LIMIT} targets`,
      );
    this.state.pop(I32, offset);
    this.#left = count + 1;
    this.#targetValues = -1;
    this.#phase = "targets";
  }

  #readTarget(window: ByteWindow): void {
    const { state } = this;
    const { offset } = window;
    const frame = state.frameOf(window.readUnsigned(), offset);
    const count = state.labelCount(frame);
    if (this.#targetValues < 0) this.#targetValues = count;
    else if (count !== this.#targetValues)
      throw invalid(offset, "targets of a br_table take different values");
    if (count > 0) state.checkValues(state.labelStart(frame), count, offset);
    if (count > 1 && state.deadDepth === 0) state.budget.addHanded(count, offset);
    this.#left--;
    if (this.#left > 0) return;
    state.setUnreachable();
    this.#beginDead(window);
    this.#phase = "code";
  }

  /** The rest of this block is dead code, which preparing omits. */
  #beginDead(window: ByteWindow): void {
    const { state } = this;
    if (state.height === 0) state.budget.callTop = 0;
    if (state.deadDepth > 0) return;
    state.deadDepth = state.depth;
    this.#deadFrom = window.offset;
  }

  /** Dead code ends, at `else` or `end` of its block. */
  #endDead(offset: number): void {
    this.growth -= offset - this.#deadFrom;
    this.state.deadDepth = 0;
  }

  #grow(byteLength: number): void {
    if (this.state.deadDepth === 0) this.growth += byteLength;
  }
}

function tooManyOperands(offset: number): Error {
  return beyondLimit(offset, "OPERAND_LIMIT", `a function has more than ${OPERAND_LIMIT} operands at a time`);
}

function noLocal(offset: number, index: number): Error {
  return invalid(offset, `there is no local ${index}`);
}

function misaligned(offset: number, alignment: number): Error {
  if (alignment >= 0x40 && alignment < 0x80)
    return unsupported(offset, "multiple memories", "an instruction names its memory");
  return invalid(offset, "the alignment is greater than that of the value");
}
