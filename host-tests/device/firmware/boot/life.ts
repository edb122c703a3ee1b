/**
 * Program of the power-cut tests, built as old and as new firmware. It runs the phase named by `--config PHASE=…`. New
 * firmware is in the file `next.img`.
 */
import files from "embedded:storage/files";
import slots from "svc/firmware-slots";
import config from "svc/host";
import system from "svc/system";
import { stageFile } from "./stage-file.js";

type Name = "old" | "new";

export interface LifeReport {
  readonly name: Name;
  readonly running: string;
  readonly resetReason: string;
  readonly record: ReturnType<typeof slots.record>;
}

/** One run of each phase; returns false when the phase is complete. */
const PHASES: Readonly<Record<string, (name: Name) => boolean>> = Object.freeze({
  /** Ends in the new firmware, from any state. */
  update(name) {
    if (slots.record().phase === "trial") slots.confirm();
    else if (name === "old") stageFile(files, slots, "next.img");
    else return false;
    return true;
  },
  /** Ends in the old firmware, after one trial and one dropped image. */
  rollback() {
    const { phase, trials } = slots.record();
    if (phase === "trial") return true;
    if (trials < 2) stageFile(files, slots, "next.img");
    if (trials > 0) slots.open().close();
    return trials === 0;
  },
  report(name) {
    const { running } = slots;
    const report: LifeReport = { name, running, resetReason: system.resetReason, record: slots.record() };
    trace(`${JSON.stringify(report)}\n`);
    return false;
  },
});

export function live(name: Name): void {
  if (PHASES[String(config.options?.["PHASE"])]?.(name)) system.restart();
  else trace("done\n");
}
