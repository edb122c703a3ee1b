/**
 * Makes `setjmp` and `longjmp` ordinary code. MicroPython raises exceptions with them, and its module leaves both to
 * JavaScript: it calls functions that may jump through imports, `invoke_…`, and jumps by an import that throws.
 *
 * Here a jump sets a global, and every function that finds it set after a call returns at once, until a former
 * `invoke_…` finds it. That is done where the global can be set: after calls of functions that may jump. So the engine
 * needs nothing of its own for it, and an exception takes no native stack. (A protected call in the engine would enter
 * the interpreter anew for each operation of Python within `try`, and for each call of a function.)
 *
 * The module is flat when this runs (binaryen's pass `flatten`): a call is a statement, or the value of a `local.set`
 * or a `drop`, and its operands are constants and locals.
 */
import binaryen from "binaryen";
import { Block, Call, Drop, If, LocalSet, Loop } from "./binaryen-parts.js";
import { type MicroPython, STACK_POINTER } from "./micropython-module.js";

const JUMPING = "is_jumping";
const THROW = "_emscripten_throw_longjmp";
/** Stands for all functions of the table, in the graph of calls. */
const INDIRECT = Symbol("call_indirect");
type Callee = string | typeof INDIRECT;

export function replaceLongJumps(micropython: MicroPython): void {
  const { module } = micropython;
  const jumping = findJumping(micropython);
  module.addGlobal(JUMPING, binaryen.i32, true, module.i32.const(0));
  for (const name of micropython.ownFunctions()) new Replacement(micropython, jumping, name).run();
  micropython.define(micropython.importNamed(THROW), module.global.set(JUMPING, module.i32.const(1)));
}

/** The functions that a jump can leave, and all indirect calls. What `invoke_…` calls does not go further. */
function findJumping(micropython: MicroPython): ReadonlySet<Callee> {
  const callees = new Map(micropython.ownFunctions().map((name) => [name, calleesOf(micropython, name)]));
  const jumping = new Set<Callee>([micropython.importNamed(THROW), INDIRECT]);
  for (let size = 0; size !== jumping.size; ) {
    size = jumping.size;
    for (const [name, called] of callees) if (called.some((callee) => jumping.has(callee))) jumping.add(name);
  }
  return jumping;
}

function calleesOf(micropython: MicroPython, name: string): Callee[] {
  const callees: Callee[] = [];
  const visit = (statement: number) => {
    const call = callIn(statement);
    if (call) callees.push(calleeOf(call));
    else for (const child of childrenOf(statement)) visit(child);
  };
  visit(binaryen.getFunctionInfo(micropython.module.getFunction(name)).body);
  return callees;
}

/** The call that a statement consists of; 0 where there is none. */
function callIn(statement: number): number {
  switch (binaryen.getExpressionId(statement)) {
    case binaryen.CallId:
    case binaryen.CallIndirectId:
      return statement;
    case binaryen.LocalSetId:
      return callIn(LocalSet.getValue(statement));
    case binaryen.DropId:
      return callIn(Drop.getValue(statement));
    default:
      return 0;
  }
}

function calleeOf(call: number): Callee {
  return binaryen.getExpressionId(call) === binaryen.CallId ? Call.getTarget(call) : INDIRECT;
}

/** Statements in a statement. */
function childrenOf(statement: number): number[] {
  switch (binaryen.getExpressionId(statement)) {
    case binaryen.BlockId:
      return Array.from({ length: Block.getNumChildren(statement) }, (_, index) =>
        Block.getChildAt(statement, index),
      );
    case binaryen.LoopId:
      return [Loop.getBody(statement)];
    case binaryen.IfId:
      return [If.getIfTrue(statement), If.getIfFalse(statement)].filter(Boolean);
    default:
      return [];
  }
}

/** One function. */
class Replacement {
  private readonly micropython: MicroPython;
  private readonly jumping: ReadonlySet<Callee>;
  private readonly info: binaryen.FunctionInfo;
  /** Local that keeps the stack pointer during a protected call: the one after all others. */
  private readonly stackLocal: number;
  private hasProtectedCalls = false;

