/** `npm run board:check` for a user who gives it something else than it needs, and the options that facts need. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../../../boards/board-manifest.js";
import { BOARD_NAMES, BOARDS, ethernetNames } from "../../../../boards/boards.js";
import { CHIPS } from "../../../../boards/check/facts/fact.js";
import { HEADERS } from "../../../../boards/check/facts/facts.js";
import { settingsFiles } from "../../../../boards/esp-idf/builder/target.js";

const directory = mkdtempSync(path.join(tmpdir(), "board-check-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = path.join(directory, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

const idfOf = (name: string, major: number, minor: number) =>
  folderWith(name, {
    "tools/cmake/version.cmake": `set(IDF_VERSION_MAJOR ${major})\nset(IDF_VERSION_MINOR ${minor})\n`,
    "components/log/include/esp_log.h": "",
  });

const EMPTY = folderWith("empty", {});
const CONFIG = folderWith("config", { "sdkconfig.h": "" });
const IDF = idfOf("idf", 6, 0);
const OLD = idfOf("old", 4, 4);
const BIN = folderWith("bin", { text: "", silent: "#!/bin/sh\necho 'out of memory' >&2\nexit 4\n" });
const [NO_PROGRAM, SILENT] = [`${BIN}/text`, `${BIN}/silent`];
chmodSync(SILENT, 0o755);

function check(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["tools/launch.js", "boards/check/run.ts", ...args],
    {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
      encoding: "utf8",
    },
  );
  return { status, said: stderr.split("\n")[0] };
}

describe("board:check ends with status 2 and says what is wrong", () => {
  const config = ["--config", CONFIG];
  const CASES = [
    { args: config, environment: {}, said: "IDF_PATH is not set: it names the directory of ESP-IDF" },
    {
      args: config,
      environment: { IDF_PATH: EMPTY },
      said: `"${EMPTY}" holds no ESP-IDF: ${EMPTY}/tools/cmake/version.cmake is missing`,
    },
    {
      args: config,
      environment: { IDF_PATH: OLD },
      said: "There are no facts of ESP-IDF 4.4, only of 5.3, 5.5, 6.0",
    },
    {
      args: [],
      environment: { IDF_PATH: IDF },
      said: "--config is missing: it names the folder of sdkconfig.h",
    },
    {
      args: ["--config", EMPTY],
      environment: { IDF_PATH: IDF },
      said: `--config: "${EMPTY}/sdkconfig.h" is not there`,
    },
    {
      args: [...config, "--chip", "esp32c3"],
      environment: { IDF_PATH: IDF },
      said: '--chip takes esp32s3 or esp32, not "esp32c3"',
    },
    {
      args: [...config, "--registry", `${EMPTY}/none`],
      environment: { IDF_PATH: IDF },
      said: `--registry: "${EMPTY}/none" is not there`,
    },
    {
      args: config,
      environment: { IDF_PATH: IDF, CC: "xtensa-none-gcc" },
      said: 'Cannot run the compiler "xtensa-none-gcc": ENOENT',
    },
    {
      args: config,
      environment: { IDF_PATH: IDF, CC: NO_PROGRAM },
      said: `Cannot run the compiler "${NO_PROGRAM}": EACCES`,
    },
    {
      args: config,
      environment: { IDF_PATH: IDF, CC: SILENT },
      said: `The compiler "${SILENT}" fails without a complaint: out of memory`,
    },
  ];
  for (const { args, environment, said } of CASES)
    test(said.replaceAll(directory, "…"), () => {
      expect(check(args, environment)).toEqual({ status: 2, said: `board:check: ${said}` });
    }, 60_000);
});

describe.each(CHIPS)("an option that a fact about the %s needs", (chip) => {
  const boards = BOARD_NAMES.filter((board) => BOARDS[board].chip === chip);
  const builds = boards.flatMap((board) => [
    ...[undefined, ...ethernetNames(board)].map((ethernet) => ({ board, ethernet, isEmulated: false })),
    { board, ethernet: undefined, isEmulated: true },
  ]);
  const settings = builds.map(
    (build) =>
      new Map(
        settingsFiles(build)
          .flatMap((file) => readFileSync(file, "utf8").split("\n"))
          .map((line) => line.split("=") as [string, string]),
      ),
  );
  const needed = HEADERS.flatMap(({ facts }) =>
    facts.flatMap(({ where }) => (where.chip && where.chip !== chip ? [] : (where.option ?? []))),
  );

  test.each([...new Set(needed)])("is set by a build for it: %s", (option) => {
    expect(settings.some((build) => build.get(option) === "y")).toBe(true);
  });
});
