/**
 * Changes one place of the code at a time and runs the unit tests of that code: a mutant that no test notices survives,
 * and shows what the tests do not check.
 *
 *     npm run test:mutation                                  # protocol/, folder by folder; hours
 *     npm run test:mutation -- protocol/http                 # one folder, or one file
 *     npm run test:mutation -- 'protocol/*.ts'               # the files of a folder, without those of its folders
 *     npm run test:mutation -- device/services/upload        # one service
 *
 * Survivors are in build/mutation/FOLDER.md. Exit status 1 where a folder has fewer than {@link KILLED_PERCENT} of its
 * mutants killed.
 */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Stryker } from "@stryker-mutator/core";

const KILLED_PERCENT = 90;

const root = path.join(import.meta.dirname, "../..");

/** Where the unit tests of a folder are, besides the folder that mirrors it. */
const MORE_TESTS: Readonly<Record<string, readonly string[]>> = {
  "protocol/http": ["host-tests/unit/services/http/**/*.test.ts"],
  "protocol/noble": [
    "host-tests/unit/protocol/callers-bytes.test.ts",
    "host-tests/unit/protocol/signature/**/*.test.ts",
  ],
};

const ARCHIVE_TESTS = ["tar-reader", "package-reader", "package-writer"].map(
  (name) => `host-tests/unit/protocol/package/${name}.test.ts`,
);

/**
 * What judges a file, where not all tests of its folder do: the tests of inflating pass through the archive reader as well,
 * and those with GNU tar start processes, which for each mutant takes minutes.
 */
const TESTS_OF_FILES: Readonly<Record<string, readonly string[]>> = {
  "protocol/package/gzip-reader.ts": ["host-tests/unit/protocol/package/gzip-reader.test.ts"],
  "protocol/package/tar-header.ts": ARCHIVE_TESTS,
  "protocol/package/tar-reader.ts": ARCHIVE_TESTS,
  "protocol/package/package-reader.ts": ARCHIVE_TESTS,
  "protocol/package/package-writer.ts": ARCHIVE_TESTS,
};

const TYPES_ALONE: readonly string[] = ["protocol/device", "protocol/ports"];

/** What a run of mutants does not need in its copy of the project. */
const LEFT_OUT = [
  "/build",
  "/.console",
  "/docs",
  "/host-tests/browser",
  "/host-tests/device",
  "/host-tests/hub",
];

interface Score {
  readonly folder: string;
  readonly killed: number;
  readonly mutants: number;
}

const folders = process.argv.slice(2);
const scores: Score[] = [];
for (const folder of folders.length > 0 ? folders : partsOf("protocol")) scores.push(await mutate(folder));
for (const { folder, killed, mutants } of scores)
  console.log(`${folder}: ${killed} of ${mutants} mutants killed, ${percent(killed, mutants).toFixed(1)} %`);
if (scores.some(({ killed, mutants }) => percent(killed, mutants) < KILLED_PERCENT)) process.exitCode = 1;

async function mutate(place: string): Promise<Score> {
  const folder = path.relative(root, path.resolve(place));
  if (!statSync(path.join(root, withoutPattern(folder)), { throwIfNoEntry: false }))
    throw new Error(`Cannot mutate "${place}": there is no such folder or file in this project`);
  if (MORE_TESTS[folder] === undefined && !existsSync(path.join(root, mirroredTests(folder))))
    throw new Error(`Cannot judge "${folder}": it has no unit tests in ${mirroredTests(folder)}`);
  process.env["SVC_MUTATION_TESTS"] = testsOf(folder).join(",");
  const stryker = new Stryker({
    testRunner: "vitest",
    tsconfigFile: "none", // TypeScript 7 has no interface to rewrite one with, and no test needs it
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate: [folder.endsWith(".ts") ? folder : `${folder}/**/*.ts`],
    vitest: { configFile: "host-tests/mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    ignorePatterns: LEFT_OUT,
    reporters: ["progress-append-only"],
    tempDirName: "build/mutation/sandbox",
    thresholds: { high: 100, low: KILLED_PERCENT, break: null },
  });
  const results = await stryker.runMutationTest();
  const counted = results.filter(({ status }) => status !== "Ignored" && status !== "CompileError");
  const survivors = counted.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const report = path.join(root, "build/mutation", `${withoutPattern(folder).replaceAll("/", "-")}.md`);
  mkdirSync(path.dirname(report), { recursive: true });
  const lines = survivors.map(
    ({ fileName, location, mutatorName, replacement, status }) =>
      `- ${path.relative(root, fileName)}:${location.start.line}:${location.start.column} ${mutatorName}` +
      `${status === "NoCoverage" ? ", run by no test" : ""}: \`${(replacement ?? "").replaceAll("\n", " ")}\``,
  );
  const killed = counted.length - survivors.length;
  const heading = `# ${folder}: ${survivors.length} of ${counted.length} mutants survive`;
  writeFileSync(report, `${[heading, "", ...lines].join("\n")}\n`);
  console.log(`${heading.slice(2)}: ${path.relative(root, report)}`);
  return { folder, killed, mutants: counted.length };
}

/** The files of a folder, and the folders right below it: each a run. */
function partsOf(folder: string): readonly string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
  return [`${folder}/*.ts`, ...folders.filter((name) => !TYPES_ALONE.includes(name))];
}

/** `folder/*.ts` stands for the folder's own files. */
function withoutPattern(place: string): string {
  return place.replace(/\/\*\.ts$/, "");
}

/** The tests of a folder: those below the same name in host-tests/unit. */
function testsOf(folder: string): readonly string[] {
  return TESTS_OF_FILES[folder] ?? [`${mirroredTests(folder)}/**/*.test.ts`, ...(MORE_TESTS[folder] ?? [])];
}

/** A single file has the tests of its folder. */
function mirroredTests(place: string): string {
  const mirrored = place.replace(/^device\//, "");
  return `host-tests/unit/${mirrored.endsWith(".ts") ? path.dirname(mirrored) : mirrored}`;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 100 : (100 * part) / whole;
}
