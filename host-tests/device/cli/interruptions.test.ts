/** Closed pipes and Ctrl-C: `svc` ends, and the console drops the command. */
import { execFileSync, spawn } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { type FirmwareConsole, startFirmwareConsole } from "../../hosts/firmware-console.js";
import { bundleOf, firmwareImage, padded } from "../../hosts/firmware-files.js";
import { getJson } from "../../hosts/http-client.js";
import { slowProxy } from "./slow-proxy.js";
import { SVC, Svc, svcJson, temporaryFolder } from "./svc-process.js";

const MIB = 1024 * 1024;
/** Bytes of the upload before it stalls. */
const PASSED_BYTES = MIB / 2;

const folder = temporaryFolder();
afterAll(() => folder.remove());
const fileOf = (name: string) => path.join(folder.path, name);
const app = fileOf("small.svcpkg");
const firmware = fileOf("large.svcfw");

let console: FirmwareConsole;

beforeAll(async () => {
  console = await startFirmwareConsole();
  const small = packageOf(await moduleOf(`(module (func (export "main")))`), { name: "small" });
  writeFileSync(app, small);
  writeFileSync(`${app}.sig`, console.publisher.sign(small));
  const image = padded(await firmwareImage({ version: "0.9.0" }), 2 * MIB);
  writeFileSync(firmware, bundleOf(image, console.publisher));
});
afterAll(() => console.stop());

/** Writes the package of a large app and its signature to files. */
async function largeApp(name: string): Promise<{ readonly large: string; readonly signature: string }> {
  const large = fileOf(name);
  const noise = randomFillSync(new Uint8Array(MIB / 2)); // does not compress
  const module = await moduleOf(`(module (memory 16) (func (export "main"))
    (data (i32.const 0) "${[...noise].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("")}"))`);
  const bytes = packageOf(module, { name: "large", memory_quota: MIB });
  const signature = console.publisher.sign(bytes);
  writeFileSync(large, bytes);
  writeFileSync(`${large}.sig`, signature);
  return { large, signature };
}

/** Expects that the console accepts another upload, and kept nothing of the previous one. */
async function expectClean(device: string): Promise<void> {
  expect(await svcJson(["install", app, "--device", device])).toMatchObject({ name: "small" });
  expect(await svcJson(["uninstall", "small", "--device", device])).toEqual({ removed: "small" });
  expect(await console.ota()).toMatchObject({ state: "idle", received_bytes: 0 });
  expect((await console.ota()).staged_version).toBeUndefined();
}

describe("Ctrl-C during an upload ends svc with 130, and the console drops the upload:", () => {
  test("firmware over HTTP", async () => {
    const before = console.flash().slots;
    const proxy = await slowProxy(console.http, PASSED_BYTES);
    const upload = new Svc(["ota", "upload", firmware, "--device", proxy.address]);
    await proxy.stalled;
    expect(await upload.interrupt()).toMatchObject({ status: 130, stdout: "" });
    await proxy.close();
    await console.waitForLine(/ota: stopped receiving firmware/);
    await expectClean(console.http);
    expect(Object.keys(console.flash().slots)).toEqual(Object.keys(before));
  });

  test("an app over HTTP", async () => {
    const { large } = await largeApp("large.svcpkg");
    const proxy = await slowProxy(console.http, PASSED_BYTES / 2);
    const upload = new Svc(["install", large, "--device", proxy.address]);
    await proxy.stalled;
    expect(await upload.interrupt()).toMatchObject({ status: 130, stdout: "" });
    await proxy.close();
    await expectClean(console.http);
    expect(await getJson(`${console.http}/api/apps/list`)).toEqual([]);
    expect(await svcJson(["install", large, "--device", console.http])).toMatchObject({ name: "large" });
    await svcJson(["uninstall", "large", "--device", console.http]);
  });

  test("an app over HTTP, sent in full but not yet received", async () => {
    const { large, signature } = await largeApp("behind.svcpkg");
    rmSync(`${large}.sig`);
    execFileSync("mkfifo", [`${large}.sig`]);
    const upload = new Svc(["install", large, "--device", console.http]);
    const signing = await open(`${large}.sig`, "w"); // opens once svc reads the signature, after its requests
    process.kill(console.pid, "SIGSTOP");
    await signing.write(signature);
    await signing.close();
    await upload.until(({ stderr }) => stderr.includes(" sent, the console receives and checks it\n"));
    const ended = await upload.interrupt();
    process.kill(console.pid, "SIGCONT");
    expect(ended).toMatchObject({ status: 130, stdout: "" });
    expect(ended.stderr).toContain("check with `svc apps` whether the console accepted it");
    await expectClean(console.http);
    expect(await getJson(`${console.http}/api/apps/list`)).toEqual([]);
  });

  test("firmware over USB", async () => {
    const device = `usb:${console.usb}`;
    const from = console.stderr.length;
    const upload = new Svc(["ota", "upload", firmware, "--device", device]);
    await console.waitForLine(/ota: .*20 %/, from);
    process.kill(console.pid, "SIGSTOP"); // so that the interrupt comes during the upload
    const ended = await upload.interrupt();
    process.kill(console.pid, "SIGCONT");
    expect(ended).toMatchObject({ status: 130, stdout: "" });
    await console.waitForLine(/ota: stopped receiving firmware/, from);
    await expectClean(device);
  });
});

test("Ctrl-C ends svc logs --follow with 130, and frees the port", async () => {
  const device = `usb:${console.usb}`;
  const follow = new Svc(["logs", "--follow", "--device", device]);
  await follow.until(({ stdout }) => stdout.includes("boot: "));
  expect(await follow.interrupt()).toMatchObject({ status: 130, stderr: "" });
  expect(await svcJson(["status", "--device", device])).toMatchObject({ bt_mode: "off" });
});

describe("svc ends without an error message when its output is closed:", () => {
  const reading = async (command: string) => {
    const shell = spawn("bash", ["-o", "pipefail", "-c", command, SVC, process.execPath, console.http], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    shell.stdout.on("data", (bytes) => (stdout += bytes));
    shell.stderr.on("data", (bytes) => (stderr += bytes));
    const [status] = await once(shell, "close");
    return { status, lines: stdout.split("\n").length - 1, stderr };
  };

  test("svc logs | head -1", async () => {
    const command = '"$1" "$0" logs --device "$2" | head -1';
    expect(await reading(command)).toEqual({ status: 0, lines: 1, stderr: "" });
  });

  test("svc logs --follow | head -1, at the next line", async () => {
    const command = '"$1" "$0" logs --follow --device "$2" | head -1';
    let isOver = false;
    const read = reading(command).finally(() => {
      isOver = true;
    });
    while (!isOver) await svcJson(["install", app, "--device", console.http]); // logs a line
    expect(await read).toEqual({ status: 0, lines: 1, stderr: "" });
  });

  test("svc apps, closed from the start", async () => {
    expect(await reading('"$1" "$0" apps --device "$2" >&- 2>&-')).toMatchObject({ lines: 0, stderr: "" });
  });
});
