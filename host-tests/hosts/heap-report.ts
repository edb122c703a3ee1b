/** The heap figures that a console prints on request (simulator/README.md). */
import type { Console } from "./simulator.js";

/** In bytes. */
export interface HeapReport {
  readonly live_bytes: number;
  /**
   * Parts of the live bytes: slots, chunks, and the whole stack, used or not. The SDK's instrumentation counts the
   * same way.
   */
  readonly slot_bytes: number;
  readonly chunk_bytes: number;
  readonly stack_bytes: number;
  /** Bytes that XS has taken for slots, free ones included; XS never releases them. */
  readonly slot_room_bytes: number;
  /** Peaks count since the previous report. */
  readonly peak_live_bytes: number;
  /** Most stack bytes in use. With the SDK, only an instrumented build counts this; other builds report 0. */
  readonly peak_stack_bytes: number;
  /** Peak of live bytes after a collection; counted only on `m32` with `SVC_SIM_COLLECT_EVERY`. */
  readonly peak_needed_bytes: number;
  readonly total_bytes: number;
}

/** Requests a heap report: the heap use beyond the preloaded program. Resets the peaks. */
export async function askHeap(console: Console): Promise<HeapReport> {
  const from = console.stderr.length;
  process.kill(console.pid, "SIGUSR1");
  const line = await console.waitForLine(/^console: heap \{/, from);
  return JSON.parse(line.slice(line.indexOf("{")));
}
