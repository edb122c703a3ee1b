/** The shell (docs/spec/shell.md#command-error). */
import { beforeEach, describe, expect, test } from "vitest";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { Restart } from "../../../../device/services/restart/restart.js";
import { LOG_LEVEL_SETTING, Settings } from "../../../../device/services/settings/settings.js";
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { COMMANDS } from "../../../../device/services/shell/commands.js";
import { Shell } from "../../../../device/services/shell/shell.js";
import { StatusService } from "../../../../device/services/status/status-service.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import {
  type EmulatedSystem,
  emulatedRetainedMemory,
  emulatedSystem,
} from "../../../hosts/emulated-system.js";
import { printed } from "./printed.js";

/** What these commands do not use; `app-commands`, `hub-commands` and `ota-commands.test.ts` have it. */
const WITHOUT_APPS = {} as Pick<ShellContext, "apps" | "drives" | "hub" | "installs" | "ota">;

let storage: EmulatedStorage;
let system: EmulatedSystem;
let settings: Settings;
let log: LogService;
let restart: Restart;
let shell: Shell;

beforeEach(() => {
  const clock = new EmulatedClock(61_005);
  storage = new EmulatedStorage();
  system = emulatedSystem();
  settings = new Settings(storage.keyValue);
  log = new LogService({
    clock,
    buffer: new Uint8Array(2048),
    retained: emulatedRetainedMemory(),
    level: "info",
  });
  const network = { address: "192.0.2.7", rssi: -50 };
  const status = new StatusService({
    ...{ clock, network, system },
    firmware: { version: "1.2.3", codename: "Test" },
  });
  restart = new Restart(system, log.loggerFor("boot"));
  shell = new Shell({ ...WITHOUT_APPS, files: storage.files, log, restart, settings, status, system });
});

function write(path: string, content: string | Uint8Array): void {
  const file = storage.files.openFile({ path, mode: "w" });
  file.write(typeof content === "string" ? new TextEncoder().encode(content) : content, 0);
  file.close();
}

const OUTPUTS = [
  { line: "", output: "" },
  { line: "   ", output: "" },
  { line: "uptime", output: "61.005 s\n" },
  {
    line: "free",
    output: "heap     600 of 1000 bytes, 500 at the least\nstorage  3000 of 4000 bytes\n",
  },
  { line: "log level", output: "info\n" },
  { line: "log level loud", output: '"loud" is not a log level: use debug, info, warning, error.\n' },
  { line: "log level debug info", output: "Usage: log level [debug|info|warning|error]\n" },
  { line: "fly me", output: 'There is no command "fly me". Try "help".\n' },
  { line: "constructor", output: 'There is no command "constructor". Try "help".\n' },
  { line: "log", output: 'There is no command "log". Try "help".\n' },
  { line: "cat", output: "Usage: cat PATH\n" },
  { line: "uptime now", output: "Usage: uptime\n" },
  { line: 'cat "/lfs/a', output: "A quote is not closed.\n" },
];

for (const { line, output } of OUTPUTS)
  test(`the shell answers ${JSON.stringify(line)}`, () => expect(printed(shell, line)).toBe(output));

test("free shows PSRAM if the board has some", () => {
  const psram = () => ({ totalBytes: 8000, freeBytes: 7000 });
  const context = {
    ...WITHOUT_APPS,
    files: storage.files,
    log,
    restart,
    settings,
    status: {} as StatusService,
  };
  expect(printed(new Shell({ ...context, system: emulatedSystem({ psram }) }), "free")).toContain(
    "psram    7000 of 8000 bytes\n",
  );
});

test("help shows every command with its usage and summary", () => {
  const lines = String(printed(shell, "help")).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ...COMMANDS.map(({ usage, summary }) => [usage, summary]),
    [""],
  ]);
});

test("status shows the fields of GET /api/status, a line each", () => {
  expect(printed(shell, "status")).toMatch(/^fw_version: 1\.2\.3\ncodename: Test\nuptime_ms: 61005\n/);
});

test("log level sets the level for now and after a restart, and logs the change", () => {
  expect(printed(shell, "log level debug")).toBe("debug\n");
  expect([log.level, settings.read(LOG_LEVEL_SETTING)]).toEqual(["debug", "debug"]);
  expect(log.line(log.next - 1)).toBe("61.005 I shell: log level is debug");
});

test("reboot requests a restart, which waits until its output has been sent", () => {
  expect(printed(shell, "reboot")).toBe("Rebooting.\n");
  expect([restart.isRequested, system.restarts()]).toEqual([true, 0]);
  restart.perform();
  expect(system.restarts()).toBe(1);
});

