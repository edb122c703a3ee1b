/** How the console is started in the Moddable simulator, with another program in the simulator's place. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { requireDisplay } from "../../../../boards/moddable/display.js";
import { runInSimulator } from "../../../../boards/moddable/simulator.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "mcsim-"));
  writeFileSync(path.join(root, "device.img"), `${"H".repeat(128)}the library`);
  vi.stubEnv("DISPLAY", ":0");
  vi.stubEnv("TMPDIR", root);
  vi.spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const state = () => path.join(root, "state");

/** In a simulator that does `check` where it is asked to look at the flags only, and `start` where it is not. */
async function run({ check = "exit 0", start = "exit 0", flags = [] as string[] }) {
  const script = `#!/bin/sh\ncase "$SVC_MODDABLE_FLAGS" in *--check*) ${check};; *) ${start};; esac\n`;
  writeFileSync(path.join(root, "mcsim"), script);
  chmodSync(path.join(root, "mcsim"), 0o755);
  const output = new PassThrough();
  const sdk = { root, version: "8.2.3", tools: root };
  const wanted = { sdk, image: path.join(root, "device.img"), flags: ["--state", state(), ...flags], output };
  return { status: await runInSimulator(wanted), printed: String(output.read() ?? "") };
}

describe("npm run moddable -- sim --deploy", () => {
  test("passes the image's library to the simulator, and exits with the console's status", async () => {
    const start = 'echo "ready: $(cat $1), $XDG_CONFIG_HOME"; exit 3';
    expect(await run({ start })).toEqual({
      status: 3,
      printed: `ready: the library, ${state()}/mcsim\n`,
    });
    expect(readFileSync(path.join(state(), "keys/publisher.pub.pem"), "utf8")).toContain("PUBLIC KEY");
  });

  test("succeeds if a console that was ready exits with 0", async () => {
    expect(await run({ start: "echo ready" })).toEqual({ status: 0, printed: "ready\n" });
  });

  test("fails if the simulator exits with 0 before the console is ready", async () => {
    expect((await run({})).status).toBe(1);
  });

  test("creates no state if the console rejects its flags", async () => {
    expect(await run({ check: "exit 2", start: "echo ready" })).toEqual({ status: 2, printed: "" });
    expect(existsSync(state())).toBe(false);
    expect(readdirSync(root).sort()).toEqual(["device.img", "mcsim"]);
  });

  test("creates no state if the console prints its flags", async () => {
    const told = await run({ check: "echo all of them", start: "echo ready", flags: ["--help"] });
    expect(told).toEqual({ status: 0, printed: "all of them\n" });
    expect(existsSync(state())).toBe(false);
  });

  test("exits with 2 if the state directory cannot be created", async () => {
    writeFileSync(state(), "a file");
    expect(await run({ start: "echo ready" })).toEqual({ status: 2, printed: "" });
  });
});

describe("The simulator", () => {
  test("uses the display in DISPLAY", () => {
    expect(() => requireDisplay({ DISPLAY: ":0", PATH: "" })).not.toThrow();
  });

  test("uses Xvfb from PATH without a display", () => {
    writeFileSync(path.join(root, "Xvfb"), "");
    expect(() => requireDisplay({ DISPLAY: "", PATH: `/nowhere:${root}` })).not.toThrow();
  });

  test("does not start with neither display nor Xvfb", () => {
    expect(() => requireDisplay({ PATH: root })).toThrow(
      "There is no display: DISPLAY is not set, and there is no Xvfb to be one",
    );
  });
});
