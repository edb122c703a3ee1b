/** The shell of a console, over HTTP and USB (docs/spec/shell.md#command-error). */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../device/services/shell/commands.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { askHttp } from "../../hosts/http-client.js";
import { UsbClient } from "../../hosts/usb-client.js";

let console: AppConsole;
let usb: UsbClient;
beforeAll(async () => {
  console = await startAppConsole();
  usb = await UsbClient.open(console.usb);
});
afterAll(async () => {
  await usb.close();
  expect(await console.stop()).toBe(0);
});

/** Below `/lfs`. */
function write(file: string, content: string | Uint8Array): void {
  const at = path.join(console.state, "lfs", file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, content);
}

/** Over the cable, whose holder owns the console. */
const asOwner = async (c: string) => (await usb.request("POST", "/api/cmd", { c })).body.output;
const ask = async (c: string) =>
  (await askHttp(`${console.http}/api/cmd?${new URLSearchParams({ c })}`, { method: "POST" })).body;

const ANSWERS: readonly (readonly [line: string, output: string | RegExp, error?: string])[] = [
  ["", ""],
  ["   ", ""],
  ["uptime", /^\d+\.\d{3} s\n$/],
  ["free", /^heap +\d+ of \d+ bytes, \d+ at the least\n(psram .*\n)?storage +\d+ of \d+ bytes\n$/],
  ["status", /^fw_version: 0\.1\.0\ncodename: Kestrel\nuptime_ms: \d+\n/],
  ["log level", "info\n"],
  ["log level loud", '"loud" is not a log level: use debug, info, warning, error.\n'],
  ["log level debug info", "Usage: log level [debug|info|warning|error]\n", "bad_request"],
  ["fly me", 'There is no command "fly me". Try "help".\n', "not_found"],
  ["constructor", 'There is no command "constructor". Try "help".\n', "not_found"],
  ["log", 'There is no command "log". Try "help".\n', "not_found"],
  ["cat", "Usage: cat PATH\n", "bad_request"],
  ["uptime now", "Usage: uptime\n", "bad_request"],
  ['cat "/lfs/a', "A quote is not closed.\n", "bad_request"],
  ["ls /", '"/" is not below /lfs.\n', "bad_parameter"],
  ["ls ../../etc", '"../../etc" is not below /lfs.\n', "bad_parameter"],
  ["ls /lfs/../etc", '"/lfs/../etc" is not below /lfs.\n', "bad_parameter"],
  ["ls nothing", 'There is no "nothing".\n', "not_found"],
  ["cat nothing", /nothing/, "not_found"],
  ["cat /etc/passwd", '"/etc/passwd" is not below /lfs.\n', "bad_parameter"],
  ["app install /etc/passwd", '"/etc/passwd" is not below /lfs, /sd or /usb.\n', "bad_parameter"],
  ["app install /sd/x.wasm", 'No drive is at "/sd".\n'],
  ["app scan usb", "No USB drive is attached.\n"],
  ["app list", "No app is installed.\n"],
  ["app status", "No app is running.\n"],
  ["app start", "Usage: app start NAME\n", "bad_request"],
  ["ota apply", "No firmware is waiting to be applied.\n"],
  ["ota confirm", "There is no firmware to confirm\n", "nothing_pending"],
  ["hub status", "The console has no hub.\n"],
];
for (const [line, output, error] of ANSWERS)
  test(`${JSON.stringify(line)} is answered${error ? `, with the code ${error}` : ""}`, async () => {
    const answer = await ask(line);
    if (typeof output === "string") expect(answer.output).toBe(output);
    else expect(answer.output).toMatch(output);
    if (error !== undefined) expect(answer.error).toBe(error);
  });

test("help shows every command with its usage and summary", async () => {
  const lines = (await console.shell("help")).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ...COMMANDS.map(({ usage, summary }) => [usage, summary]),
    [""],
  ]);
});

test("Exactly these commands only read", () => {
  const reading = COMMANDS.filter(({ isReading }) => isReading !== false).map(({ name }) => name);
  expect(reading.sort()).toEqual(
    [
      ...["help", "status", "uptime", "free", "log level", "app list", "app status", "ota status"],
      ...["hub status", "ls", "cat"],
    ].sort(),
  );
});

