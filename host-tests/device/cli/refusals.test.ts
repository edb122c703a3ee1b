/** Errors of `svc`: their codes, messages and advice. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeImage } from "../../../tools/image.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bundleOf } from "../../hosts/firmware-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { SVC, svc, svcFailure, svcJson, temporaryFolder } from "./svc-process.js";

const GIB = 2 ** 30;

const folder = temporaryFolder();
afterAll(() => folder.remove());
const fileOf = (name: string) => path.join(folder.path, name);

let console: AppConsole;
const on = (...args: string[]) => [...args, "--device", console.http];

beforeAll(async () => {
  console = await startAppConsole();
  const app = packageOf(await moduleOf(`(module (func (export "main")))`), { name: "small" });
  const stranger = new Publisher();
  writeFileSync(fileOf("small.svcpkg"), app);
  writeFileSync(fileOf("small.svcpkg.sig"), stranger.sign(app));
  const image = writeImage({ program: "export default function main() {}\n", version: "9.0.0" });
  writeFileSync(fileOf("stranger.svcfw"), bundleOf(image, stranger));
  writeFileSync(fileOf("keys.pem"), console.publisher.pem);
  writeFileSync(fileOf("empty"), "");
  writeFileSync(fileOf("huge"), "");
  truncateSync(fileOf("huge"), 3 * GIB); // a sparse file
});
afterAll(() => console.stop());

describe("Output that cannot be written ends svc with status 1:", () => {
  const full = (args: readonly string[]) =>
    new Promise<readonly [number | string | null | undefined, string]>((resolve) => {
      const command = ["-c", 'exec "$0" "$@" >/dev/full', process.execPath, SVC, ...args];
      execFile("bash", command, (error, _stdout, stderr) => resolve([error ? error.code : 0, stderr]));
    });

  for (const args of [["--version"], ["--help"], ["app", "--help"], ["completion", "bash"]])
    test(`svc ${args.join(" ")}`, async () => {
      const [status, stderr] = await full(args);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^svc: output_not_written: .* \(ENOSPC\)\n.*\n$/);
    });

  test("svc apps --json reports it once", async () => {
    const [status, stderr] = await full(on("apps", "--json"));
    expect([status, JSON.parse(stderr).error]).toEqual([1, "output_not_written"]);
  });

  test("svc logs --follow ends", async () => {
    const [status, stderr] = await full(on("logs", "--follow"));
    expect([status, stderr.split("\n")[0]]).toEqual([1, expect.stringContaining("ENOSPC")]);
  });
});

describe("An unusable file is reported by name, before any request:", () => {
  const FILES = [
    { file: () => fileOf("missing"), error: "file_not_found" },
    { file: () => folder.path, error: "file_unreadable" },
    { file: () => "/dev/zero", error: "file_unreadable" },
    { file: () => fileOf("huge"), error: "file_too_large" },
    { file: () => fileOf("empty"), error: "file_empty" },
  ];
  const COMMANDS = [
    ["install"],
    ["ota", "upload"],
    ["verify", "--keys", "/dev/null"],
    ["firmware", "pack", "--key", "KEY", "--out", "out.svcfw"],
  ];
  for (const { file, error } of FILES)
    for (const words of COMMANDS.slice(0, error === "file_empty" ? COMMANDS.length : 1))
      test(`${error} from svc ${words.slice(0, 2).join(" ")}`, async () => {
        writeFileSync(fileOf("key.pem"), console.publisher.privatePem);
        const args = words.map((word) => (word === "KEY" ? fileOf("key.pem") : word));
        const told = await svcFailure([...args, file()], {
          environment: { SVC_DEVICE: "http://127.0.0.1:1" },
        });
        expect(told).toMatchObject({ error, message: expect.stringContaining(`"${file()}"`) });
      });

  test("a file over the console's limit is not sent", async () => {
    writeFileSync(fileOf("large"), new Uint8Array(1024 * 1024 + 1));
    expect(await svcFailure(on("install", fileOf("large")))).toMatchObject({ error: "file_too_large" });
  });

  test("svc screen does not create a missing directory for --out", async () => {
    const out = fileOf("nowhere/screen.png");
    const told = await svcFailure(on("screen", "--out", out));
    expect(told).toMatchObject({ error: "file_not_written", advice: expect.any(String) });
    expect(existsSync(path.dirname(out))).toBe(false);
  });

  test("an invalid key is key_invalid, with advice", async () => {
    const args = ["install", fileOf("small.svcpkg"), "--key", fileOf("keys.pem")];
    expect(await svcFailure(on(...args))).toMatchObject({
      error: "key_invalid",
      advice: expect.stringContaining("keygen"),
    });
  });
});

describe("A path that is not a serial port is not_a_console:", () => {
  for (const device of ["usb:/tmp", "/etc/passwd", "usb:/dev/null"])
    test(device, async () => {
      const told = await svcFailure(["status", "--device", device]);
      expect([told.error, told.message]).toEqual([
        "not_a_console",
        `Cannot open "${device.replace("usb:", "")}": it is not a serial port`,
      ]);
    });
});

describe("Invalid arguments end svc with status 2 and wrong_usage, also without --json:", () => {
  const WRONG = [
    { args: ["discover", "--timeout-ms", "x"], says: "--timeout-ms" },
    { args: ["status", "--device", "ftp://x"], says: "ftp://x" },
    { args: ["status", "--device", "http://"], says: '"http://"' },
    { args: ["statu"], says: "unknown command 'statu'" },
    { args: ["status", "--loud"], says: "unknown option '--loud'" },
    {
      args: ["--device", "http://127.0.0.1:1", "keygen", "--out", "x"],
      says: "applies only to commands for a console",
    },
    {
      args: ["hub", "--device", "http://127.0.0.1:1", "login"],
      says: "applies only to commands for a console",
    },
    { args: [], says: "No command given" },
    { args: ["app"], says: "No command given" },
    { args: ["hub", "publisher"], says: "No command given" },
  ];
  for (const { args, says } of WRONG)
    test(`svc ${args.join(" ")}`, async () => {
      const [{ status, stdout, stderr }, asJson] = await Promise.all([svc(args), svc(["--json", ...args])]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr.split("\n").find((line) => line.startsWith("svc: wrong_usage: "))).toContain(says);
      expect([asJson.status, asJson.stdout]).toEqual([2, ""]);
      expect(JSON.parse(asJson.stderr)).toMatchObject({ error: "wrong_usage", advice: expect.any(String) });
    });
});

test("An untrusted signature names its key, the trusted keys, and the command that signs with another key", async () => {
  const folder = temporaryFolder();
  const [own, other] = [new Publisher(), new Publisher()];
  mkdirSync(path.join(folder.path, ".console/keys"), { recursive: true });
  writeFileSync(path.join(folder.path, ".console/keys/publisher.pem"), other.privatePem);
  const app = packageOf(await moduleOf('(module (memory (export "memory") 1) (func (export "main")))'), {});
  writeFileSync(path.join(folder.path, "app.svcpkg"), app);
  writeFileSync(path.join(folder.path, "app.svcpkg.sig"), other.sign(app));
  writeFileSync(path.join(folder.path, "own.pem"), own.privatePem);
  const trusting = await startAppConsole({ publisher: own });
  const install = ["install", "app.svcpkg", "--device", trusting.http];
  const refused = await svc(install, { cwd: folder.path });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(
    `signed with key "${other.hex.slice(0, 16)}" (.console/keys/publisher.pem)`,
  );
  expect(refused.stderr).toContain(`trusted: "${own.hex.slice(0, 16)}"`);
  expect(refused.stderr).toContain("`svc install app.svcpkg --key PEM`");
  expect((await svc([...install, "--key", "own.pem"], { cwd: folder.path })).status).toBe(0);
  await trusting.stop();
  folder.remove();
});

describe("svc gives advice for", () => {
  const ADVICE = [
    { args: () => ["install", fileOf("small.svcpkg")], error: "signature_invalid", says: "--key PEM" },
    { args: () => ["start", "nothing"], error: "app_not_found", says: "svc apps" },
    { args: () => ["ota", "confirm"], error: "nothing_pending", says: "svc ota status" },
    { args: () => ["ota", "upload", fileOf("keys.pem")], error: "bundle_magic", says: "svc firmware pack" },
    {
      args: () => ["ota", "upload", fileOf("stranger.svcfw")],
      error: "signature_invalid",
      says: "`svc firmware pack IMAGE --key PEM",
    },
    { args: () => ["install", fileOf("keys.pem")], error: "media_type_unsupported", says: ".svcpkg" },
  ];
  for (const { args, error, says } of ADVICE)
    test(`${error}, mentioning ${says}`, async () => {
      expect(await svcFailure(on(...args()))).toMatchObject({
        error,
        advice: expect.stringContaining(says),
      });
    });

  const VERIFIED = [
    { keys: "keys.pem", error: "signature_invalid", says: "--key PEM" },
    { keys: "small.svcpkg", error: "keys_invalid", says: "publisher.pub.pem" },
  ];
  for (const { keys, error, says } of VERIFIED)
    test(`${error} of svc verify`, async () => {
      const told = await svcFailure(["verify", fileOf("small.svcpkg"), "--keys", fileOf(keys)]);
      expect(told).toMatchObject({ error, advice: expect.stringContaining(says) });
    });
});

describe("Common options work before any word of a command:", () => {
  const nowhere = "http://127.0.0.1:1";
  const PLACES = [
    { name: "svc --json --device URL apps", args: () => ["--json", "--device", console.http, "apps"] },
    {
      name: "svc ota --json --device URL status",
      args: () => ["ota", "--json", "--device", console.http, "status"],
    },
    {
      name: "svc --device URL ota --device URL --json status, where the second URL counts",
      args: () => ["--device", nowhere, "ota", "--device", console.http, "--json", "status"],
    },
    {
      name: "svc ota --device URL status --device URL --json, where the second URL counts",
      args: () => ["ota", "--device", nowhere, "status", "--device", console.http, "--json"],
    },
  ];
  for (const { name, args } of PLACES)
    test(name, async () => {
      const { status, stdout, stderr } = await svc(args());
      expect([status, stderr]).toEqual([0, ""]);
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    });

  test("svc app --json reports a missing command", async () => {
    const { status, stdout, stderr } = await svc(["app", "--json"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ error: "wrong_usage", message: "No command given" });
  });
});

test("svc app dev without a console reports device_unreachable only, not its cancelled build", async () => {
  const directory = fileOf("blocks");
  await svcJson(["app", "new", directory, "--lang", "assemblyscript"]);
  writeFileSync(fileOf("key.pem"), console.publisher.privatePem);
  const args = ["app", "dev", directory, "--key", fileOf("key.pem"), "--device", "http://127.0.0.1:1"];
  const told = await svcFailure(args);
  expect(told).toMatchObject({ error: "device_unreachable" });
});
