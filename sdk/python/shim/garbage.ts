/**
 * In place of MicroPython's `gc_collect`, which waits until the script has ended. MicroPython marks what its own roots
 * lead to; this marks what the stack in memory leads to. Every pointer that a function holds in a local is there too
 * (garbage-collection.ts). The heap is one area (py/gc.c).
 */
import {
  emscripten_stack_get_base,
  emscripten_stack_get_current,
  gc_area,
  gc_collect_end,
  gc_collect_start,
  gc_mark_subtree,
} from "./micropython";

/** Offsets in `mp_state_mem_area_t`. */
const ALLOCATION_TABLE: usize = 4;
const POOL_START: usize = 16;
const POOL_END: usize = 20;

const BLOCK_BYTES: usize = 16;
/** Of a block, in two bits of the table. */
const HEAD: u8 = 1;
const MARK: u8 = 3;

export function collect_garbage(): void {
  gc_collect_start();
  const base = emscripten_stack_get_base();
  for (let at = emscripten_stack_get_current() & ~3; at < base; at += 4) markFrom(load<usize>(at));
  gc_collect_end();
}

/** Marks what a word leads to, if it is the address of something in the heap that is not marked. */
function markFrom(word: usize): void {
  const start = load<usize>(gc_area, POOL_START);
  if (word % BLOCK_BYTES !== 0 || word < start || word >= load<usize>(gc_area, POOL_END)) return;
  const block = (word - start) / BLOCK_BYTES;
  const entry = load<usize>(gc_area, ALLOCATION_TABLE) + block / 4;
  const shift = u8((block % 4) * 2);
  const kinds = load<u8>(entry);
  if (((kinds >> shift) & MARK) !== HEAD) return;
  store<u8>(entry, kinds | (MARK << shift));
  gc_mark_subtree(gc_area, block);
}
