/** From a file to a running app (docs/spec/apps.md#install-order). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import { type AppConsole, installedFiles, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { overUsb } from "../../hosts/usb-client.js";

const publisher = new Publisher();
let upload: Upload & { readonly signature: string };
let first: { files: unknown; entry: unknown } | undefined;
let drive: string;

/** Bytes that do not compress, so that the package has several chunks of every size. */
function noise(byteLength: number): string {
  let state = 1;
  let text = "";
  for (let at = 0; at < byteLength; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += `\\${(state >>> 24).toString(16).padStart(2, "0")}`;
  }
  return text;
}

beforeAll(async () => {
  const module = await moduleOf(`(module
    (import "svc" "log" (func $log (param i32 i32 i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "${noise(7000)}")
    (func $main (export "main") (loop $again (call $log (i32.const 1) (i32.const 0) (i32.const 0)) (br_if $again (i32.const 0)))))`);
  const file = packageOf(module, { description: "Falling blocks" });
  upload = { file, signature: publisher.sign(file) };
  drive = mkdtempSync(path.join(tmpdir(), "drive-"));
  mkdirSync(path.join(drive, "apps"));
  writeFileSync(path.join(drive, "apps/tetris.svcpkg"), file);
  writeFileSync(path.join(drive, "apps/tetris.svcpkg.sig"), upload.signature);
});
afterAll(() => rmSync(drive, { recursive: true, force: true }));

interface Method {
  readonly name: string;
  readonly flags?: () => string[];
  install(console: AppConsole): Promise<unknown>;
}

const METHODS: readonly Method[] = [
  { name: "over HTTP in one request", install: (console) => installOverHttp(console, upload) },
  ...[687, 2048, 3072].map((chunkBytes) => ({
    name: `over HTTP in chunks of ${chunkBytes} bytes`,
    install: (console: AppConsole) => installInHttpChunks(console, upload, chunkBytes),
  })),
  ...[7, 687, 2048, 3072].map((chunkBytes) => ({
    name: `over USB in chunks of ${chunkBytes} bytes`,
    install: (console: AppConsole) => overUsb(console, (usb) => installOverUsb(usb, upload, chunkBytes)),
  })),
  { name: "from the SD card at boot", flags: () => ["--sd", drive], install: async () => {} },
  {
    name: "from the SD card by the shell",
    flags: () => ["--sd", drive],
    install: async (console) => {
      await console.app("uninstall");
      expect(await console.shell("app install /sd/apps/tetris.svcpkg")).toBe("Installed tetris 1.0.0.\n");
    },
  },
  {
    name: "from the USB drive",
    flags: () => ["--usb-drive", drive],
    install: async (console) =>
      expect(await console.shell("app scan usb")).toBe("tetris.svcpkg: installed tetris 1.0.0\n"),
  },
];

for (const { name, flags, install } of METHODS)
  test(`A package installed ${name} gives the same files and the same entry, and runs`, async () => {
    const console = await startAppConsole({ publisher, ...(flags && { flags: flags() }) });
    try {
      await install(console);
      const [entry, ...others] = await console.apps();
      expect(others).toEqual([]);
      expect(entry).toMatchObject({
        name: "tetris",
        version: "1.0.0",
        state: "stopped",
        description: "Falling blocks",
      });
      const result = { files: installedFiles(console.state), entry };
      first ??= result;
      expect(result).toEqual(first);
      expect((await console.app("start")).status).toBe(200);
      await console.until(({ last_exit }) => last_exit?.reason === "exit");
    } finally {
      await console.stop();
    }
  });

// A small package: an upload needs 256 chunks a second, which a busy machine does not sustain over 7,000 chunks.
test("A package installed over USB in chunks of 1 byte gives the same files as over HTTP", async () => {
  const file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
  const small = { file, signature: publisher.sign(file) };
  const installed = async (install: Method["install"]) => {
    const console = await startAppConsole({ publisher });
    try {
      await install(console);
      return { files: installedFiles(console.state), apps: await console.apps() };
    } finally {
      await console.stop();
    }
  };
  const overHttp = await installed((console) => installOverHttp(console, small));
  const bytewise = await installed((console) => overUsb(console, (usb) => installOverUsb(usb, small, 1)));
  expect(overHttp.apps).toHaveLength(1);
  expect(bytewise).toEqual(overHttp);
});
