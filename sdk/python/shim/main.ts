/**
 * The entry of a script app: gives MicroPython the memory that there is and has it run `svc.py`, which runs the script.
 *
 * The compiler's own memory would lie over MicroPython's, so nothing in here has static data: what is needed comes
 * from MicroPython's `malloc`.
 */
import { raw } from "svc";
import { exitCode, openFunctions, textLength } from "./functions";
import { flushLines, openLines } from "./lines";
import {
  __start_em_js,
  __wasm_call_ctors,
  emscripten_stack_get_current,
  free,
  malloc,
  mp_js_do_exec,
  mp_js_init,
  proxy_c_init,
} from "./micropython";

export * from "./absent";
export * from "./functions";
export * from "./garbage";
export * from "./lines";
export * from "./time";

/** Words of the stack of Python's frames. */
const FRAME_WORDS: i32 = 2048;
/** Of the engine's stacks (`stack_left`), and of the one in memory, which ends at address 0. */
const ENGINE_MARGIN_BYTES: i32 = 4096;
const MEMORY_MARGIN_BYTES: usize = 12 * 1024;
/** Kept for `malloc`: the table of the console's functions, and texts of exceptions. */
const RESERVE_BYTES: i32 = 4096;
/** Steps in which the size of the heap is found. */
const STEP_BYTES: i32 = 4096;

export function main(): i32 {
  __wasm_call_ctors();
  while (memory.grow(1) >= 0) {}
  openLines();
  openFunctions();
  const reserve = malloc(RESERVE_BYTES);
  const result = malloc(16);
  mp_js_init(FRAME_WORDS, largestHeap());
  free(reserve);
  proxy_c_init();
  mp_js_do_exec(__start_em_js, textLength(__start_em_js), result);
  flushLines();
  return exitCode();
}

/** Bytes that one `malloc` can have beside the stack of frames. */
function largestHeap(): i32 {
  const frames = malloc(FRAME_WORDS * 4);
  let bytes = memory.size() << 16;
  let found: usize = 0;
  while (!found && bytes > STEP_BYTES) {
    bytes -= STEP_BYTES;
    found = malloc(bytes);
  }
  free(found);
  free(frames);
  return bytes;
}

export function emscripten_resize_heap(_bytes: i32): i32 {
  return 0; // `main` has taken all that there is
}

/** Whether recursion is to end, while there is stack for what does not look. */
export function is_stack_low(): bool {
  return raw.stack_left() < ENGINE_MARGIN_BYTES || emscripten_stack_get_current() < MEMORY_MARGIN_BYTES;
}
