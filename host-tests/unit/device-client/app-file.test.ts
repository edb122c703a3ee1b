/** Files that are to be installed, as the page reads them before they are sent. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AppFile, readAppFile } from "../../../device-client/app-file.js";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { Fault } from "../../../protocol/fault.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf, packageOf } from "../../hosts/app-files.js";
import { bitmap } from "../../hosts/bitmap.js";

const LIMIT_BYTES = 1 << 20;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a package yields its manifest, its icon and its unpacked size", async () => {
  const module = await moduleOf('(module (func (export "main")))');
  const manifest = utf8(JSON.stringify(manifestOf({ version: "1.2.3", author: "Ada" })));
  const icon = bitmap();
  const file = await readAppFile(writePackage({ module, manifest, icon }), LIMIT_BYTES);
  assert.equal(file.kind, "package");
  assert.equal(file.manifest.version, "1.2.3");
  assert.equal(file.manifest.author, "Ada");
  assert.deepEqual(file.icon, icon);
  assert.equal(file.unpackedBytes, module.length + manifest.length + icon.length);
  assert.equal(file.isImageAlone, false);
});

test("a package of machine code alone is told from others", async () => {
  const file = await readAppFile(packageOf(variantFor("x86_64"), { target_arch: "native" }), LIMIT_BYTES);
  assert.equal(file.kind === "package" && file.isImageAlone, true);
});

test("a module yields its embedded manifest, or none", async () => {
  const module = await moduleOf("(module)");
  const named = appendCustomSection(
    module,
    "svc_manifest",
    utf8(JSON.stringify(manifestOf({ name: "snake" }))),
  );
  assert.equal(manifestNameOf(await readAppFile(named, LIMIT_BYTES)), "snake");
  assert.equal(manifestNameOf(await readAppFile(module, LIMIT_BYTES)), undefined);
});

test("an AOT file yields its architecture", async () => {
  const file = await readAppFile(variantFor("xtensa"), LIMIT_BYTES);
  assert.equal(file.kind === "variant" && file.architecture, "xtensa");
});

const REFUSED = [
  { name: "a picture", file: Uint8Array.of(0x89, 0x50, 0x4e, 0x47), code: "media_type_unsupported" },
  { name: "no bytes", file: new Uint8Array(0), code: "media_type_unsupported" },
  {
    name: "a truncated package",
    file: packageOf(new Uint8Array(64)).subarray(0, 40),
    code: "package_invalid",
  },
  {
    name: "an unknown capability",
    file: packageOf(new Uint8Array(8), { capabilities: ["fly"] }),
    code: "manifest_invalid",
  },
  {
    name: "more than a console accepts",
    file: packageOf(new Uint8Array(LIMIT_BYTES)),
    code: "package_too_large",
  },
];
for (const { name, file, code } of REFUSED)
  test(`readAppFile throws the console's code for ${name}`, async () => {
    await assert.rejects(readAppFile(file, LIMIT_BYTES), (error: unknown) => {
      return error instanceof Fault && error.code === code;
    });
  });

function manifestNameOf(file: AppFile): string | undefined {
  return file.kind === "variant" ? undefined : file.manifest?.name;
}

/** The head of an AOT file of WAMR: magic, version, and a target info of 36 bytes. */
function variantFor(architecture: string): Uint8Array {
  const bytes = new Uint8Array(64);
  bytes.set([0x00, 0x61, 0x6f, 0x74, 3, 0, 0, 0, 0, 0, 0, 0, 36]);
  bytes.set(utf8(architecture), 16 + 36 - 16);
  return bytes;
}
