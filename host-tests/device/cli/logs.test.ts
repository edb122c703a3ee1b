/** `svc` shows each log line once, without control characters. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { atTerminal, Svc, type SvcOptions, svc, svcJson, temporaryFolder } from "./svc-process.js";

const ESCAPE = "\u001b";
/** Text that clears a terminal, changes its title, and reverses the direction of writing. */
const HOSTILE = `${ESCAPE}[2J${ESCAPE}]0;gotcha\u0007 \u009b31m \u202eevil`;
/** Control characters other than svc's own colours and the line ends of `script`. */
const CONTROL = /(?!\u001b\[\d{1,2}m)(?![\r\n\t])[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/;

const folder = temporaryFolder();
afterAll(() => folder.remove());

let console: AppConsole;

beforeAll(async () => {
  console = await startAppConsole();
  const bytes = Buffer.from(HOSTILE);
  const text = [...bytes].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  const module = await moduleOf(`(module
    (import "svc" "log" (func $log (param i32 i32 i32)))
    (memory (export "memory") 1) (data (i32.const 0) "${text}")
    (func (export "main") (call $log (i32.const 3) (i32.const 0) (i32.const ${bytes.length}))))`);
  const file = path.join(folder.path, "hostile.svcpkg");
  const app = packageOf(module, { name: "hostile", author: `Mallory ${HOSTILE}` });
  writeFileSync(file, app);
  writeFileSync(`${file}.sig`, console.publisher.sign(app));
  const { stderr } = await svc(["install", file, "--device", console.http]);
  expect(stderr).not.toMatch(CONTROL);
});
afterAll(() => console.stop());

const TRANSPORTS = [
  { over: "HTTP", deviceOf: (at: AppConsole) => at.http },
  { over: "USB", deviceOf: (at: AppConsole) => `usb:${at.usb}` },
];

describe.each(TRANSPORTS)("svc logs over $over", ({ deviceOf }) => {
  test("continues over a restart of the console, with each line once", async () => {
    const follow = new Svc(["logs", "--follow", "--device", deviceOf(console)]);
    const from = console.stderr.length;
    await follow.until(({ stdout }) => stdout.includes(" is ready: "));
    // Over the other transport, since a port has one owner.
    const other = TRANSPORTS.find((transport) => transport.deviceOf !== deviceOf)?.deviceOf(console) ?? "";
    await svcJson(["reboot", "--wait", "--device", other]);
    await console.waitForLine(/ is ready: /, from);
    const lastOf = (text: string) => text.lastIndexOf(" is ready: ");
    const rebootAt = ({ stdout }: Svc) => stdout.lastIndexOf("boot: rebooting on request");
    await follow.until((svc) => rebootAt(svc) > 0 && lastOf(svc.stdout) > rebootAt(svc));
    const { status, stdout } = await follow.interrupt();
    expect(status).toBe(130);
    const shown = stdout.trim().split("\n");
    const log = await svcJson(["logs", "--device", console.http]);
    /** Without what was logged after the interruption. */
    const lines = log.lines.slice(0, log.lines.lastIndexOf(shown.at(-1)) + 1);
    expect(lines.length).toBeGreaterThan(0);
    expect(shown.slice(-lines.length)).toEqual(lines.slice(-shown.length));
  });

  test("prints an object per line with --follow --json", async () => {
    const follow = new Svc(["logs", "--follow", "--json", "--device", deviceOf(console)]);
    await follow.until(({ stdout }) => stdout.includes(" is ready: "));
    const { stdout } = await follow.interrupt();
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries[0]).toEqual({
      line: expect.stringMatching(/^\d+\.\d{3} I boot: /),
      uptime_ms: expect.any(Number),
      level: "info",
      source: "boot",
      message: expect.any(String),
    });
  });
});

test("svc logs --follow ends with status 1 when its token is replaced, and advises what to do", async () => {
  const guarded = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
  const cable = ["token", "--device", `usb:${guarded.usb}`];
  const { token } = await svcJson(cable);
  const follow = new Svc(["logs", "--follow", "--device", guarded.http, "--token", token]);
  await follow.until(({ stdout }) => stdout.includes(" is ready: "));
  await svcJson([...cable, "--replace"]);
  const { status, stderr } = await follow.ended;
  await guarded.stop();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^svc: unauthorized: .+\n.*`svc token`, both over USB\.\n$/);
});

