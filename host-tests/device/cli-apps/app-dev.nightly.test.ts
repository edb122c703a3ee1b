/** `svc app dev` with a console, over HTTP and USB. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Publisher } from "../../hosts/publisher.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { SvcProcess } from "../../hosts/svc-process.js";

const TRANSPORTS = [
  { name: "over HTTP", address: (console: Console) => console.http },
  { name: "over USB", address: (console: Console) => `usb:${console.usb}` },
];

/** A program that logs `greeting`, and then runs `then`, by default an endless sleep. */
const program = (greeting: string, then = "while (true) sleepMs(1000);") => `
import { log, LogLevel, sleepMs } from "svc";
export function main(): i32 {
  log(LogLevel.INFO, "${greeting}");
  ${then}
  return 0;
}
`;

for (const { name, address } of TRANSPORTS)
  describe(`svc app dev ${name}`, () => {
    const publisher = new Publisher();
    let directory: string;
    let state: string;
    let console: Console;
    let svc: SvcProcess;

    const app = () => path.join(directory, "hello");
    const save = (text: string) => writeFileSync(path.join(app(), "main.ts"), text);
    const saveManifest = (fields: object = {}) =>
      writeFileSync(
        path.join(app(), "manifest.json"),
        JSON.stringify({ name: "hello", version: "1.0.0", capabilities: [], memory_quota: 65536, ...fields }),
      );
    const develop = (...flags: readonly string[]) => {
      const key = path.join(directory, "key.pem");
      svc = new SvcProcess("app", "dev", app(), "--device", address(console), "--key", key, ...flags);
      return svc;
    };
    const listed = async () => (await fetch(`${console.http}/api/apps/list`)).json();
    const post = (path: string) => fetch(`${console.http}${path}`, { method: "POST" });

    beforeAll(async () => {
      directory = mkdtempSync(path.join(tmpdir(), "app-dev-"));
      state = path.join(directory, "state");
      mkdirSync(app());
      writeFileSync(path.join(directory, "key.pem"), publisher.privatePem);
      publisher.becomeTrusted(state);
      console = await startConsole({ state });
    });
    afterAll(async () => {
      await console?.stop();
      rmSync(directory, { recursive: true, force: true });
    });
    beforeEach(() => {
      saveManifest();
      save(program("one"));
    });
    afterEach(async ({ task }) => {
      if (task.result?.state === "fail")
        process.stderr.write(`${[...svc.stdout, ...svc.stderr].join("\n")}\n`);
      await svc?.interrupt();
      await post("/api/apps/stop?name=hello");
      await post("/api/apps/uninstall?name=hello"); // since the next test may install an older version
    });

    test("installs and starts an app, shows its log, and repeats this on each save", async () => {
      develop("--json");
      await svc.event("built", { name: "hello", version: "1.0.0" });
      await svc.events(["started", { name: "hello" }], ["log", { line: /app\/hello: one$/ }]);
      save(program("two"));
      await svc.events(["started", { name: "hello" }], ["log", { line: /app\/hello: two$/ }]);
      saveManifest({ version: "1.1.0" });
      await svc.event("installed", { version: "1.1.0" });
      await svc.event("log", { line: /app\/hello: two$/ });
      expect(await listed()).toMatchObject([{ name: "hello", version: "1.1.0", state: "running" }]);
    });

    test("shows no log lines of earlier starts", async () => {
      save(program("a new greeting"));
      develop("--json");
      await svc.event("log", { line: /a new greeting$/ });
      const logs = svc.stdout.map((line) => JSON.parse(line)).filter(({ event }) => event === "log");
      expect(logs.filter(({ line }) => /app\/hello: (?:one|two)$/.test(line))).toEqual([]);
    });

    test("keeps the running app while the build fails, and continues with the next save", async () => {
      develop("--json");
      await svc.event("started");
      save("export function main(): i32 { return nothing; }");
      const { message } = await svc.event("failed", { stage: "build", error: "compile_failed" });
      expect(message).toContain("nothing");
      expect(await listed()).toMatchObject([{ name: "hello", state: "running" }]);
      save(program("three").replace("{ log,", "{ buttons, log,").replace("log(", "buttons(); log("));
      await svc.event("failed", { stage: "build", error: "capability_missing" });
      saveManifest({ capabilities: ["gpio.read"] });
      await svc.event("log", { line: /app\/hello: three$/ });
    });

    test("shows the trap of an app", async () => {
      save(program("careful", "unreachable();"));
      develop("--json");
      const { stack } = await svc.event("log", { line: /apps: "hello" ended: trap: .*unreachable/ });
      expect(stack).toEqual([{ function: "main/main", file: "main.ts", line: 5 }]);
    });

    test("reports an older version, and advises svc uninstall", async () => {
      saveManifest({ version: "1.1.0" });
      develop("--json");
      await svc.event("installed", { version: "1.1.0" });
      saveManifest({ version: "1.0.0" });
      const { advice } = await svc.event("failed", { stage: "install", error: "version_older" });
      expect(advice).toContain("svc uninstall");
    });

    test("reports an untrusted key, and advises how to trust it", async () => {
      writeFileSync(path.join(directory, "key.pem"), new Publisher().privatePem);
      develop("--json");
      const { advice } = await svc.event("failed", { stage: "install", error: "signature_invalid" });
      expect(advice).toContain("trust");
      writeFileSync(path.join(directory, "key.pem"), publisher.privatePem);
    });

    test("starts the app again after a restart of the console, and shows its log", async () => {
      develop("--json");
      await svc.event("log", { line: /app\/hello: one$/ });
      await post("/api/reboot");
      await svc.event("away");
      await svc.event("ready", { device: console.name });
      await svc.events(["started", { is_again: true }], ["log", { line: /app\/hello: one$/ }]);
      save(program("two"));
      await svc.event("log", { line: /app\/hello: two$/ });
    });

    test("does not restart an app that had ended by itself", async () => {
      save(program("done", ""));
      develop("--json");
      await svc.event("log", { line: /"hello" ended: exit 0/ });
      await post("/api/reboot");
      await svc.event("away");
      await svc.event("ready");
      save(program("two"));
      expect(await svc.event("started")).not.toHaveProperty("is_again");
    });

    test("waits for a console that is away, and installs what was saved meanwhile", async () => {
      develop("--json");
      await svc.event("log", { line: /app\/hello: one$/ });
      const port = new URL(console.http).port;
      await console.stop();
      await svc.event("away");
      save(program("two"));
      await svc.event("built");
      console = await startConsole({ state, flags: ["--http-port", port] });
      await svc.event("ready");
      await svc.event("log", { line: /app\/hello: two$/ });
    });

    test("ends at Ctrl-C with status 130, reports that the app stays installed, and leaves it running", async () => {
      develop();
      await svc.line((line) => line.startsWith("hello 1.0.0 runs, "));
      expect(await svc.interrupt()).toBe(130);
      expect(svc.stderr.at(-1)).toBe(`hello stays installed on ${console.name}`);
      expect(await listed()).toMatchObject([{ name: "hello", state: "running" }]);
    });
  });

