/** Output and errors of every console command of `svc`, over both transports. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bundleOf, firmwareImage } from "../../hosts/firmware-files.js";
import { getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { kindsInTier } from "../../tier.js";
import { svc, svcFailure, svcJson, temporaryFolder } from "./svc-process.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const fileOf = (name: string) => path.join(folder.path, name);

let console: AppConsole;
let app: Uint8Array;

beforeAll(async () => {
  console = await startAppConsole();
  const module = await moduleOf(`(module
    (import "svc" "sleep_ms" (func $sleep (param i32)))
    (func (export "main") (loop $ever (call $sleep (i32.const 1000)) (br $ever))))`);
  app = packageOf(module, { author: "Ada", capabilities: ["display.write", "gpio.read"] });
  writeFileSync(fileOf("tetris.svcpkg"), app);
  writeFileSync(fileOf("tetris.svcpkg.sig"), `${console.publisher.sign(app)}\n`);
  writeFileSync(fileOf("unsigned.svcpkg"), app);
  writeFileSync(fileOf("publisher.pem"), console.publisher.privatePem);
  writeFileSync(fileOf("stranger.pem"), new Publisher().privatePem);
  writeFileSync(fileOf("text.txt"), "Nothing to install");
  writeFileSync(fileOf("next.svcfw"), bundleOf(await firmwareImage({ version: "0.9.0" }), console.publisher));
});
afterAll(() => console.stop());

const TRANSPORTS = [
  { over: "HTTP", deviceOf: (at: AppConsole) => at.http },
  { over: "USB", deviceOf: (at: AppConsole) => `usb:${at.usb}` },
];

describe.each(kindsInTier(TRANSPORTS))("svc over $over", ({ over, deviceOf }) => {
  const on = (...args: string[]) => [...args, "--device", deviceOf(console)];
  const run = (...args: string[]) => svc(on(...args));
  const json = (...args: string[]) => svcJson(on(...args));
  const failure = (...args: string[]) => svcFailure(on(...args));

  test("prints the console's JSON answers with --json", async () => {
    const { uptime_ms, free_heap_bytes, ...status } = await getJson(`${console.http}/api/status`);
    expect(await json("status")).toMatchObject(status);
    const { name, mac, limits } = await getJson(`${console.http}/api/system`);
    expect(await json("system")).toMatchObject({ name, mac, limits });
    expect(await json("ota", "status")).toEqual(await getJson(`${console.http}/api/ota/status`));
    expect(await json("apps")).toEqual([]);
    expect(await json("buttons", "a", "left")).toEqual({ pressed: 20 });
    expect(await json("buttons")).toEqual({ pressed: 0 });
  });

  test("prints answers as text without --json", async () => {
    const { status, stdout, stderr } = await run("status");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Firmware {5}\d+\.\d+\.\d+ \(\w+\)\nUptime {7}.* s\nFree memory {2}.* KiB\n/);
    expect((await run("system")).stdout).toContain("MAC address   02:");
    expect((await run("apps")).stdout).toBe("none\n");
  });

  test("shows an app's capabilities at install, and starts, stops and uninstalls it", async () => {
    const installed = await run("install", fileOf("tetris.svcpkg"));
    expect([installed.status, installed.stdout]).toEqual([
      0,
      expect.stringMatching(/^tetris 1\.0\.0 is installed, /),
    ]);
    expect(installed.stderr).toContain("tetris 1.0.0 by Ada");
    expect(installed.stderr).toMatch(/display\.write {2}Draw on the display\.\n {2}gpio\.read {6}Read pins/);
    expect(await json("start", "tetris")).toMatchObject({
      name: "tetris",
      state: "running",
      engine: "wasm3",
    });
    expect(await failure("start", "tetris")).toMatchObject({ error: "app_running" });
    expect((await run("stop", "tetris")).stdout).toBe("tetris 1.0.0 is stopped\n");
    expect((await run("apps")).stdout).toMatch(/^tetris {2}1\.0\.0 {2}stopped .*display\.write gpio\.read/);
    expect(await json("apps")).toEqual(await console.apps());
    expect(await json("uninstall", "tetris")).toEqual({ removed: "tetris" });
    expect(await failure("uninstall", "tetris")).toMatchObject({ error: "app_not_found" });
  });

  test("signs with --key, and starts the installed app with --start", async () => {
    const args = ["install", fileOf("unsigned.svcpkg"), "--key", fileOf("publisher.pem"), "--start"];
    expect(await json(...args)).toMatchObject({ name: "tetris", state: "running" });
    expect(await json("uninstall", "tetris")).toEqual({ removed: "tetris" });
  });

  const file = (name: string) => ["install", fileOf(name)];
  const REFUSED = [
    {
      name: "without a signature beside the file",
      args: () => file("unsigned.svcpkg"),
      error: "signature_missing",
    },
    {
      name: "with the signature of another file",
      args: () => [...file("tetris.svcpkg"), "--signature", console.publisher.sign(new Uint8Array(1))],
      error: "signature_invalid",
    },
    {
      name: "with an untrusted key",
      args: () => [...file("tetris.svcpkg"), "--key", fileOf("stranger.pem")],
      error: "signature_invalid",
    },
    { name: "of a text file", args: () => file("text.txt"), error: "media_type_unsupported" },
    { name: "of firmware", args: () => file("next.svcfw"), error: "media_type_unsupported" },
    { name: "of a missing file", args: () => file("missing"), error: "file_not_found" },
  ];
  for (const { name, args, error } of REFUSED)
    test(`rejects an install ${name}, and changes nothing on the console`, async () => {
      const before = await console.trace();
      const told = await failure(...args());
      expect(told).toMatchObject({ error });
      const people = await run(...args());
      expect([people.status, people.stdout]).toEqual([1, ""]);
      expect(people.stderr).toContain(`svc: ${error}: ${told.message}\n`);
      if (told.advice) expect(people.stderr.endsWith(`\n${told.advice}\n`)).toBe(true);
      expect(await console.trace()).toEqual(before);
    });

  test("saves a screenshot", async () => {
    const out = fileOf(`${over}.png`);
    expect(await json("screen", "--out", out)).toMatchObject({ file: out });
    expect(readFileSync(out).subarray(1, 4).toString()).toBe("PNG");
  });

  test("sends a command to the shell, or each line of standard input", async () => {
    expect(await json("shell", "uptime")).toEqual({ output: expect.stringMatching(/ s\n$/) });
    const piped = await svc(on("shell", "--json"), { input: "uptime\n\nnonsense\n" });
    const answers = piped.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).output);
    expect(answers).toEqual([
      expect.stringMatching(/ s\n$/),
      expect.stringContaining('no command "nonsense"'),
    ]);
  });

  test("ends with status 1 after a failed shell command, also if a later one in the input succeeds", async () => {
    const refused = await svc(on("shell", "cat", "/lfs/no such file"));
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining("no such file") });
    expect(refused.stderr).toContain("not_found");
    const piped = await svc(on("shell", "--json"), { input: "app start nothing\nuptime\n" });
    expect(piped).toMatchObject({ status: 1, stderr: expect.stringContaining("app_not_found") });
    expect(piped.stdout.trim().split("\n")).toHaveLength(2);
  });

  test("continues the shell's input after a command that restarts the console", async () => {
    const from = console.stderr.length;
    const { status, stdout } = await svc(on("shell", "--json"), { input: "reboot\nuptime\nhelp\n" });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).output);
    const [reboot, uptime, help] = answers;
    expect([status, reboot, uptime]).toEqual([0, "Rebooting.\n", expect.stringMatching(/ s\n$/)]);
    expect(help).toContain("reboot");
    await console.waitForLine(/ is ready: /, from);
  });

  test("waits for a console that is restarting", async () => {
    const from = console.stderr.length;
    await json("reboot");
    expect(await json("system")).toMatchObject({ reset_reason: "software" });
    await console.waitForLine(/ is ready: /, from);
  });

  test("passes unknown options to the console's shell command", async () => {
    expect((await svc(on("shell", "cat", "-x"))).stdout).toContain("-x");
    const last = ["shell", "--device", deviceOf(console), "--", "cat", "--json"];
    expect((await svc(last)).stdout).toContain("--json");
  });

  test("shows the whole stored log, or the lines of a level", async () => {
    const { lines } = await json("logs");
    expect(lines).toEqual((await getJson(`${console.http}/api/logs`)).lines);
    expect((await run("logs")).stdout).toBe(`${lines.join("\n")}\n`);
    const errors = (await json("logs", "--level", "error")).lines;
    expect(errors).toEqual(lines.filter((line: string) => / E /.test(line)));
  });

  test("shows the console's network and token over USB, and fails with usb_only over HTTP", async () => {
    const asked = [["wifi", "status"], ["wifi", "scan"], ["token"]];
    for (const words of asked) {
      if (over === "HTTP") expect(await failure(...words)).toMatchObject({ error: "usb_only" });
      else expect(await json(...words)).toBeTypeOf("object");
    }
  });

  test("shows the settings, and changes them for the owner alone", async () => {
    const before = await json("settings");
    expect(before).toEqual(await getJson(`${console.http}/api/settings`));
    const change = ["settings", "brightness_percent=60", "start_app="];
    if (over === "HTTP") expect(await failure(...change)).toMatchObject({ error: "unauthorized" });
    else {
      expect((await run(...change)).stdout).toContain("start_app=\nbrightness_percent=60\n");
      expect(await failure("settings", "brightness_percent=5")).toMatchObject({ error: "bad_parameter" });
      expect(await json("settings", "brightness_percent=100")).toEqual(before);
    }
    const error = over === "HTTP" ? "unauthorized" : "app_not_found";
    expect(await failure("background", "nothing", "on")).toMatchObject({ error });
  });

  test("restarts the console and waits for it with --wait", async () => {
    const { status, stdout } = await run("reboot", "--wait");
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^the console is back after /)]);
    expect(await json("system")).toMatchObject({ reset_reason: "software" });
  });

  test("says that a console without a loader cannot restart into one", async () => {
    const error = over === "HTTP" ? "usb_only" : "not_implemented";
    expect(await failure("reboot", "--loader")).toMatchObject({ error });
  });

  test("ends with status 2 and wrong_usage for missing or invalid arguments", async () => {
    const WRONG = [
      ["install"],
      ["install", fileOf("tetris.svcpkg"), "--signature", "0123"],
      ["install", fileOf("tetris.svcpkg"), "--signature", "z".repeat(128)],
      ["logs", "--level", "loud"],
      ["buttons", "z"],
      ["reboot", "--loader", "--wait"],
      ["screen"],
      ["start", "a", "b"],
    ];
    for (const args of WRONG) {
      const { status, stdout, stderr } = await svc([...on(...args), "--json"]);
      expect([args, status, stdout]).toEqual([args, 2, ""]);
      expect(JSON.parse(stderr)).toMatchObject({ error: "wrong_usage" });
    }
  });
});

test("svc wifi join with an empty password changes nothing, and advises --open", async () => {
  const usb = ["--device", `usb:${console.usb}`, "--json"];
  const before = await svcJson(["wifi", "status", "--device", `usb:${console.usb}`]);
  const { status, stdout, stderr } = await svc(["wifi", "join", "Simulated", ...usb], { input: "\n" });
  expect([status, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr)).toMatchObject({
    error: "wrong_usage",
    advice: expect.stringContaining("--open"),
  });
  const after = await svcJson(["wifi", "status", "--device", `usb:${console.usb}`]);
  expect(after).toMatchObject({ state: before.state, ssid: before.ssid });
});

describe.each(kindsInTier(TRANSPORTS))("svc ota over $over", ({ deviceOf }) => {
  test("uploads firmware, waits for its trial, and confirms it", async () => {
    const fresh = await startAppConsole({ publisher: console.publisher });
    const on = (...args: string[]) => svcJson([...args, "--device", deviceOf(fresh)]);
    try {
      expect(await on("ota", "upload", fileOf("next.svcfw"), "--wait")).toMatchObject({
        state: "pending_confirm",
        running_version: "0.9.0",
      });
      expect(await on("ota", "confirm")).toMatchObject({ state: "idle", running_version: "0.9.0" });
      const again = await svcFailure(["ota", "confirm", "--device", deviceOf(fresh)]);
      expect(again).toMatchObject({ error: "nothing_pending" });
      expect(await on("ota", "upload", fileOf("next.svcfw"), "--confirm")).toMatchObject({
        state: "idle",
        last_result: { result: "confirmed", version: "0.9.0" },
      });
    } finally {
      await fresh.stop();
    }
  });
});

describe("svc reports why it has no console:", () => {
  test("a closed port is device_unreachable, with advice", async () => {
    const { error, message, advice } = await svcFailure(["status", "--device", "http://127.0.0.1:1"]);
    expect([error, message]).toEqual(["device_unreachable", expect.stringContaining("http://127.0.0.1:1")]);
    expect(advice).toContain("svc discover");
  });

  test("a web server is not_a_console", async () => {
    const server = createServer((_request, response) => response.end("<h1>It works!</h1>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await svcFailure(["status", "--device", at])).toMatchObject({ error: "not_a_console" });
    server.close();
  });

  test("a missing serial port is device_not_found", async () => {
    const told = await svcFailure(["status", "--device", "usb:/dev/no-such-port"]);
    expect(told).toMatchObject({
      error: "device_not_found",
      message: expect.stringContaining("/dev/no-such-port"),
    });
  });

  test("a serial port in use is port_busy, with advice", async () => {
    const holder = await UsbClient.open(console.usb);
    const told = await svcFailure(["status", "--device", `usb:${console.usb}`]);
    await holder.close();
    expect(told).toMatchObject({ error: "port_busy", advice: expect.stringContaining("Another program") });
  });
});

test("svc finds the simulated console in its working directory, and the one in SVC_DEVICE", async () => {
  const beside = temporaryFolder();
  const state = path.join(beside.path, ".console");
  const near = await startAppConsole({ state });
  const { name } = await near.app("stop").then(() => getJson(`${near.http}/api/system`));
  expect(await svcJson(["system"], { cwd: beside.path })).toMatchObject({ name });
  expect(await svcJson(["system", "--device", name.toLowerCase()], { cwd: beside.path })).toMatchObject({
    name,
  });
  const environment = { SVC_DEVICE: near.http };
  expect(await svcJson(["system"], { environment })).toMatchObject({ name });
  await near.stop();
  beside.remove();
});

test("svc sends the token from --token or SVC_DEVICE_TOKEN", async () => {
  const guarded = await startAppConsole({ flags: ["--config", "CONFIG_SVC_HTTP_AUTH=on"] });
  const over = ["--device", guarded.http];
  expect(await svcFailure(["status", ...over])).toMatchObject({ error: "unauthorized" });
  const { token } = await svcJson(["token", "--device", `usb:${guarded.usb}`]);
  expect(await svcJson(["status", ...over, "--token", token])).toMatchObject({ bt_mode: "off" });
  const environment = { SVC_DEVICE_TOKEN: token };
  expect(await svcJson(["logs", ...over], { environment })).toMatchObject({ dropped: 0 });
  await guarded.stop();
});
