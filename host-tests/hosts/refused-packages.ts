/**
 * Packages that a console rejects, with the fault code of each. The hub must reject each of them with the same code.
 */

import { gunzipSync, gzipSync } from "node:zlib";
import { FIRMWARE_CAPABILITY } from "../../protocol/capabilities.js";
import { appendCustomSection } from "../../protocol/custom-section.js";
import type { FaultCode } from "../../protocol/fault.js";
import { writePackage } from "../../protocol/package/package-writer.js";
import { END, joined, member } from "../unit/protocol/package/packing.js";
import { aotFile } from "../unit/services/apps/aot-file.js";
import { imageOf, imagePackage, sealed } from "../unit/services/apps/native-images.js";
import { manifestOf, moduleOf, packageOf, type TestManifest } from "./app-files.js";
import { bitmap } from "./bitmap.js";

export interface RefusedPackage {
  readonly name: string;
  readonly file: () => Uint8Array | Promise<Uint8Array>;
  readonly code: FaultCode;
  /** A subset of the fault's details. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: unknown) => text(JSON.stringify(value));

const plain = await moduleOf('(module (memory 1) (func (export "main")))');
const logging = await moduleOf(
  '(module (import "svc" "display_fill" (func (param i32 i32 i32 i32 i32))) (memory 1) (func (export "main")))',
);

const image = imageOf(plain);

const wat = (source: string) => async () => packageOf(await moduleOf(source));
const archive = (...parts: readonly Uint8Array[]) => gzipSync(joined(...parts, END));
const packed = () => gunzipSync(packageOf(plain));
const files = () =>
  joined(member({ name: "manifest.json" }, json(manifestOf())), member({ name: "app.wasm" }, plain));
const manifest = (fields: Partial<TestManifest>) => () => packageOf(plain, fields);
const without = (field: keyof TestManifest) => () => {
  const { [field]: _, ...rest } = manifestOf();
  return writePackage({ module: plain, manifest: json(rest) });
};

const PACKAGES: readonly RefusedPackage[] = [
  { name: "A file of an unknown kind", file: () => text("#!/bin/sh\n"), code: "media_type_unsupported" },
  {
    name: "A file too short for any kind",
    file: () => Uint8Array.of(0x1f),
    code: "media_type_unsupported",
  },
  {
    name: "A truncated package",
    file: () => packageOf(plain).subarray(0, 100),
    code: "package_invalid",
  },
  {
    name: "A package followed by extra bytes",
    file: () => joined(packageOf(plain), Uint8Array.of(1, 2, 3)),
    code: "package_invalid",
  },
  {
    name: "A package without a module",
    file: () => archive(member({ name: "manifest.json" }, json(manifestOf()))),
    code: "package_invalid",
  },
  {
    name: "A package without a manifest",
    file: () => archive(member({ name: "app.wasm" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with an unknown member",
    file: () => archive(files(), member({ name: "README.md" }, "hello")),
    code: "package_invalid",
  },
  {
    name: "A package with a duplicate member",
    file: () => archive(files(), member({ name: "app.wasm" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with a path that leads to a parent",
    file: () => archive(files(), member({ name: "../app.wasm" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with a slash in a path",
    file: () => archive(files(), member({ name: "./icon_32.bmp" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with a symbolic link",
    file: () => archive(files(), member({ name: "icon_32.bmp", type: "2", link: "/etc/passwd" })),
    code: "package_invalid",
  },
  {
    name: "A package with a hard link",
    file: () => archive(files(), member({ name: "icon_32.bmp", type: "1", link: "app.wasm" })),
    code: "package_invalid",
  },
  {
    name: "A package with a device",
    file: () => archive(files(), member({ name: "icon_32.bmp", type: "3" })),
    code: "package_invalid",
  },
  {
    name: "A package with a directory",
    file: () => archive(files(), member({ name: "apps/", type: "5" })),
    code: "package_invalid",
  },
  {
    name: "A package with an AOT file for an unknown architecture",
    file: () => archive(files(), member({ name: "app.z80.aot" }, "x")),
    code: "package_invalid",
  },
  {
    name: "A package with an AOT file that does not match its name",
    file: () => archive(files(), member({ name: "app.xtensa.aot" }, aotFile("thumbv7em"))),
    code: "variant_invalid",
  },
  {
    name: "A package with an invalid AOT file",
    file: () => archive(files(), member({ name: "app.native.aot" }, "machine code")),
    code: "variant_invalid",
  },
  {
    name: "A decompression bomb as icon",
    file: () => archive(files(), member({ name: "icon_32.bmp" }, new Uint8Array(8 * 1024 * 1024))),
    code: "package_invalid",
  },
  ...[
    { name: "is empty", icon: new Uint8Array(0) },
    { name: "is a text", icon: text("icon") },
    { name: "is a PNG", icon: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
    { name: "has 16 by 16 pixels", icon: bitmap({ width: 16, height: 16 }) },
    { name: "has the most negative height", icon: bitmap({ height: -(2 ** 31) }) },
    { name: "has a size that overflows", icon: bitmap({ width: 0x10000, height: 0x10000 }) },
    { name: "has its pixels beyond its end", icon: bitmap({ pixelsAt: 2 ** 32 - 1 }) },
    { name: "has compressed pixels", icon: bitmap({ bits: 8, compression: 1 }) },
    { name: "has a palette of 2^32 - 1 colours", icon: bitmap({ bits: 8, colours: 2 ** 32 - 1 }) },
    { name: "is truncated", icon: bitmap().subarray(0, -1) },
  ].map(({ name, icon }) => ({
    name: `A package whose icon ${name}`,
    file: () => archive(files(), member({ name: "icon_32.bmp" }, icon)),
    code: "icon_invalid" as const,
  })),
  {
    name: "A package with an icon of 8193 bytes",
    file: () => archive(files(), member({ name: "icon_32.bmp" }, bitmap({ byteLength: 8193 }))),
    code: "package_invalid",
  },
  {
    name: "A decompression bomb as module",
    file: () => archive(member({ name: "app.wasm" }, new Uint8Array(8 * 1024 * 1024))),
    code: "package_too_large",
  },
  {
    name: "A decompression bomb as unknown member",
    file: () => archive(files(), new Uint8Array(9 * 1024 * 1024)),
    code: "package_too_large",
  },
  {
    name: "A package with a broken checksum in a header",
    file: () => gzipSync(damaged(packed(), 150)),
    code: "package_invalid",
  },
];

const MANIFESTS: readonly (Omit<RefusedPackage, "code" | "details"> & { readonly field?: string })[] = [
  { name: "A manifest that is not JSON", file: () => writePackage({ module: plain, manifest: text("{") }) },
  { name: "A manifest that is an array", file: () => writePackage({ module: plain, manifest: text("[]") }) },
  ...(["name", "version", "capabilities", "memory_quota"] as const).map((field) => ({
    name: `A manifest without "${field}"`,
    file: without(field),
    field,
  })),
  ...["", ".hidden", "a b", "a/b", "ä", "a".repeat(33)].map((name) => ({
    name: `A manifest with the name ${JSON.stringify(name)}`,
    file: manifest({ name }),
    field: "name",
  })),
  ...["1", "1.0", "1.0.0-beta", "01.0.0", "v1.0.0"].map((version) => ({
    name: `A manifest with the version "${version}"`,
    file: manifest({ version }),
    field: "version",
  })),
  {
    name: "A manifest with an unknown capability",
    file: manifest({ capabilities: ["root"] }),
    field: "capabilities",
  },
  {
    name: "A manifest with the capability of the home screen",
    file: manifest({ capabilities: [FIRMWARE_CAPABILITY] as never }),
    field: "capabilities",
  },
  {
    name: "A manifest with capabilities in one string",
    file: manifest({ capabilities: "gpio.read" as never }),
    field: "capabilities",
  },
  {
    name: "A manifest with a quota below one page",
    file: manifest({ memory_quota: 65535 }),
    field: "memory_quota",
  },
  {
    name: "A manifest with a quota over the board's limit",
    file: manifest({ memory_quota: 2 ** 30 }),
    field: "memory_quota",
  },
  {
    name: "A manifest with a quota as text",
    file: manifest({ memory_quota: "65536" as never }),
    field: "memory_quota",
  },
  {
    name: "A manifest with a long description",
    file: manifest({ description: "x".repeat(129) }),
    field: "description",
  },
  {
    name: "A manifest with an unknown architecture",
    file: manifest({ target_arch: "z80" }),
    field: "target_arch",
  },
  {
    name: "A script app with the quota of an ordinary app",
    file: () => packageOf(appendCustomSection(plain, "svc_py_script", text("print()"))),
    field: "memory_quota",
  },
];

const MODULES: readonly RefusedPackage[] = [
  {
    name: "A truncated module",
    file: () => packageOf(plain.subarray(0, plain.length - 3)),
    code: "module_invalid",
  },
  {
    name: "A module that leaves a value on the stack",
    file: () =>
      packageOf(bytes("0061736d01000000010401600000030201000707010" + "46d61696e00000a0601040041000b")),
    code: "module_invalid",
  },
  {
    name: "A module with SIMD",
    file: () =>
      packageOf(
        bytes(
          "0061736d010000000105016000017b030201000707010" +
            "46d61696e00000a160114" +
            "00fd0c00000000000000000000000000000000" +
            "0b",
        ),
      ),
    code: "module_unsupported",
  },
  {
    name: "A module with an unknown import",
    file: wat('(module (import "svc" "format_disk" (func)) (func (export "main")))'),
    code: "import_unknown",
  },
  {
    name: "A module that imports from WASI",
    file: wat(
      '(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i32))) (func (export "main")))',
    ),
    code: "import_unknown",
  },
  {
    name: "A module that imports a memory",
    file: wat('(module (import "svc" "memory" (memory 1)) (func (export "main")))'),
    code: "import_unknown",
  },
  {
    name: "A module with an import but without its capability",
    file: () => packageOf(logging),
    code: "capability_missing",
    details: { import: "display_fill", capability: "display.write" },
  },
  {
    name: "A module with an import of a wrong type",
    file: wat('(module (import "svc" "sleep_ms" (func (param i64))) (func (export "main")))'),
    code: "module_invalid",
  },
  {
    name: "A module without the entry",
    file: wat('(module (func (export "start")))'),
    code: "entry_missing",
  },
  {
    name: "A module whose entry has an unsupported parameter",
    file: wat('(module (func (export "main") (param f64)))'),
    code: "entry_missing",
  },
  {
    name: "A module whose initial memory exceeds its quota",
    file: wat('(module (memory 2) (func (export "main")))'),
    code: "quota_exceeded",
  },
];

/** Machine code in place of the module (docs/spec/aot.md#alone). */
const IMAGES: readonly RefusedPackage[] = [
  {
    name: "Machine code alone whose manifest names no architecture",
    file: () => packageOf(image),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone for another architecture than its manifest",
    file: () => imagePackage(imageOf(plain, { machine: "riscv32" })),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone with another entry than its manifest",
    file: () => imagePackage(image, { entry: "start" }),
    code: "entry_missing",
  },
  {
    name: "Machine code alone that is damaged",
    file: () => imagePackage(damaged(image, 300)),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone that is truncated",
    file: () => imagePackage(image.subarray(0, -1)),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone that ends within its head",
    file: () => imagePackage(image.subarray(0, 100)),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone with bytes after it",
    file: () => imagePackage(sealed(image)),
    code: "variant_invalid",
  },
  {
    name: "An AOT file of WAMR in place of the module",
    file: () => imagePackage(aotFile("x86_64", "x".repeat(1000))),
    code: "variant_invalid",
  },
  {
    name: "Machine code alone with an AOT file beside it",
    file: () => imagePackage(image, {}, undefined, { native: image }),
    code: "package_invalid",
    details: { member: "app.native.aot" },
  },
];

function bytes(hexadecimal: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hexadecimal, "hex"));
}

/** Returns a copy of the file with bits of one byte inverted. */
export function damaged(file: Uint8Array, at: number, bits = 1): Uint8Array {
  const copy = Uint8Array.from(file);
  copy[at] = (copy[at] ?? 0) ^ bits;
  return copy;
}

export const REFUSED_PACKAGES: readonly RefusedPackage[] = Object.freeze([
  ...PACKAGES,
  ...MANIFESTS.map(({ name, file, field }): RefusedPackage => {
    return { name, file, code: "manifest_invalid", ...(field && { details: { field } }) };
  }),
  ...MODULES,
  ...IMAGES,
]);