describe("Control characters from an app never reach the terminal:", () => {
  beforeAll(async () => {
    await svcJson(["start", "hostile", "--device", console.http]);
    await console.until((entry) => entry.state === "stopped" && entry.last_exit, "hostile");
  });

  const COMMANDS = [["logs"], ["logs", "--json"], ["apps"], ["apps", "--json"], ["shell", "app", "list"]];
  for (const command of COMMANDS)
    test(`svc ${command.join(" ")}`, async () => {
      const { status, stdout } = await svc([...command, "--device", console.http], { within: atTerminal });
      expect(status).toBe(0);
      expect(stdout).toContain("hostile");
      expect(stdout).not.toMatch(CONTROL);
    });

  test("JSON output keeps the text of an app's log line", async () => {
    const { lines } = await svcJson(["logs", "--device", console.http]);
    const said = lines.find((line: string) => line.includes("app/hostile"));
    expect(said).toContain("gotcha");
    expect(said).toContain("evil");
  });
});

describe("svc uses colours only at a terminal:", () => {
  const COLOUR = `${ESCAPE}[`;
  const failing = ["uninstall", "nothing"];
  const on = (...args: string[]) => [...args, "--device", console.http];

  test("an error is red", async () => {
    const { stdout } = await svc(on(...failing), { within: atTerminal });
    expect(stdout).toContain(`${COLOUR}31msvc:`);
  });

  const PLAIN: readonly { readonly name: string; readonly options: SvcOptions }[] = [
    { name: "none in a pipe", options: {} },
    { name: "none with NO_COLOR", options: { within: atTerminal, environment: { NO_COLOR: "1" } } },
    {
      name: "none at a dumb terminal",
      options: { within: atTerminal, environment: { TERM: "dumb" } },
    },
  ];
  for (const { name, options } of PLAIN)
    test(name, async () => {
      const { stdout, stderr } = await svc(on(...failing), options);
      expect(stdout + stderr).toContain("svc: app_not_found");
      expect(stdout + stderr).not.toContain(COLOUR);
    });

  test("none in JSON", async () => {
    const { stdout } = await svc(on(...failing, "--json"), { within: atTerminal });
    expect(JSON.parse(stdout)).toMatchObject({ error: "app_not_found" });
    expect(stdout).not.toContain(COLOUR);
  });
});

// docs/spec/cli.md#logs-lines
describe("svc logs --lines", () => {
  const app = path.join(folder.path, "trapping");
  const lines = path.join(app, "build/trapping-1.0.0.svcpkg.lines");
  const LINE = /"trapping" ended: trap: \S.* in main\/main/;
  const logs = (...words: readonly string[]) => ["logs", ...words, "--device", console.http];

  beforeAll(async () => {
    mkdirSync(app);
    const manifest = { name: "trapping", version: "1.0.0", capabilities: [], memory_quota: 65536 };
    writeFileSync(path.join(app, "manifest.json"), JSON.stringify(manifest));
    writeFileSync(
      path.join(app, "main.ts"),
      "import { sleepMs } from 'svc';\nexport function main(): i32 {\n  return 1 / sleepMs(0);\n}\n",
    );
    const key = path.join(folder.path, "key.pem");
    writeFileSync(key, console.publisher.privatePem);
    const packed = await svcJson(["app", "pack", app, "--key", key]);
    expect(packed.lines_file).toBe(lines);
    await svcJson(["install", packed.file, "--device", console.http]);
    const from = console.stderr.length;
    await console.app("start", "trapping");
    await console.waitForLine(LINE, from);
  });

  test("has file and line where an app has trapped", async () => {
    const { stdout, stderr } = await svc(logs("--lines", lines));
    expect(stdout).toMatch(/"trapping" ended: trap: integer divide by zero in main\/main \(main\.ts:3\)\n/);
    expect(stderr).toBe("");
    expect((await svcJson(logs("--lines", lines))).lines).toContainEqual(
      expect.stringContaining("(main.ts:3)"),
    );
    expect((await svc(logs())).stdout).toMatch(/in main\/main@[0-9a-f]+\n/);
  });

  test("--follow --json has the stack in each such line", async () => {
    const follow = new Svc(logs("--follow", "--json", "--lines", lines));
    await follow.until(({ stdout }) => stdout.includes("main/main@"));
    const { stdout } = await follow.interrupt();
    const entry = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .find(({ line }) => LINE.test(line));
    expect(entry.stack).toEqual([{ function: "main/main", file: "main.ts", line: 3 }]);
  });

  test("warns if another version is installed", async () => {
    const other = path.join(folder.path, "other.lines");
    writeFileSync(
      other,
      readFileSync(lines, "utf8").replace('"app_version":"1.0.0"', '"app_version":"1.1.0"'),
    );
    const { stderr } = await svc(logs("--lines", other));
    expect(stderr).toContain("trapping 1.0.0 is installed; the lines are those of 1.1.0");
  });

  test("rejects another file with lines_invalid", async () => {
    const { status, stderr } = await svc(logs("--lines", path.join(app, "manifest.json"), "--json"));
    expect([status, JSON.parse(stderr)]).toMatchObject([1, { error: "lines_invalid" }]);
  });
});
