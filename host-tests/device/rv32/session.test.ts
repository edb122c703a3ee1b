/**
 * The session that a board on RV32 is played: a console in the simulator says what has to be said to it, and a board says
 * the same, but for what is masked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { makeSessionFiles } from "../../../boards/rv32/session/files.js";
import { buildSession, firmwareOptions } from "../../../boards/rv32/session/measure.js";
import { playSession } from "../../../boards/rv32/session/play.js";
import type { Step } from "../../../boards/rv32/session/script.js";
import { sessionSteps } from "../../../boards/rv32/session/session.js";
import { type Answers, checkTranscript } from "../../../boards/rv32/session/transcript.js";
import { buildFirmware } from "../../../engine/program/firmware.js";
import { isMissing } from "../../hosts/peers.js";
import { startConsole } from "../../hosts/simulator.js";
import { masked } from "../../sessions/masks.js";
import { playSteps } from "./play-steps.js";

/** A thousand answers to the same question tell no more than these. */
const ROUNDS = 3;

/** There may be all of the board's engine to compile, while other tests run. */
const BUILD_LIMIT_MS = 600_000;

const fewer = (steps: readonly Step[]): Step[] =>
  steps.map((step) => ({ ...step, count: Math.min(step.count, ROUNDS) }));

/** With the keys of the session, as a board has them: in its firmware. */
async function simulatorAnswers(): Promise<Answers> {
  const directory = mkdtempSync(path.join(tmpdir(), "console-"));
  const image = await buildFirmware(path.join(directory, "console.img"), await firmwareOptions());
  const console = await startConsole({ image });
  try {
    const steps = fewer(sessionSteps(await makeSessionFiles("simulator")));
    return checkTranscript(steps, await playSteps(console, steps));
  } finally {
    await console.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function boardAnswers(): Promise<Answers> {
  const { board, steps } = await buildSession();
  return (await playSession(board.elf, fewer(steps))).answers;
}

/** Addresses are those of another network, and lengths those of texts that are masked. */
const comparable = (answers: Answers): [string, string[]][] =>
  [...answers].map(([step, texts]) => [
    step,
    texts.map((text) =>
      masked(text)
        .replace(/^content-length: [0-9]+/m, "content-length: <length>")
        .replace(/"wifi_ip":"[0-9.]+","wifi_rssi":-?[0-9]+/, '"wifi_ip":"<address>","wifi_rssi":<rssi>'),
    ),
  ]);

test("the simulator plays the session", simulatorAnswers);

test.skipIf(isMissing("rv32"))(
  "a board on RV32 gives the same answers as the simulator",
  async () => {
    const [simulated, onBoard] = [await simulatorAnswers(), await boardAnswers()];
    expect(comparable(onBoard)).toEqual(comparable(simulated));
  },
  BUILD_LIMIT_MS,
);
