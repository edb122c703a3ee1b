/** The whole home screen, and how much of its memory is left after its start. */
import { main as run } from "../../../../device/home/app/main";

export function main(): i32 {
  return run();
}

export function freeBytes(): i32 {
  return i32((usize(memory.size()) << 16) - heap.alloc(1));
}
