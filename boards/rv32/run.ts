/**
 * `npm run board:rv32`: builds the console for RV32IMAC, plays the session to it in QEMU, and prints its cost beside
 * the budgets. `-- --json` prints the figures instead, and `-- --update` accepts them: writes them to
 * host-tests/bench/rv32.json, with which `npm run test:all` compares.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { replaceFile } from "../../tools/files.js";
import { missingPackages } from "./builder/toolchain.js";
import { buildAndMeasure } from "./session/measure.js";
import { boardTables, textOf } from "./session/tables.js";

const RECORD = path.join(import.meta.dirname, "../../host-tests/bench/rv32.json");
const USAGE = "usage: npm run board:rv32 [-- --json | --update]";

function readArguments() {
  try {
    return parseArgs({ options: { json: { type: "boolean" }, update: { type: "boolean" } } }).values;
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n${USAGE}`, 2);
  }
}

function fail(text: string, status: number): never {
  process.stderr.write(`board:rv32: ${text}\n`);
  process.exit(status);
}

async function main(): Promise<void> {
  const { json = false, update = false } = readArguments();
  const missing = missingPackages();
  if (missing.length > 0)
    fail(`these packages of Debian are missing: apt-get install ${missing.join(" ")}`, 1);
  const board = await buildAndMeasure().catch((error) => fail(error.message, 1));
  const text = `${JSON.stringify(board, undefined, 2)}\n`;
  if (update) await replaceFile(RECORD, text);
  process.stdout.write(json ? text : textOf(boardTables(board)));
}

await main();