test("log level logs the change", async () => {
  const from = console.stderr.length;
  expect(await console.shell("log level debug")).toBe("debug\n");
  await console.waitForLine(/ I shell: log level is debug$/, from);
  expect(await console.shell("log level info")).toBe("info\n");
});

describe("ls and cat", () => {
  beforeAll(() => {
    write("notes.txt", "hello");
    write("box/notes.txt", "hello");
    write("box/apps/clock.wasm", new Uint8Array(70_000));
    write("a b.txt", "größe\n\tzwei");
    write("raw", Uint8Array.of(0x41, 0x1b, 0x5b, 0x00, 0x0a));
    write("long", "x".repeat(5000));
    for (const file of SECRETS) write(file, "hidden");
  });

  const SECRETS = ["device_token", "a.KEY", "secret.txt", "keys/x", "hub/trusted_keys.pem.new"];
  const OUTPUTS = [
    ["ls box", "      dir  apps\n        5  notes.txt\n"],
    ["ls /lfs/box", "      dir  apps\n        5  notes.txt\n"],
    ["ls box/apps", "    70000  clock.wasm\n"],
    ["ls /lfs/box/apps/../apps/.", "    70000  clock.wasm\n"],
    ["ls notes.txt", "notes.txt\n"],
    ['cat "/lfs/a b.txt"', "größe\n\tzwei\n"],
    ["cat raw", "A.[.\n"],
    ["cat long", `${"x".repeat(4096)}\n(904 more bytes)\n`],
    ["cat box", '"box" is not a file.\n'],
    ...["hub/trusted_keys.pem", ...SECRETS].map(
      (file) => [`cat /lfs/${file}`, `Cannot show "/lfs/${file}": it may hold a secret.\n`] as const,
    ),
  ] as const;
  test.each(OUTPUTS)("%s", async (line, output) => expect(await console.shell(line)).toBe(output));
});

test("The commands of apps print what has happened, or the reason of a failure", async () => {
  const file = packageOf(await moduleOf('(module (func (export "main") (loop (br 0))))'));
  await installOverHttp(console, { file, signature: console.publisher.sign(file) });
  const SESSION: readonly (readonly [string, string])[] = [
    ["app list", "tetris  1.0.0  stopped\n"],
    ["app start tetris", "Started tetris.\n"],
    ["app start tetris", '"tetris" is already running\n'],
    ["app list", "tetris  1.0.0  running\n"],
    ["app status", "tetris  1.0.0  wasm3  in front\n"],
    ["app background tetris perhaps", '"perhaps" is neither "on" nor "off".\n'],
    ["app background tetris on", "tetris may run in the background.\n"],
    ["app background tetris off", "tetris runs only in front.\n"],
    ["app stop tetris", "Stopped tetris.\n"],
    ["app stop tetris", '"tetris" is not running\n'],
    ["app list", "tetris  1.0.0  stopped  last exit: stopped\n"],
    ["app uninstall tetris", "Uninstalled tetris.\n"],
    ["app uninstall tetris", 'No app is named "tetris"\n'],
  ];
  for (const [line, output] of SESSION) expect([line, await asOwner(line)]).toEqual([line, output]);
});

test("The owner sets a hub, and none, and an invalid address is rejected", async () => {
  const HUB = "http://127.0.0.1:9"; // nothing listens there
  expect(await asOwner("hub register")).toBe("The console has no hub\n");
  expect(await asOwner(`hub set ${HUB} --same-hub`)).toContain("The console has no hub");
  expect(await asOwner(`hub set ${HUB}`)).toBe(`The hub is ${HUB}.\n`);
  expect(await console.shell("hub status")).toBe(`url: ${HUB}\nconnected: false\n`);
  expect(await asOwner("hub set nowhere")).toContain('"nowhere" is not the address of a hub');
  expect(await asOwner("hub set")).toBe("Usage: hub set URL [--same-hub]\n");
  expect(await asOwner(`hub set ${HUB} --other-hub`)).toContain('"--other-hub" is not an option');
  expect(await console.shell(`hub set ${HUB} --same-hub`)).toContain(
    "use the cable or send the console's bearer token",
  );
  expect(await asOwner('hub set ""')).toBe("The console has no hub.\n");
});
