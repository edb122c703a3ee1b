/** Every refusal of docs/spec/app-packages.md; some on each transport. The list and the storage are as before. */
import { renameSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAULT_STATUS, type FaultCode } from "../../../protocol/fault.js";
import {
  installInHttpChunks,
  installOverHttp,
  installOverUsb,
  type Upload,
} from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { REFUSED_PACKAGES } from "../../hosts/refused-packages.js";
import { UsbClient } from "../../hosts/usb-client.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";

let console: AppConsole;
let usb: UsbClient;
let file: Uint8Array;
let signature: string;

beforeAll(async () => {
  console = await startAppConsole();
  usb = await UsbClient.open(console.usb);
  file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
  signature = console.publisher.sign(file);
  expect((await installOverHttp(console, { file, signature })).status).toBe(200);
});
afterAll(async () => {
  await usb.close();
  await console.stop();
});

const signed = (bytes: Uint8Array) => ({ file: bytes, signature: console.publisher.sign(bytes) });

const REFUSALS = [
  { what: "An unsigned package", upload: () => ({ file }), status: 403, error: "signature_missing" },
  {
    what: "A package signed by an untrusted key",
    upload: () => ({ file, signature: new Publisher().sign(file) }),
    status: 403,
    error: "signature_invalid",
  },
  {
    what: "A shell script",
    upload: () => signed(new TextEncoder().encode("#!/bin/sh\nreboot\n")),
    status: 415,
    error: "media_type_unsupported",
  },
  {
    what: "An empty archive",
    upload: () => signed(gzipSync(new Uint8Array(1024))),
    status: 422,
    error: "package_invalid",
  },
  {
    what: "An invalid manifest",
    upload: () => signed(packageOf(Uint8Array.of(0), { name: "no spaces" })),
    status: 422,
    error: "manifest_invalid",
  },
  {
    what: "An invalid module",
    upload: () => signed(packageOf(Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0))),
    status: 422,
    error: "module_invalid",
  },
] as const;

const TRANSPORTS = [
  {
    over: "HTTP",
    send: (upload: Upload) => installOverHttp(console, upload),
  },
  {
    over: "HTTP in chunks",
    send: (upload: Upload) => installInHttpChunks(console, upload, 300),
  },
  {
    over: "USB",
    send: (upload: Upload) => installOverUsb(usb, upload, 2048),
  },
] as const;

for (const { what, upload, status, error } of REFUSALS)
  for (const { over, send } of TRANSPORTS)
    test(`${what} is ${status} ${error} over ${over}, and nothing changes`, async () => {
      const before = await console.trace();
      const answer = await send(upload());
      expect(answer).toMatchObject({ status, body: { error, message: expect.any(String) } });
      expect(await console.trace()).toEqual(before);
    });

/** Over HTTP only: what is wrong with them is read by the same code, whatever brings them. */
const OVER_HTTP: readonly {
  readonly name: string;
  readonly upload: () => Upload | Promise<Upload>;
  readonly code: FaultCode;
  readonly details?: Readonly<Record<string, unknown>>;
}[] = [
  ...REFUSED_PACKAGES.map((refused) => ({ ...refused, upload: async () => signed(await refused.file()) })),
  { name: "An AOT file without a signature", upload: () => ({ file: aotFile() }), code: "signature_missing" },
  {
    name: "A signature that is not hexadecimal",
    upload: () => ({ file, signature: "x".repeat(128) }),
    code: "signature_invalid",
  },
  {
    name: "A signature that is too short",
    upload: () => ({ file, signature: "00" }),
    code: "signature_invalid",
  },
  {
    name: "An AOT file of an app that does not exist",
    upload: () => ({ ...signed(aotFile()), name: "snake" }),
    code: "app_not_found",
  },
  {
    name: "An AOT file for an unknown processor",
    upload: () => ({ ...signed(aotFile("z80")), name: "tetris" }),
    code: "variant_invalid",
  },
  {
    name: "A truncated AOT file",
    upload: () => ({ ...signed(aotFile().subarray(0, 20)), name: "tetris" }),
    code: "variant_invalid",
  },
];
for (const { name, upload, code, details } of OVER_HTTP)
  test(`${name} is ${code}, and nothing changes`, async () => {
    const before = await console.trace();
    const answer = await installOverHttp(console, await upload());
    expect(answer).toMatchObject({ status: FAULT_STATUS[code], body: { error: code, ...details } });
    expect(await console.trace()).toEqual(before);
  });

test("Without a file of trusted keys, signatures are rejected", async () => {
  const keys = path.join(console.state, "lfs/hub/trusted_keys.pem");
  renameSync(keys, `${keys}.away`);
  expect(await installOverHttp(console, { file, signature })).toMatchObject({
    status: 403,
    body: { error: "signature_invalid" },
  });
  renameSync(`${keys}.away`, keys);
});

test("A rejected signature is logged as an error", async () => {
  const from = console.stderr.length;
  await installOverHttp(console, { file, signature: new Publisher().sign(file) });
  expect(await console.waitForLine(/ E apps: rejected a file/, from)).toContain("signature");
});

test("A package of at most 1 MiB that unpacks to 1 GiB is rejected with 413 package_too_large, and nothing changes", async () => {
  const before = await console.trace();
  // In the background: the console may close silent connections meanwhile, which only a running event loop notices.
  const bomb = await promisify(gzip)(new Uint8Array(1024 ** 3), { level: 9 });
  expect(bomb.length).toBeLessThanOrEqual(1024 ** 2);
  const answer = await installOverHttp(console, signed(bomb));
  expect(answer).toMatchObject({ status: 413, body: { error: "package_too_large" } });
  expect((await getJson(`${console.http}/api/system`)).reset_reason).toBe("power_on");
  expect(await console.trace()).toEqual(before);
});

test("An invalid app name is 400 bad_parameter", async () => {
  const answer = await installOverHttp(console, { file, signature, name: "../tetris" });
  expect(answer).toMatchObject({ status: 400, body: { error: "bad_parameter" } });
});

for (const { over, send } of TRANSPORTS)
  test(`A name that differs from the manifest's is 400 over ${over}; the same name is accepted`, async () => {
    const before = await console.trace();
    const other = await send({ file, signature, name: "other" });
    expect(other).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(await console.trace()).toEqual(before);
    expect(await send({ file, signature, name: "tetris" })).toMatchObject({ body: { name: "tetris" } });
  });

test("A module without a manifest installs as uploaded_app 0.0.0 with no capabilities and one page of memory", async () => {
  const module = await moduleOf('(module (memory 1) (func (export "main")))');
  const { body } = await installOverHttp(console, signed(module));
  expect(body).toMatchObject({
    name: "uploaded_app",
    version: "0.0.0",
    capabilities: [],
    memory_quota: 65536,
  });
  expect((await console.app("uninstall", "uploaded_app")).status).toBe(200);
});