  constructor(micropython: MicroPython, jumping: ReadonlySet<Callee>, name: string) {
    this.micropython = micropython;
    this.jumping = jumping;
    this.info = binaryen.getFunctionInfo(micropython.module.getFunction(name));
    this.stackLocal = binaryen.expandType(this.info.params).length + this.info.vars.length;
  }

  run(): void {
    const { name, params, results, vars } = this.info;
    const body = this.replace(this.info.body);
    const { module } = this.micropython;
    module.removeFunction(name);
    module.addFunction(name, params, results, this.hasProtectedCalls ? [...vars, binaryen.i32] : vars, body);
  }

  /** @returns what stands in place of the statement */
  private replace(statement: number): number {
    const call = callIn(statement);
    if (!call) {
      this.replaceChildren(statement);
      return statement;
    }
    const callee = calleeOf(call);
    if (typeof callee === "string" && this.micropython.importName(callee)?.startsWith("invoke_"))
      return this.protect(statement, call);
    return this.jumping.has(callee) ? this.followedBy(statement, this.leave()) : statement;
  }

  private replaceChildren(statement: number): void {
    switch (binaryen.getExpressionId(statement)) {
      case binaryen.BlockId:
        for (const [index, child] of childrenOf(statement).entries())
          Block.setChildAt(statement, index, this.replace(child));
        break;
      case binaryen.LoopId:
        Loop.setBody(statement, this.replace(Loop.getBody(statement)));
        break;
      case binaryen.IfId: {
        If.setIfTrue(statement, this.replace(If.getIfTrue(statement)));
        const otherwise = If.getIfFalse(statement);
        if (otherwise) If.setIfFalse(statement, this.replace(otherwise));
      }
    }
  }

  /** `statement`, and then, while a jump is on its way, `jump`. */
  private followedBy(statement: number, jump: number): number {
    const { module } = this.micropython;
    return module.block(null, [statement, module.if(module.global.get(JUMPING, binaryen.i32), jump)]);
  }

  /** Returns whatever there is to return: no caller looks at it. */
  private leave(): number {
    const { module } = this.micropython;
    switch (this.info.results) {
      case binaryen.none:
        return module.return();
      case binaryen.i32:
        return module.return(module.i32.const(0));
      case binaryen.i64:
        return module.return(module.i64.const(0, 0));
      default:
        return module.return(module.f64.const(0));
    }
  }

  /** Here jumps end. MicroPython's code behind the call asks its own variables whether there was one. */
  private protect(statement: number, call: number): number {
    const { module } = this.micropython;
    const { operands } = binaryen.getExpressionInfo(call) as binaryen.CallInfo;
    const [index = 0, ...values] = operands;
    const target = this.micropython.tableEntry(index);
    const result = binaryen.getExpressionType(call);
    const inner = target
      ? module.call(target, values, result)
      : module.call_indirect(this.micropython.table, index, values, typeOf(values), result);
    const replaced = withCall(statement, inner);
    if (target && !this.jumping.has(target)) return replaced;
    this.hasProtectedCalls = true;
    return module.block(null, [
      module.local.set(this.stackLocal, module.global.get(STACK_POINTER, binaryen.i32)),
      this.followedBy(
        replaced,
        module.block(null, [
          module.global.set(JUMPING, module.i32.const(0)),
          module.global.set(STACK_POINTER, module.local.get(this.stackLocal, binaryen.i32)),
        ]),
      ),
    ]);
  }
}

function typeOf(values: readonly number[]): number {
  return binaryen.createType(values.map(() => binaryen.i32));
}

/** The statement with another call in it. */
function withCall(statement: number, call: number): number {
  switch (binaryen.getExpressionId(statement)) {
    case binaryen.LocalSetId:
      LocalSet.setValue(statement, call);
      return statement;
    case binaryen.DropId:
      Drop.setValue(statement, call);
      return statement;
    default:
      return call;
  }
}
