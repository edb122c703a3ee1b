/** Invented figures of a board, for tests of their evaluation. */
import type { BoardFigures, BoardStep } from "../../../../boards/rv32/session/figures.js";

const STEPS = ["first-picture", "boot", "idle", "status-http-in-turn", "status-usb", "upload-chunks"];

const boardStep = (step: string, fields: Partial<BoardStep> = {}): BoardStep => ({
  step,
  unit: "request",
  units: 1,
  instructions: 1_000_000,
  needed: 50_000,
  slots: 30_000,
  chunks: 12_000,
  stack: 4_000,
  cStack: 3_000,
  heap: 20_000,
  ...fields,
});

/** One that pays for each request what its budget is, of a step that `fields` may make dearer. */
export function boardFigures(name = "", fields: Partial<BoardStep> = {}): BoardFigures {
  const steps = [
    ...STEPS.map((step) => boardStep(step, { units: 10 })),
    boardStep("refuse-unsigned", { bytes: 100, instructions: 400_000 }),
    boardStep("refuse-small", { bytes: 100, instructions: 1_000_000 }),
    boardStep("install-small", { bytes: 100, instructions: 3_000_000 }),
    boardStep("refuse-large", { bytes: 10_100, instructions: 1_500_000 }),
    boardStep("install-large", { bytes: 10_100, instructions: 5_500_000 }),
    boardStep("home-still", { units: 2, instructions: 500_000 }),
    boardStep("home-cursor", { units: 2, instructions: 1_000_000 }),
  ].map((step) => (step.step === name ? { ...step, ...fields } : step));
  const flash = {
    engine: 400_000,
    interpreter: 70_000,
    libraries: 30_000,
    program: 300_000,
    sandbox: 20_000,
    host: 40_000,
  };
  return { flash, steps };
}
