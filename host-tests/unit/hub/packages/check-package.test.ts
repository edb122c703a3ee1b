/** The hub refuses a package exactly when a console would, as the same. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { checkPackage, requirePackage, Scheduler } from "../../../../hub/packages/check-package.js";
import { Fault } from "../../../../protocol/fault.js";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf, packageOf } from "../../../hosts/app-files.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { isMissing } from "../../../hosts/peers.js";
import { damaged, REFUSED_PACKAGES } from "../../../hosts/refused-packages.js";
import { aotFile } from "../../services/apps/aot-file.js";
import { trustingInstaller } from "../../services/apps/emulated-installer.js";
import { imageOf, imagePackage } from "../../services/apps/native-images.js";

const LIMIT_BYTES = 1024 * 1024;

const check = async (file: Uint8Array, limitBytes = LIMIT_BYTES) => {
  requirePackage(file);
  return checkPackage(file, limitBytes);
};

let plain: Uint8Array;
beforeAll(async () => {
  plain = await moduleOf('(module (memory 1) (func (export "main")))');
});

for (const { name, file, code, details } of REFUSED_PACKAGES)
  test(`${name} is rejected as ${code}`, async () => {
    await expect(check(await file())).rejects.toMatchObject({ code, ...(details && { details }) });
  });

test("A package that consoles accept is accepted, with its manifest and icon", async () => {
  const manifest = new TextEncoder().encode(
    JSON.stringify(manifestOf({ description: "Blocks", unknown: 1 })),
  );
  const variants = { xtensa: aotFile("xtensa") };
  const icon = bitmap();
  const checked = await check(writePackage({ module: plain, manifest, icon, variants }));
  expect(checked).toEqual({
    manifest: { ...manifestOf(), description: "Blocks", author: "", entry: "main", target_arch: "generic" },
    module: plain,
    icon,
    variants: ["xtensa"],
  });
});

test("Machine code alone is accepted with its architecture, and has no module", async () => {
  const icon = bitmap();
  const checked = await check(imagePackage(imageOf(plain), {}, icon));
  expect(checked).toMatchObject({ module: undefined, icon, variants: ["native"] });
  const rv32 = imagePackage(imageOf(plain, { machine: "riscv32" }), { target_arch: "rv32" });
  expect(await check(rv32)).toMatchObject({ manifest: { target_arch: "rv32" }, variants: ["rv32"] });
});

test("Machine code alone with any bit flipped within its package gets the same verdict as on a console", async () => {
  const image = imageOf(plain);
  for (let bit = 0; bit < image.length * 8; bit += 7) {
    const other = imagePackage(damaged(image, bit >> 3, 1 << (bit & 7)));
    expect(await codeOf(check(other)), `bit ${bit}`).toBe(await codeOf(trustingInstaller().install(other)));
  }
});

test("The unpacked size of a package is limited to the byte, including headers and padding", async () => {
  const file = packageOf(plain);
  const unpackedBytes = 512 + 512 + 512 + 512 + 1024;
  await expect(check(file, unpackedBytes)).resolves.toMatchObject({ manifest: { name: "tetris" } });
  await expect(check(file, unpackedBytes - 1)).rejects.toMatchObject({ code: "package_too_large" });
});

test("A package with any bit flipped gets the same verdict as on a console", async () => {
  const file = packageOf(plain);
  for (let bit = 0; bit < file.length * 8; bit += 7) {
    const other = damaged(file, bit >> 3, 1 << (bit & 7));
    expect(await codeOf(check(other)), `bit ${bit}`).toBe(await codeOf(trustingInstaller().install(other)));
  }
});

/** `undefined` for an accepted package. */
async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Checks a file in slices that are over at once. @returns the verdict, and how often other work got its turn */
async function turnsWhile(file: Uint8Array): Promise<{ turns: number; code: string | undefined }> {
  class Impatient extends Scheduler {
    override get shouldYield(): boolean {
      return true;
    }
  }
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const code = await codeOf(checkPackage(file, LIMIT_BYTES, new Impatient()));
  isDone = true;
  return { turns, code };
}

describe("While a large package is checked", () => {
  const PIECE_BYTES = 16 * 1024;

  test("other work proceeds each time that the slice is over", async () => {
    const body = "(local.set 0 (i32.add (local.get 0) (i32.const 1)))".repeat(500);
    const functions = `(func (param i32) ${body})`.repeat(40);
    const module = await moduleOf(`(module (func (export "main")) ${functions})`);
    expect(module.length).toBeGreaterThan(4 * PIECE_BYTES);
    const { turns, code } = await turnsWhile(packageOf(module));
    expect(code).toBeUndefined();
    expect(turns).toBeGreaterThan(module.length / PIECE_BYTES);
  });

  test("other work proceeds even if the package unpacks to nothing", async () => {
    const EMPTY_STORED_BLOCK = [0, 0, 0, 0xff, 0xff];
    const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    const file = new Uint8Array(8 * PIECE_BYTES);
    file.set(header);
    for (let at = header.length; at + 5 <= file.length; at += 5) file.set(EMPTY_STORED_BLOCK, at);
    const { turns, code } = await turnsWhile(file);
    expect(code).toBe("package_invalid");
    expect(turns).toBeGreaterThan(4);
  });

  test("a slice is over after five milliseconds, and the next one begins when other work is done", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(100);
    try {
      const scheduler = new Scheduler();
      expect(scheduler.shouldYield).toBe(false);
      clock.mockReturnValue(104.9);
      expect(scheduler.shouldYield).toBe(false);
      clock.mockReturnValue(105);
      expect(scheduler.shouldYield).toBe(true);
      await scheduler.yield();
      expect(scheduler.shouldYield).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });
});

const corpora = path.join(import.meta.dirname, "../../../../../shared/testdata");
describe.skipIf(isMissing("testdata"))("Corpora", () => {
  for (const folder of ["tar-rs/tests/archives", "node-tar/test/fixtures", "zlib-ng"])
    test(`no file of ${folder} is an app, as on a console`, async () => {
      let tried = 0;
      for (const file of readdirSync(path.join(corpora, folder), { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const content = readFileSync(path.join(file.parentPath, file.name));
        const isZipped = content[0] === 0x1f && content[1] === 0x8b;
        const zipped = isZipped ? content : gzipSync(content);
        if (zipped.length > LIMIT_BYTES) continue; // which a console refuses while it arrives
        const verdict = await codeOf(trustingInstaller().install(zipped));
        expect(verdict).toBeDefined();
        expect(await codeOf(check(zipped)), file.name).toBe(verdict);
        tried++;
      }
      expect(tried).toBeGreaterThan(3);
    });
});
