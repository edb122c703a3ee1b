/**
 * Has MicroPython collect garbage while a script runs. As it comes, it waits until no Python runs any more, for it cannot
 * see the pointers that functions hold in locals of WebAssembly; a script with a loop would use up its memory.
 *
 * binaryen's pass `spill-pointers` stores these on the stack in memory around each call. Then the stack, which the shim
 * scans (`collect_garbage`), has them all.
 */
import binaryen from "binaryen";
import { found, type MicroPython, UnknownModuleError } from "./micropython-module.js";

/** Exports what the shim needs to collect, and has MicroPython call it. */
export function collectWhileRunning(micropython: MicroPython): void {
  const { module } = micropython;
  // mp_js_repl_process_char ends with external_call_depth_dec, which collects where it is the outermost call:
  // if (--depth == 0 && is_pending) { is_pending = false; gc_collect_start(); gc_collect_end(); }
  const finish = lastCall(micropython, micropython.exportNamed("mp_js_repl_process_char"));
  const [, pending, start = "", end = ""] = found(
    /\(i32\.store8 offset=(\d+) \(i32\.const 0\) \(i32\.const 0\)\) \(call \$(\w+)\) \(call \$(\w+)\)/.exec(
      micropython.textOf(finish),
    ) ?? undefined,
    "external_call_depth_dec",
  );
  // It marks what the roots lead to: gc_mark_subtree(area, block), with the address of the first area in its code.
  const mark = lastCall(micropython, start);
  const [, state, area] = found(
    /\(i32\.add \(i32\.const (\d+)\) \(i32\.const (\d+)\)\)/.exec(micropython.textOf(mark)) ?? undefined,
    "gc_mark_subtree",
  );
  // gc_collect: is_pending = true
  const collect = only(
    micropython.functionsLike(
      new RegExp(`^\\(i32\\.store8 offset=${pending} \\(i32\\.const 0\\) \\(i32\\.const 1\\)\\)$`),
    ),
    "gc_collect",
  );
  module.addFunctionExport(start, "gc_collect_start");
  module.addFunctionExport(mark, "gc_mark_subtree");
  module.addFunctionExport(end, "gc_collect_end");
  module.addGlobal("gc_area", binaryen.i32, false, module.i32.const(Number(state) + Number(area)));
  module.addGlobalExport("gc_area", "gc_area");
  module.addFunctionImport("collect_garbage", "env", "collect_garbage", binaryen.none, binaryen.none);
  micropython.define(collect, module.call("collect_garbage", [], binaryen.none));
  // gc_get_max_new_split: the heap has all memory from the start, and is one area.
  const split = only(micropython.functionsLike(/^\(i32\.const 134217728\)$/), "gc_get_max_new_split");
  micropython.define(split, module.i32.const(0));
}

function lastCall(micropython: MicroPython, name: string): string {
  return found([...micropython.textOf(name).matchAll(/\(call \$(\w+)/g)].at(-1)?.[1], `a call in ${name}`);
}

function only(names: readonly string[], what: string): string {
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw new UnknownModuleError(
      `Cannot find ${what} in MicroPython's module: ${names.length} functions are like it`,
    );
  return name;
}
