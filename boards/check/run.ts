/**
 * `npm run board:check`: compares the facts that tests are built on (facts/fact.ts) with the headers of the ESP-IDF in
 * IDF_PATH, and compiles our C for the chip with these headers. Nothing is linked or flashed.
 *
 * Exit status 1: something differs, or does not compile without a warning. 2: wrong usage.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Build, boardFiles, definesHeader, root } from "../board-manifest.js";
import { compareHeaders } from "./compare.js";
import { ask } from "./compiler.js";
import { includeFolders, openEspIdf } from "./esp-idf.js";
import { CHIPS, type Chip, type Header, holds, RELEASES, selectFacts, type Target } from "./facts/fact.js";
import { HEADERS } from "./facts/facts.js";

const USAGE = `usage: IDF_PATH=DIR npm run board:check -- --config DIR [--chip esp32s3|esp32] [--registry DIR]

  --config    folder of the sdkconfig.h that ESP-IDF has written for the chip: build/config of a project
  --registry  folder of components of Espressif's registry: managed_components of a project
  CC, CFLAGS  compiler and more flags for it, of the C library for example (xtensa-CHIP-elf-gcc)`;

/** Builds with every driver that the chip's boards have. */
const BUILDS = Object.freeze({
  esp32s3: { board: "esp32s3", ethernet: "w5500" },
  esp32: { board: "esp32", ethernet: "lan8720" },
} as const satisfies Record<Chip, Build>);

const OURS = [
  ...["/include", "", "/usb-bridge", "/ethernet"].map((part) => `device/hosts/esp32/native${part}`),
  ...["boot", "network", "process", "storage", "usb"].map((part) => `device/hosts/posix/native/${part}`),
  ...["device/hosts/common/native", "device/wasm/native", "device/tls/common/native"],
  ...["device/tls/mbedtls/native", "host-tests/stubs/moddable", "engine/machine/native"],
].map((name) => path.join(root, name));

const WARNINGS = ["-Wall", "-Wextra", "-Werror=implicit-function-declaration"];
const XS = path.join(root, "node_modules/xs/moddable/xs");
const ENGINE = [
  ...["-D_GNU_SOURCE", "-DINCLUDE_XSPLATFORM", '-DXSPLATFORM="platform.h"', "-DmxParse=1", "-DmxRun=1"],
  ...["includes", "platforms", "sources"].map((folder) => `-isystem${path.join(XS, folder)}`),
];

/** @returns a line for each option that a fact needs and the configuration does not have */
function missingOptions(configuration: string, headers: readonly Header[]): string[] {
  return headers.flatMap(({ name: header, facts }) =>
    facts.flatMap(({ name, where: { option } }) =>
      option === undefined || new RegExp(`^#define ${option} 1$`, "m").test(configuration)
        ? []
        : [`${header}: ${name} needs ${option}=y in sdkconfig`],
    ),
  );
}

/** Of the emulator's Ethernet, which boards do not have. */
const OPTIONS_OF_EMULATORS: ReadonlySet<string> = new Set(["CONFIG_ETH_USE_OPENETH"]);

/** What a board's firmware takes. */
const headersFor = (target: Target) =>
  selectFacts(HEADERS, (each) => holds(each, target) && !OPTIONS_OF_EMULATORS.has(each.where.option ?? ""));

/** @throws {Error} that names the invalid argument */
function readArguments() {
  const { values } = parseArgs({
    options: {
      chip: { type: "string", default: "esp32s3" },
      config: { type: "string" },
      registry: { type: "string" },
    },
  });
  const chip = CHIPS.find((name) => name === values.chip);
  if (!chip) throw new Error(`--chip takes esp32s3 or esp32, not "${values.chip}"`);
  const { IDF_PATH: idfPath, CC: program = `xtensa-${chip}-elf-gcc`, CFLAGS: cflags = "" } = process.env;
  if (!idfPath) throw new Error("IDF_PATH is not set: it names the directory of ESP-IDF");
  if (values.config === undefined) throw new Error("--config is missing: it names the folder of sdkconfig.h");
  const configuration = path.join(values.config, "sdkconfig.h");
  if (!existsSync(configuration)) throw new Error(`--config: "${configuration}" is not there`);
  if (values.registry !== undefined && !existsSync(values.registry))
    throw new Error(`--registry: "${values.registry}" is not there`);
  const idf = openEspIdf(idfPath);
  const release = RELEASES.find((known) => known === idf.release);
  if (!release)
    throw new Error(`There are no facts of ESP-IDF ${idf.release}, only of ${RELEASES.join(", ")}`);
  return {
    target: { release, chip },
    config: path.resolve(values.config),
    folders: includeFolders(idf, chip, values.registry && path.resolve(values.registry)),
    program,
    cflags: cflags.split(" ").filter(Boolean),
  };
}

function log(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function check({ target, config, folders, program, cflags }: ReturnType<typeof readArguments>) {
  const folder = mkdtempSync(path.join(tmpdir(), "board-check-"));
  try {
    const build = BUILDS[target.chip];
    writeFileSync(path.join(folder, "mc.defines.h"), definesHeader(build));
    const flags = [
      ...["-std=gnu11", "-D_GNU_SOURCE", "-DESP_PLATFORM"],
      `-DCFG_TUSB_MCU=OPT_MCU_${target.chip.toUpperCase()}`,
      '-DMBEDTLS_CONFIG_FILE="mbedtls/esp_config.h"',
      '-DTF_PSA_CRYPTO_USER_CONFIG_FILE="mbedtls/esp_config.h"',
      ...[`-I${config}`, ...folders.map((name) => `-isystem${name}`), ...cflags],
    ];
    const headers = headersFor(target);
    const facts = await compareHeaders({ program, flags }, headers);
    const options = missingOptions(readFileSync(path.join(config, "sdkconfig.h"), "utf8"), headers);
    const ours = [`-I${folder}`, ...OURS.map((name) => `-I${name}`)];
    const own = { program, flags: [...WARNINGS, ...ours, ...flags, ...ENGINE, "-fsyntax-only"] };
    const files = boardFiles(build, ".c");
    const complaints: string[] = [];
    for (const file of files)
      for (const { file: place, line, message } of (await ask(own, [file])).complaints)
        complaints.push(`${path.relative(root, place)}:${line}: ${message}`);
    const found = [...facts, ...options, ...complaints];
    for (const line of found) log(line);
    const count = headers.reduce((sum, header) => sum + header.facts.length, 0);
    log(`ESP-IDF ${target.release}, ${target.chip}: ${facts.length} complaints about ${count} facts,`);
    log(
      `${options.length} missing options, ${complaints.length} errors and warnings in ${files.length} files of ours`,
    );
    return found.length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function main(): Promise<void> {
  try {
    const found = await check(readArguments());
    process.exitCode = found > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(
      `board:check: ${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`,
    );
    process.exitCode = 2;
  }
}

await main();
