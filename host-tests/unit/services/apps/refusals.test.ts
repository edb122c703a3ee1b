import { beforeAll, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { damaged } from "../../../hosts/refused-packages.js";
import { bitsInTier } from "../../../tier.js";
import { joined } from "../../protocol/package/packing.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
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

async function expectRefused(file: Uint8Array, code: string, console: EmulatedInstaller) {
  const before = traceOf(console);
  await expect(console.install(file)).rejects.toMatchObject({ code });
  expect(traceOf(console)).toEqual(before);
  expect(traceOf(emulatedInstaller({ storage: console.storage }))).toEqual(before);
  await console.install(packageOf(plain, { version: "9.0.0" })); // and the next one goes well
}

test("A file over the limit is rejected as file_too_large as soon as it exceeds it", async () => {
  const file = joined(packageOf(plain), new Uint8Array(20_000));
  await expectRefused(file, "file_too_large", await withTetris({ appLimitBytes: 16 * 1024 }));
});

test("An app that does not fit the storage is rejected as storage_full", async () => {
  const console = await withTetris({ storage: new EmulatedStorage({ capacityBytes: 40 * 4096 }) });
  const module = await moduleOf(
    `(module (memory 2) (data (i32.const 0) "${"x".repeat(100_000)}") (func (export "main")))`,
  );
  await expectRefused(packageOf(module, { memory_quota: 131072 }), "storage_full", console);
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

test("Where unsigned apps are allowed, a missing signature is accepted and a wrong one rejected", async () => {
  const console = trustingInstaller({ allowsUnsigned: true });
  await expect(console.install(packageOf(plain), { signature: "00" })).rejects.toMatchObject({
    code: "signature_invalid",
  });
  expect(await console.install(packageOf(plain), { signature: null })).toMatchObject({ name: "tetris" });
});