describe("ls", () => {
  beforeEach(() => {
    storage.files.createDirectory("apps");
    write("notes.txt", "hello");
    write("apps/clock.wasm", new Uint8Array(70_000));
  });

  const LISTINGS = [
    { line: "ls", output: "      dir  apps\n        5  notes.txt\n" },
    { line: "ls /lfs", output: "      dir  apps\n        5  notes.txt\n" },
    { line: "ls apps", output: "    70000  clock.wasm\n" },
    { line: "ls /lfs/apps/../apps/.", output: "    70000  clock.wasm\n" },
    { line: "ls notes.txt", output: "notes.txt\n" },
    { line: "ls /", output: '"/" is not below /lfs.\n' },
    { line: "ls ../../etc", output: '"../../etc" is not below /lfs.\n' },
    { line: "ls /lfs/../etc", output: '"/lfs/../etc" is not below /lfs.\n' },
    { line: "ls nothing", output: 'There is no "nothing".\n' },
  ];
  for (const { line, output } of LISTINGS)
    test(`answers ${line}`, () => expect(printed(shell, line)).toBe(output));
});

test("ls shows as many entries as there is room for, and that there are more", () => {
  storage.files.createDirectory("crowd");
  for (let at = 0; at < 100; at++) write(`crowd/${String(at).padStart(3, "0")}-${"x".repeat(60)}`, "");
  const output = String(printed(shell, "ls crowd"));
  expect(output.length).toBeLessThan(4200);
  expect(output).toMatch(/^ +0 {2}000-x+\n( +0 {2}[0-9]{3}-x+\n)+\(and [0-9]+ more at least\)\n$/);
});

describe("cat", () => {
  test("shows a text file and ends it with a line feed", () => {
    write("a b.txt", "größe\n\tzwei");
    expect(printed(shell, 'cat "/lfs/a b.txt"')).toBe("größe\n\tzwei\n");
  });

  test("shows control characters as dots", () => {
    write("raw", Uint8Array.of(0x41, 0x1b, 0x5b, 0x00, 0x0a));
    expect(printed(shell, "cat raw")).toBe("A.[.\n");
  });

  test("shows the first 4096 bytes and the number of the rest", () => {
    write("long", "x".repeat(5000));
    expect(printed(shell, "cat long")).toBe(`${"x".repeat(4096)}\n(904 more bytes)\n`);
  });

  test("never shows keys or tokens", () => {
    for (const directory of ["hub", "keys"]) storage.files.createDirectory(directory);
    for (const path of [
      "hub/trusted_keys.pem",
      "device_token",
      "a.KEY",
      "secret.txt",
      "keys/x",
      "hub/trusted_keys.pem.new",
    ]) {
      write(path, "hidden");
      expect(printed(shell, `cat /lfs/${path}`)).toBe(`Cannot show "/lfs/${path}": it may hold a secret.\n`);
    }
  });

  test("reports what is not a file", () => {
    storage.files.createDirectory("apps");
    expect(printed(shell, "cat apps")).toBe('"apps" is not a file.\n');
    expect(printed(shell, "cat /etc/passwd")).toBe('"/etc/passwd" is not below /lfs.\n');
  });
});

describe("a GET", () => {
  const caller = { transport: "http", isOwner: true, method: "GET" } as const;
  const READING = ["help", "status", "uptime", "free", "log level", "app list", "app status", "ota status"];
  const others = COMMANDS.filter(({ isReading }) => isReading !== true);

  test("runs exactly the commands that only read", () => {
    const reading = COMMANDS.filter(({ isReading }) => isReading !== false).map(({ name }) => name);
    expect(reading.sort()).toEqual([...READING, "hub status", "ls", "cat"].sort());
  });

  for (const { name, usage } of others)
    test(`rejects ${usage} for every caller, and names POST /api/cmd`, () => {
      const before = log.next;
      expect(() => shell.run(`${name} debug`, caller)).toThrow(/POST \/api\/cmd/);
      expect(log.next).toBe(before);
    });

  test("reads the log level, and does not write it", () => {
    expect(shell.run("log level", caller)).toEqual({ output: "info\n" });
    expect(() => shell.run("log level debug", caller)).toThrow(
      expect.objectContaining({ code: "needs_post" }),
    );
    expect(log.level).toBe("info");
  });
});

const REFUSALS = [
  { line: "fly me", error: "not_found" },
  { line: 'cat "unclosed', error: "bad_request" },
  { line: "cat", error: "bad_request" },
  { line: "cat /etc/passwd", error: "bad_parameter" },
  { line: "cat nothing", error: "not_found" },
];
for (const { line, error } of REFUSALS)
  test(`the answer to ${line} has the error's code beside its output`, () =>
    expect(shell.run(line)).toMatchObject({ error, output: expect.stringMatching(/\n$/) }));