test("svc app dev ends with status 1 without a console, or without an app", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "app-dev-"));
  try {
    writeFileSync(path.join(directory, "key.pem"), new Publisher().privatePem);
    const flags = ["--key", path.join(directory, "key.pem"), "--device"];
    const nowhere = new SvcProcess("app", "dev", directory, ...flags, `usb:${directory}/usb`);
    expect(await nowhere.ended).toBe(1);
    expect(nowhere.stderr.join("\n")).toMatch(/^svc: device_not_found: /m);
    const noApp = new SvcProcess("app", "dev", path.join(directory, "app"), ...flags, "http://127.0.0.1:1");
    expect(await noApp.ended).toBe(1);
    expect(noApp.stderr[0]).toMatch(/^svc: file_not_found: Cannot read ".*": no such file/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("svc app dev ends with status 1 when its token is replaced, and advises what to do", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "app-dev-"));
  const publisher = new Publisher();
  publisher.becomeTrusted(path.join(directory, "state"));
  const flags = ["--config", "CONFIG_SVC_HTTP_AUTH=on"];
  const console = await startConsole({ state: path.join(directory, "state"), flags });
  const tokenOf = async (...more: readonly string[]) => {
    const asking = new SvcProcess("token", ...more, "--device", `usb:${console.usb}`);
    expect(await asking.ended).toBe(0);
    return asking.stdout[0] as string;
  };
  try {
    const app = path.join(directory, "hello");
    const key = path.join(directory, "key.pem");
    mkdirSync(app);
    writeFileSync(key, publisher.privatePem);
    writeFileSync(path.join(app, "main.ts"), program("one"));
    const manifest = { name: "hello", version: "1.0.0", capabilities: [], memory_quota: 65536 };
    writeFileSync(path.join(app, "manifest.json"), JSON.stringify(manifest));
    const token = await tokenOf();
    const svc = new SvcProcess("app", "dev", app, "--key", key, "--device", console.http, "--token", token);
    await svc.line((line) => line.startsWith("hello 1.0.0 runs, "));
    await tokenOf("--replace");
    expect(await svc.ended).toBe(1);
    expect(svc.stderr.join("\n")).toMatch(/^svc: unauthorized: .+\n.*`svc token`, both over USB\.$/m);
  } finally {
    await console.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
