/**
 * `npm run test:board -- --flash IMAGE --qemu PATH`: runs the firmware of a board in an emulator of its chip, and on it
 * the tests that the console in our own simulator passes, over HTTP, the WebSocket and the management port (suites.ts).
 * First it starts one console alone, so that an image that does not start is reported once, with its log.
 *
 * Exit status 0: nothing failed. 1: a test failed, or the console did not start. 2: wrong usage.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import { NATIVE_TARGETS } from "../../sdk/builder/native/architectures.js";
import { BOARD_VARIABLE, type BoardUnderTest, startBoardConsole } from "../hosts/board.js";
import { runSuites } from "../run-suites.js";
import { type BoardArguments, MACHINES, readArguments, USAGE } from "./arguments.js";
import { RUN_DIRECTORY, runBoardProgram } from "./program.js";
import { chooseSuites, type Need, type Skip } from "./suites.js";

/** Of a test that waits for the board, beside the time that the board may take to start. */
const TEST_LIMIT_MS = 180_000;

/** @throws {Error} if the console does not start, or is another one than the image's */
async function startOnce(board: BoardUnderTest): Promise<void> {
  const began = performance.now();
  const console = await startBoardConsole({}, board);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  try {
    const answer = await fetch(`${console.http}/api/system`);
    const { board: name } = (await answer.json()) as { board: string };
    if (name !== board.board)
      throw new Error(`The image of the flash is for the board "${board.board}", the console is a "${name}"`);
    say(`"${console.name}" answers after ${seconds} s`);
  } finally {
    await console.stop();
  }
}

function report(skips: readonly Skip[]): void {
  for (const { file, test, reason } of skips)
    say(
      `skipped: ${path.basename(path.dirname(file))}/${path.basename(file, ".test.ts")}${test ? `, "${test}"` : ""}: ${reason}`,
    );
}

/** Of boards, an ESP32 alone runs machine code. */
function whatIsThere({ key }: BoardArguments, { machine, architecture }: BoardUnderTest): readonly Need[] {
  if (key === undefined) return [];
  const compiler = NATIVE_TARGETS[architecture as VariantArchitecture]?.compiler;
  const isCompiled = compiler !== undefined && spawnSync(compiler, ["--version"]).status === 0;
  return isCompiled && machine === MACHINES.esp32.machine ? ["key", "machine code"] : ["key"];
}

function play(wanted: BoardArguments, board: BoardUnderTest): boolean {
  const { suites, skips, pattern } = chooseSuites(wanted.files, whatIsThere(wanted, board));
  if (suites.length === 0) {
    report(skips);
    return true;
  }
  const limitMs = TEST_LIMIT_MS + board.timeoutMs;
  const { passed, failed, skipped, isFine } = runSuites({
    suites,
    environment: { [BOARD_VARIABLE]: JSON.stringify({ ...board, key: wanted.key }) },
    results: path.join(RUN_DIRECTORY, "results.json"),
    flags: [
      "--no-file-parallelism", // an emulator takes a processor for itself, and more of them miss each other's limits
      `--testTimeout=${limitMs}`,
      `--hookTimeout=${limitMs}`,
      ...(pattern === undefined ? [] : [`--testNamePattern=${pattern}`]),
    ],
  });
  report(skips);
  say(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return isFine;
}

function say(text: string): void {
  process.stdout.write(`test:board: ${text}\n`);
}

await runBoardProgram({
  name: "test:board",
  usage: USAGE,
  read: readArguments,
  run: async (wanted, board) => {
    await startOnce(board);
    return play(wanted, board);
  },
});
