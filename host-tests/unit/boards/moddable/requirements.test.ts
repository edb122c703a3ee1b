/** What `npm run moddable` needs on a machine, and its messages if that is missing. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSdk, SdkProblem, type Target } from "../../../../boards/moddable/sdk.js";
import { LAUNCHER } from "../../../../tools/launcher.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "moddable-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TOOLS = "build/bin/lin/release";

function put(name: string, content = ""): void {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The files of an SDK that are checked. */
function makeSdk({ version = "8.2.3", tools = ["mcconfig", "mcsim"] } = {}): void {
  put("tools/VERSION", `${version}\n`);
  for (const tool of tools) put(`${TOOLS}/${tool}`);
}

function problem(environment: NodeJS.ProcessEnv, target: Target = "sim"): string {
  try {
    findSdk(environment, target);
  } catch (error) {
    if (error instanceof SdkProblem) return error.message;
    throw error;
  }
  return "none";
}

describe.runIf(process.platform === "linux")("The Moddable SDK", () => {
  test("is found at MODDABLE", () => {
    makeSdk();
    expect(findSdk({ MODDABLE: root }, "sim")).toEqual({
      root,
      version: "8.2.3",
      tools: path.join(root, TOOLS),
    });
  });

  test("is found at MODDABLE relative to the working directory", () => {
    makeSdk();
    expect(findSdk({ MODDABLE: path.relative(process.cwd(), root) }, "sim").root).toBe(root);
  });

  test("is missing if MODDABLE is not set", () => {
    expect(problem({})).toMatch(/^MODDABLE is not set/);
  });

  test("is missing if MODDABLE is another folder", () => {
    expect(problem({ MODDABLE: root })).toBe(`There is no Moddable SDK in "${root}", which MODDABLE names`);
  });

  for (const version of ["8.2", "8.2.0", "8.10.1", "9.0.0"])
    test(`is new enough in version ${version}`, () => {
      makeSdk({ version });
      expect(problem({ MODDABLE: root })).toBe("none");
    });

  for (const version of ["8.1.9", "7.9.0", "4.2", "none"])
    test(`is too old in version ${version}`, () => {
      makeSdk({ version });
      expect(problem({ MODDABLE: root })).toBe(
        `The Moddable SDK in "${root}" is ${version}: 8.2 or newer is needed`,
      );
    });

  for (const tools of [[], ["mcconfig"]])
    test(`is not built with ${tools.length} of the two tools for the simulator`, () => {
      makeSdk({ tools });
      expect(problem({ MODDABLE: root })).toMatch(
        /^The tools of the Moddable SDK are not built: there is no "/,
      );
    });

  test("builds for an ESP32-S3 only if ESP-IDF is present", () => {
    makeSdk({ tools: ["mcconfig"] });
    expect(problem({ MODDABLE: root }, "esp32s3")).toMatch(/^IDF_PATH is not set/);
    expect(problem({ MODDABLE: root, IDF_PATH: "/esp" }, "esp32s3")).toBe("none");
  });
});

const COMMAND = path.join(import.meta.dirname, "../../../../boards/moddable/build.ts");

/** Without an SDK. */
function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, COMMAND, ...args], {
    encoding: "utf8",
    env: { ...process.env, MODDABLE: "" },
  });
  return { status, lines: stderr.trimEnd().split("\n") };
}

describe("npm run moddable", () => {
  for (const target of ["sim", "esp32s3"])
    test(`names what is missing for ${target}, and the guide`, () => {
      expect(run(target)).toEqual({
        status: 1,
        lines: [
          expect.stringMatching(/^moddable: MODDABLE is not set/),
          "moddable: docs/moddable.md says what is needed",
        ],
      });
    });

  test("prints its usage on request", () => {
    expect(execFileSync(process.execPath, [LAUNCHER, COMMAND, "--help"], { encoding: "utf8" })).toMatch(
      /^usage: /,
    );
  });

  for (const args of [
    [],
    ["esp8266"],
    ["sim", "esp32s3"],
    ["sim", "--fast"],
    ["sim", "--version", "1.0"],
    ["sim", "--image"],
    ["esp32s3", "--config", "NO=1"],
    ["esp32"],
    ["esp32s3", "--deploy"],
  ])
    test(`rejects "${args.join(" ")}" and prints its usage`, () => {
      const { status, lines } = run(...args);
      expect(status).toBe(2);
      expect(lines.join("\n")).toMatch(/^moddable: .+\nusage: /s);
    });
});
