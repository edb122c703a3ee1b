/** Every refusal of docs/spec/app-packages.md, at the end of the whole way: the list and the storage are as before. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { isMissing } from "../../../hosts/peers.js";
import { Publisher } from "../../../hosts/publisher.js";
import { damaged, REFUSED_PACKAGES } from "../../../hosts/refused-packages.js";
import { bitsInTier } from "../../../tier.js";
import { joined } from "../../protocol/package/packing.js";
import { aotFile } from "./aot-file.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
  type InstallOptions,
  publisher,
  traceOf,
  trustingInstaller,
} from "./emulated-installer.js";

let plain: Uint8Array;
beforeAll(async () => {
  plain = await moduleOf('(module (memory 1) (func (export "main")))');
});

/** A console with one app on it, which every refusal must leave alone. */
async function withTetris(options?: Parameters<typeof trustingInstaller>[0]): Promise<EmulatedInstaller> {
  const console = trustingInstaller(options);
  await console.install(packageOf(plain));
  return console;
}

interface Refusal {
  readonly name: string;
  readonly file: () => Uint8Array | Promise<Uint8Array>;
  readonly options?: InstallOptions;
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

async function expectRefused({ file, options, code, details }: Refusal, console: EmulatedInstaller) {
  const before = traceOf(console);
  const refused = console.install(await file(), options);
  await expect(refused).rejects.toMatchObject({ code, ...(details && { details }) });
  expect(traceOf(console)).toEqual(before);
  expect(traceOf(emulatedInstaller({ storage: console.storage }))).toEqual(before);
  await console.install(packageOf(plain, { version: "9.0.0" })); // and the next one goes well
}

const SIGNATURES: readonly Refusal[] = [
  {
    name: "A package without a signature",
    file: () => packageOf(plain),
    options: { signature: null },
    code: "signature_missing",
  },
  {
    name: "A module without a signature",
    file: () => plain,
    options: { signature: null },
    code: "signature_missing",
  },
  {
    name: "An AOT file without a signature",
    file: () => aotFile(),
    options: { signature: null, origin: { name: "tetris" } },
    code: "signature_missing",
  },
  {
    name: "A stranger's signature",
    file: () => packageOf(plain),
    options: { signature: new Publisher().sign(new Uint8Array(1)) },
    code: "signature_invalid",
  },
  {
    name: "A signature that is not hexadecimal",
    file: () => packageOf(plain),
    options: { signature: "x".repeat(128) },
    code: "signature_invalid",
  },
  {
    name: "A signature that is too short",
    file: () => packageOf(plain),
    options: { signature: "00" },
    code: "signature_invalid",
  },
];

const VARIANTS: readonly Refusal[] = [
  {
    name: "An AOT file of an app that does not exist",
    file: () => aotFile(),
    options: { origin: { name: "snake" } },
    code: "app_not_found",
  },
  {
    name: "An AOT file for an unknown processor",
    file: () => aotFile("z80"),
    options: { origin: { name: "tetris" } },
    code: "variant_invalid",
  },
  {
    name: "A truncated AOT file",
    file: () => aotFile().subarray(0, 20),
    options: { origin: { name: "tetris" } },
    code: "variant_invalid",
  },
];

for (const refusal of [...SIGNATURES, ...REFUSED_PACKAGES, ...VARIANTS])
  test(`${refusal.name} is rejected as ${refusal.code}, and leaves nothing behind`, async () =>
    expectRefused(refusal, await withTetris()));

test("A file over the limit is rejected as file_too_large as soon as it exceeds it", async () => {
  const refusal = {
    name: "",
    file: () => joined(packageOf(plain), new Uint8Array(20_000)),
    code: "file_too_large",
  };
  await expectRefused(refusal, await withTetris({ appLimitBytes: 16 * 1024 }));
});

test("An app that does not fit the storage is rejected as storage_full", async () => {
  const console = await withTetris({ storage: new EmulatedStorage({ capacityBytes: 40 * 4096 }) });
  const module = await moduleOf(
    `(module (memory 2) (data (i32.const 0) "${"x".repeat(100_000)}") (func (export "main")))`,
  );
  const file = packageOf(module, { memory_quota: 131072 });
  await expectRefused({ name: "", file: () => file, code: "storage_full" }, console);
});

/** Each time with one bit of `bytes` turned over. */
function* flipped(bytes: Uint8Array): Generator<Uint8Array> {
  for (const bit of bitsInTier(bytes)) yield damaged(bytes, bit >> 3, 1 << (bit & 7));
}

test("A package with any single bit flipped is rejected, and leaves nothing behind", async () => {
  const console = trustingInstaller();
  const file = packageOf(plain);
  const signature = publisher.sign(file);
  for (const other of flipped(file))
    await expect(console.install(other, { signature })).rejects.toHaveProperty("status");
  expect(traceOf(console)).toMatchObject({ list: [], names: [] });
  expect(await console.install(file, { signature })).toMatchObject({ name: "tetris" });
});

test("A signature with any single bit flipped is rejected", async () => {
  const console = trustingInstaller();
  const file = packageOf(plain);
  for (const other of flipped(Buffer.from(publisher.sign(file), "hex"))) {
    const refused = console.install(file, { signature: Buffer.from(other).toString("hex") });
    await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
  }
});

test("Without a file of trusted keys, signatures are rejected", async () => {
  const refused = emulatedInstaller().install(packageOf(plain));
  await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
});

test("Where unsigned apps are allowed, a missing signature is accepted and a wrong one rejected", async () => {
  const console = trustingInstaller({ allowsUnsigned: true });
  await expect(console.install(packageOf(plain), { signature: "00" })).rejects.toMatchObject({
    code: "signature_invalid",
  });
  expect(await console.install(packageOf(plain), { signature: null })).toMatchObject({ name: "tetris" });
});

describe("A file ordered by name and version", () => {
  const ordered = { name: "tetris", version: "2.0.0" };
  const OTHERS = [
    { name: "of another version", file: () => packageOf(plain, { version: "2.0.1" }) },
    { name: "of another name", file: () => packageOf(plain, { name: "chess", version: "2.0.0" }) },
    { name: "that is a module without a manifest", file: () => plain },
    { name: "that is an AOT file", file: () => aotFile() },
  ];
  for (const { name, file } of OTHERS)
    test(`is rejected ${name}, and the installed app stays`, async () => {
      const console = await withTetris();
      await expectRefused(
        { name, file, options: { origin: { ordered } }, code: "download_mismatch" },
        console,
      );
    });

  test("is installed if it matches the order, including an older version if the order permits it", async () => {
    const console = trustingInstaller();
    await console.install(packageOf(plain, { version: "3.0.0" }));
    const file = packageOf(plain, { version: "2.0.0" });
    await expect(console.install(file, { origin: { ordered } })).rejects.toMatchObject({
      code: "version_older",
    });
    const origin = { ordered, allowsDowngrade: true };
    expect(await console.install(file, { origin })).toMatchObject(ordered);
  });
});

const corpora = path.join(import.meta.dirname, "../../../../../shared/testdata");
describe.skipIf(isMissing("testdata"))("Corpora", () => {
  for (const folder of ["tar-rs/tests/archives", "node-tar/test/fixtures", "zlib-ng"])
    test(`no file of ${folder} becomes an app or stays in storage`, async () => {
      const console = trustingInstaller();
      let tried = 0;
      for (const file of readdirSync(path.join(corpora, folder), { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const content = readFileSync(path.join(file.parentPath, file.name));
        const isZipped = content[0] === 0x1f && content[1] === 0x8b;
        await expect(
          console.install(isZipped ? content : gzipSync(content)),
          file.name,
        ).rejects.toHaveProperty("code");
        tried++;
      }
      expect(tried).toBeGreaterThan(3);
      expect(traceOf(console)).toMatchObject({ list: [], names: [] });
    });
});
