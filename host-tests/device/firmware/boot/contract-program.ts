/**
 * Runs the contract of the slots on XS, over the simulator's own, and traces a line of JSON a case. The cases of
 * a trial have one each: the test leaves this program's image in the file `next.img`, which is staged again and
 * again, so that it runs in either slot in turn.
 */
import files from "embedded:storage/files";
import keyValue from "embedded:storage/key-value";
import slots from "svc/firmware-slots";
import system from "svc/system";
import type { ContractCase } from "../../../contracts/assert.js";
import { FIRMWARE_SLOTS_CONTRACT, FIRMWARE_TRIAL_CONTRACT } from "../../../contracts/firmware-slots.js";
import { stageFile } from "./stage-file.js";

type Case = ContractCase<typeof slots>;

/** Where the number of the next trial's case is kept. */
const KEY = "next";
const settings = () => keyValue.open({ path: "svc/test", format: "string" });

async function runCase(suite: string, { name, run }: Case): Promise<void> {
  let problem: string | undefined;
  try {
    await run(slots);
  } catch (error) {
    problem = String(error);
  }
  trace(`${JSON.stringify({ suite, name, problem })}\n`);
}

async function runTrial(number: number): Promise<void> {
  const trial = FIRMWARE_TRIAL_CONTRACT[number];
  if (trial) await runCase("trial", trial);
  settings().write(KEY, String(number + 1));
}

export default async function main(): Promise<void> {
  const next = settings().read(KEY);
  if (slots.record().phase === "trial") await runTrial(Number(next));
  else if (next === undefined) {
    for (const settled of FIRMWARE_SLOTS_CONTRACT) {
      slots.open().close();
      await runCase("settled", settled);
    }
    settings().write(KEY, "0");
  } else if (Number(next) === FIRMWARE_TRIAL_CONTRACT.length) {
    trace("done\n");
    return;
  } else stageFile(files, slots, "next.img");
  system.restart();
}
