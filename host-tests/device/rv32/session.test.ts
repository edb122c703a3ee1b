/** The session that a board on RV32 is played gets from a console in the simulator what it has to get. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "vitest";
import { makeSessionFiles } from "../../../rv32/session/files.js";
import { TRUSTED_KEYS } from "../../../rv32/session/publisher.js";
import { sessionSteps } from "../../../rv32/session/session.js";
import { checkTranscript } from "../../../rv32/session/transcript.js";
import { startConsole } from "../../hosts/simulator.js";
import { playSteps } from "./play-steps.js";

test("a console in the simulator says to the session what a board has to say", async () => {
  const state = mkdtempSync(path.join(tmpdir(), "console-"));
  const keys = path.join(state, "lfs/hub/trusted_keys.pem");
  mkdirSync(path.dirname(keys), { recursive: true });
  writeFileSync(keys, TRUSTED_KEYS);
  const console = await startConsole({ state });
  try {
    const steps = sessionSteps(await makeSessionFiles("simulator"));
    checkTranscript(steps, await playSteps(console, steps));
  } finally {
    await console.stop();
    rmSync(state, { recursive: true, force: true });
  }
});
