/**
 * `npm run board:check`: compares the facts that tests are built on (facts/fact.ts) with the headers of the ESP-IDF in
 * IDF_PATH, and compiles our C for the chip with these headers. Nothing is linked or flashed.
 *
 * Exit status 1: something differs, or does not compile without a warning. 2: wrong usage.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { type Build, boardFiles, definesHeader, root } from "../board-manifest.js";
import { includeFolders, openEspIdf } from "./esp-idf.js";
import { type Chip, type Fact, type Header, holds, RELEASES, type Release } from "./facts/fact.js";
import { HEADERS } from "./facts/facts.js";
import { probeOf } from "./probes.js";

const USAGE = `usage: IDF_PATH=DIR npm run board:check -- --config DIR [--chip esp32s3|esp32] [--registry DIR]

  --config    folder of the sdkconfig.h that ESP-IDF has written for the chip: build/config of a project
  --registry  folder of components of Espressif's registry: managed_components of a project
  CC, CFLAGS  compiler and more flags for it, of the C library for example (xtensa-CHIP-elf-gcc)`;

const run = promisify(execFile);

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

interface Compiler {
  readonly program: string;
  readonly flags: readonly string[];
}

/** @returns what the compiler complains about; none if it is content */
async function complaintsOf({ program, flags }: Compiler, more: readonly string[]): Promise<string[]> {
  const { stderr } = await run(program, [...flags, ...more], { maxBuffer: 1 << 26 }).catch((error) => error);
  return String(stderr)
    .split("\n")
    .filter((line) => /: (?:fatal )?(?:error|warning): /.test(line));
}

/** @returns a line for each fact that differs */
async function compareFacts(
  compiler: Compiler,
  folder: string,
  { release, chip }: Target,
): Promise<string[]> {
  const found: string[] = [];
  for (const header of HEADERS) {
    const facts = header.facts.filter(
      (fact) => holds(fact, release, chip) && !OF_OTHER_BUILDS.has(fact.where.option ?? ""),
    );
    if (facts.length > 0) found.push(...(await compareHeader(compiler, folder, header, facts)));
  }
  return found;
}

async function compareHeader(compiler: Compiler, folder: string, header: Header, facts: readonly Fact[]) {
  const probe = probeOf(header, facts);
  const file = path.join(folder, "probe.c");
  writeFileSync(file, probe.text);
  const complaints = await complaintsOf(compiler, ["-w", "-O2", "-S", "-o", "/dev/null", file]);
  return complaints.map((complaint) => {
    const line = complaint.startsWith(`${file}:`)
      ? Number(complaint.slice(file.length + 1).split(":")[0])
      : 0;
    const fact = probe.facts.get(line);
    return fact
      ? `${header.name}: ${fact.kind} ${fact.name}: ${complaint.slice(file.length + 1)}`
      : `${header.name}: ${complaint}`;
  });
}

/** @returns a line for each option that a fact needs and the configuration does not have */
function missingOptions(configuration: string, { release, chip }: Target): string[] {
  const needed = HEADERS.flatMap(({ facts }) => facts.filter((fact) => holds(fact, release, chip)));
  return needed.flatMap(({ name, where: { option } }) => {
    if (option === undefined || OF_OTHER_BUILDS.has(option)) return [];
    const [key, value = "1"] = option.split("=");
    return new RegExp(`^#define ${key} ${value}$`, "m").test(configuration)
      ? []
      : [`${name} needs ${option}`];
  });
}

/** Of the emulator's Ethernet. */
const OF_OTHER_BUILDS: ReadonlySet<string> = new Set(["CONFIG_ETH_USE_OPENETH"]);

interface Target {
  readonly release: Release;
  readonly chip: Chip;
}

/** @throws {Error} that names the invalid argument */
function readArguments() {
  const { values } = parseArgs({
    options: {
      chip: { type: "string", default: "esp32s3" },
      config: { type: "string" },
      registry: { type: "string" },
    },
  });
  const chip = (["esp32s3", "esp32"] as const).find((name) => name === values.chip);
  if (!chip) throw new Error(`--chip takes esp32s3 or esp32, not "${values.chip}"`);
  const { IDF_PATH: idfPath, CC: program = `xtensa-${chip}-elf-gcc`, CFLAGS: cflags = "" } = process.env;
  if (!idfPath) throw new Error("IDF_PATH is not set: it names the directory of ESP-IDF");
  const configuration = path.join(values.config ?? "", "sdkconfig.h");
  if (!values.config || !existsSync(configuration))
    throw new Error(`--config: "${configuration}" is not there`);
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

async function check({
  target,
  config,
  folders,
  program,
  cflags,
}: ReturnType<typeof readArguments>): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), "board-check-"));
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "mc.defines.h"), definesHeader(BUILDS[target.chip]));
    const flags = [
      ...[
        "-std=gnu11",
        "-D_GNU_SOURCE",
        "-DESP_PLATFORM",
        `-DCFG_TUSB_MCU=OPT_MCU_${target.chip.toUpperCase()}`,
      ],
      ...[
        '-DMBEDTLS_CONFIG_FILE="mbedtls/esp_config.h"',
        '-DTF_PSA_CRYPTO_USER_CONFIG_FILE="mbedtls/esp_config.h"',
      ],
      ...[`-I${config}`, ...folders.map((name) => `-isystem${name}`), ...cflags],
    ];
    const facts = await compareFacts({ program, flags }, folder, target);
    const options = missingOptions(readFileSync(path.join(config, "sdkconfig.h"), "utf8"), target);
    const own = [
      ...WARNINGS,
      `-I${folder}`,
      ...OURS.map((name) => `-I${name}`),
      ...flags,
      ...ENGINE,
      "-fsyntax-only",
    ];
    const files = boardFiles(BUILDS[target.chip], ".c");
    const complaints: string[] = [];
    for (const file of files) complaints.push(...(await complaintsOf({ program, flags: own }, [file])));
    for (const line of [...facts, ...options, ...complaints]) log(line);
    log(
      `ESP-IDF ${target.release}, ${target.chip}: ${facts.length} complaints about facts, ${options.length} missing options,`,
    );
    log(`${complaints.length} errors and warnings in ${files.length} files of ours`);
    return facts.length + options.length + complaints.length;
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
