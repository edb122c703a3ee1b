/** What the runners share: their command line, their messages, and a board whose flash is a copy of the image. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CHIPS } from "../../tools/flash/esp-image.js";
import type { BoardUnderTest } from "../hosts/board.js";
import { type EmulatorArguments, MACHINES } from "./arguments.js";

const root = path.join(import.meta.dirname, "../..");

/** One for each run, so that two do not share a flash. */
export const RUN_DIRECTORY = path.join(root, "build/board-tests", String(process.pid));

interface Runner<Arguments extends EmulatorArguments> {
  /** Begins each message. */
  readonly name: string;
  readonly usage: string;
  /** @throws {Error} that names the invalid argument */
  read(words: readonly string[], environment: NodeJS.ProcessEnv): Arguments;
  /** @returns whether nothing failed @throws {Error} if the board does not do what it must */
  run(wanted: Arguments, board: BoardUnderTest): Promise<boolean>;
}

/** Runs on this process's command line. Exit status 0: nothing failed. 1: something did. 2: wrong usage. */
export async function runBoardProgram<Arguments extends EmulatorArguments>(
  runner: Runner<Arguments>,
): Promise<void> {
  const { name, usage, read, run } = runner;
  const fail = (status: number, text: string) => {
    process.stderr.write(`${name}: ${text}\n`);
    process.exitCode = status;
  };
  const words = process.argv.slice(2);
  if (words[0] === "--help") return void process.stdout.write(`${usage}\n`);
  let wanted: Arguments;
  try {
    wanted = read(words, process.env);
  } catch (error) {
    return fail(2, `${(error as Error).message}\n${usage}`);
  }
  const board = prepareBoard(wanted);
  const { chip, app } = wanted.content;
  const logs = path.relative("", board.logs);
  process.stdout.write(
    `${name}: ${app.project} ${app.version} for the ${CHIPS[chip].family}; boot logs in ${logs}\n`,
  );
  try {
    if (!(await run(wanted, board))) process.exitCode = 1;
  } catch (error) {
    fail(1, (error as Error).message);
  } finally {
    rmSync(board.flash, { force: true });
  }
}

function prepareBoard({
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
    ...MACHINES[content.chip],
    emulator,
    timeoutMs,
    icount,
    uart,
    extra,
    flash: file,
    logs: path.join(RUN_DIRECTORY, "logs"),
    board: content.app.project,
    // The tests of the runners run our simulator in place of an emulator.
    architecture: process.env["SVC_TEST_ARCHITECTURE"] ?? "xtensa",
  };
}
