/**
 * The recorded session: a console says what the recording has it say, byte for byte but for what is masked. So a change
 * of any answer is seen in a diff, and what two engines say is compared with the same text.
 *
 * `npm run record` writes the recording anew.
 */
import path from "node:path";
import { expect, test } from "vitest";
import { startAppConsole } from "../../hosts/app-console.js";
import { replaySession, SESSION_FLAGS } from "../../sessions/replay.js";

const RECORDING = path.join(import.meta.dirname, "../../sessions/recording.txt");

test("a console says what was recorded", async () => {
  const console = await startAppConsole({ flags: SESSION_FLAGS });
  try {
    await expect(await replaySession(console, console.publisher)).toMatchFileSnapshot(RECORDING);
  } finally {
    await console.stop();
  }
});
