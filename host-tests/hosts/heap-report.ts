/** The heap figures that a console prints on request (simulator/README.md). */
import type { Console } from "./simulator.js";

/** In bytes. */
export interface HeapReport {
  readonly live_bytes: number;
  /** Of which there are slots, chunks, and the stack, used or not: what the SDK's instrumentation counts too. */
  readonly slot_bytes: number;
  readonly chunk_bytes: number;
  readonly stack_bytes: number;
  /** Bytes that XS has taken for slots, free ones included; XS never releases them. */
  readonly slot_room_bytes: number;
  /** Since this was asked last, as are the others that begin so. */
  readonly peak_live_bytes: number;
  /** Of the stack, the most that was in use; with the SDK an instrumented build alone counts it, and others say 0. */
  readonly peak_stack_bytes: number;
  /** Peak of live bytes after a collection; counted only on `m32` with `SVC_SIM_COLLECT_EVERY`. */
  readonly peak_needed_bytes: number;
  readonly total_bytes: number;
}

/** Of what the heap holds beyond the program. Begins a new count of peaks. */
export async function askHeap(console: Console): Promise<HeapReport> {
  const from = console.stderr.length;
  process.kill(console.pid, "SIGUSR1");
  const line = await console.waitForLine(/^console: heap \{/, from);
  return JSON.parse(line.slice(line.indexOf("{")));
}
