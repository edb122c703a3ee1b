/** A board's console for the runners: its flash is a copy of the image, in a directory of the run's own. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { BoardUnderTest } from "../hosts/board.js";
import { type EmulatorArguments, MACHINES } from "./arguments.js";

const root = path.join(import.meta.dirname, "../..");

/** One for each run, so that two do not share a flash. */
export const RUN_DIRECTORY = path.join(root, "build/board-tests", String(process.pid));

export function prepareBoard({
  content,
  flash,
  emulator,
  timeoutMs,
  icount,
  uart,
  extra,
}: EmulatorArguments): BoardUnderTest {
  rmSync(RUN_DIRECTORY, { recursive: true, force: true });
  mkdirSync(RUN_DIRECTORY, { recursive: true });
  const file = path.join(RUN_DIRECTORY, "image.bin");
  writeFileSync(file, flash);
  return {
    ...{ ...MACHINES[content.chip], emulator, timeoutMs, icount, uart, extra },
    ...{ flash: file, logs: path.join(RUN_DIRECTORY, "logs"), board: content.app.project },
    // The tests of the runners run our simulator in place of an emulator.
    architecture: process.env["SVC_TEST_ARCHITECTURE"] ?? "xtensa",
  };
}
