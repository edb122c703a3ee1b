/**
 * The recorded session: a console says what the recording has it say, byte for byte but for what is masked. So a change
 * of any answer is seen in a diff, and what two engines say is compared with the same text.
 *
 * `npm run record` writes the recording anew (docs/spec/conventions.md#stable-names).
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startAppConsole } from "../../hosts/app-console.js";
import { askHeap } from "../../hosts/heap-report.js";
import type { Console } from "../../hosts/simulator.js";
import { replaySession, SESSION_FLAGS } from "../../sessions/replay.js";

const RECORDING = path.join(import.meta.dirname, "../../sessions/recording.txt");

/** Reports the heap in use to the test runner (host-tests/moddable/run.ts). */
async function noteHeap(console: Console): Promise<void> {
  const heap = await askHeap(console);
  expect(heap.live_bytes).toBeLessThan(heap.total_bytes);
  expect(heap.slot_bytes + heap.chunk_bytes + heap.stack_bytes).toBeGreaterThanOrEqual(heap.live_bytes);
  const file = process.env["SVC_TEST_FIGURES"];
  if (file === undefined) return;
  expect(heap.peak_stack_bytes).toBeGreaterThan(0);
  expect(heap.peak_stack_bytes).toBeLessThan(heap.stack_bytes);
  writeFileSync(file, JSON.stringify(heap));
}

test("a console's answers match the recording", async () => {
  // Without its roles the log warns of the key, whenever the console comes to look at it.
  const roles = "# roles: app, firmware, hub, native\n";
  const console = await startAppConsole({ flags: SESSION_FLAGS, roles });
  try {
    await expect(await replaySession(console, console.publisher)).toMatchFileSnapshot(RECORDING);
    await noteHeap(console);
  } finally {
    await console.stop();
  }
});
