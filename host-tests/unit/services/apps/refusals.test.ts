/** Every refusal of section 6 of the decisions, at the end of the whole way: the list and the storage are as before. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../../protocol/custom-section.js";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf, packageOf, type TestManifest } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { isMissing } from "../../../hosts/peers.js";
import { Publisher } from "../../../hosts/publisher.js";
import { END, joined, member } from "../../protocol/package/packing.js";
import { aotFile } from "./aot-file.js";
import {
  type EmulatedInstaller,
  emulatedInstaller,
  type InstallOptions,
  publisher,
  traceOf,
  trustingInstaller,
} from "./emulated-installer.js";

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: unknown) => text(JSON.stringify(value));

let plain: Uint8Array;
let logging: Uint8Array;
beforeAll(async () => {
  plain = await moduleOf('(module (memory 1) (func (export "main")))');
  logging = await moduleOf(
    '(module (import "svc" "display_fill" (func (param i32 i32 i32 i32 i32))) (memory 1) (func (export "main")))',
  );
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
  readonly details?: Record<string, unknown>;
}

async function expectRefused({ file, options, code, details }: Refusal, console: EmulatedInstaller) {
  const before = traceOf(console);
  const refused = console.install(await file(), options);
  await expect(refused).rejects.toMatchObject({ code, ...(details && { details }) });
  expect(traceOf(console)).toEqual(before);
  expect(traceOf(emulatedInstaller({ storage: console.storage }))).toEqual(before);
  await console.install(packageOf(plain, { version: "9.0.0" })); // and the next one goes well
}

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
    name: "A signature of a stranger",
    file: () => packageOf(plain),
    options: { signature: new Publisher().sign(new Uint8Array(1)) },
    code: "signature_invalid",
  },
  {
    name: "A signature that is no hexadecimal",
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

const PACKAGES: readonly Refusal[] = [
  { name: "A file of another kind", file: () => text("#!/bin/sh\n"), code: "media_type_unsupported" },
  {
    name: "A file too short to be any kind",
    file: () => Uint8Array.of(0x1f),
    code: "media_type_unsupported",
  },
  {
    name: "A package that ends early",
    file: () => packageOf(plain).subarray(0, 100),
    code: "package_invalid",
  },
  {
    name: "A package with bytes behind it",
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
    name: "A package with another member",
    file: () => archive(files(), member({ name: "README.md" }, "hello")),
    code: "package_invalid",
  },
  {
    name: "A package with a member twice",
    file: () => archive(files(), member({ name: "app.wasm" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with a path that climbs",
    file: () => archive(files(), member({ name: "../app.wasm" }, plain)),
    code: "package_invalid",
  },
  {
    name: "A package with a path with a slash",
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
    name: "A package with a broken checksum in a header",
    file: () => gzipSync(damaged(packed(), 150)),
    code: "package_invalid",
  },
];

const MANIFESTS: readonly (Omit<Refusal, "code" | "details"> & { readonly field?: string })[] = [
  { name: "A manifest that is no JSON", file: () => writePackage({ module: plain, manifest: text("{") }) },
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
    name: "A manifest with capabilities in one string",
    file: manifest({ capabilities: "gpio.read" as never }),
    field: "capabilities",
  },
  {
    name: "A manifest with a quota below a page",
    file: manifest({ memory_quota: 65535 }),
    field: "memory_quota",
  },
  {
    name: "A manifest with a quota beyond the board",
    file: manifest({ memory_quota: 2 ** 30 }),
    field: "memory_quota",
  },
  {
    name: "A manifest with a quota in text",
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
    name: "A script app with the quota of a plain one",
    file: () => packageOf(appendCustomSection(plain, "svc_py_script", text("print()"))),
    field: "memory_quota",
  },
];

const MODULES: readonly Refusal[] = [
  {
    name: "A module that is cut off",
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
    name: "A module that imports what is not there",
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
    name: "A module that imports without the capability",
    file: () => packageOf(logging),
    code: "capability_missing",
    details: { import: "display_fill", capability: "display.write" },
  },
  {
    name: "A module that imports with other types",
    file: wat('(module (import "svc" "sleep_ms" (func (param i64))) (func (export "main")))'),
    code: "module_invalid",
  },
  {
    name: "A module without the entry",
    file: wat('(module (func (export "start")))'),
    code: "entry_missing",
  },
  {
    name: "A module whose entry takes what nobody gives",
    file: wat('(module (func (export "main") (param f64)))'),
    code: "entry_missing",
  },
  {
    name: "A module that wants more memory than its quota",
    file: wat('(module (memory 2) (func (export "main")))'),
    code: "quota_exceeded",
  },
];

const VARIANTS: readonly Refusal[] = [
  {
    name: "An AOT file of an app that is not there",
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
    name: "An AOT file that is cut off",
    file: () => aotFile().subarray(0, 20),
    options: { origin: { name: "tetris" } },
    code: "variant_invalid",
  },
];

for (const refusal of [...SIGNATURES, ...PACKAGES, ...MODULES, ...VARIANTS])
  test(`${refusal.name} is refused as ${refusal.code}, and leaves nothing behind`, async () =>
    expectRefused(refusal, await withTetris()));

for (const { field, ...refusal } of MANIFESTS)
  test(`${refusal.name} is refused as manifest_invalid${field ? `, naming "${field}"` : ""}`, async () => {
    const details = field ? { field } : undefined;
    await expectRefused(
      { ...refusal, code: "manifest_invalid", ...(details && { details }) },
      await withTetris(),
    );
  });

test("A file over the limit is refused as file_too_large as soon as it is", async () => {
  const refusal = {
    name: "",
    file: () => joined(packageOf(plain), new Uint8Array(20_000)),
    code: "file_too_large",
  };
  await expectRefused(refusal, await withTetris({ appLimitBytes: 16 * 1024 }));
});

test("A bomb is refused as package_too_large when the limit is passed, whatever its headers say", async () => {
  const console = await withTetris();
  const bomb = archive(files(), member({ name: "icon_32.bmp" }, new Uint8Array(8 * 1024 * 1024)));
  await expectRefused({ name: "", file: () => bomb, code: "package_invalid" }, console);
  const long = archive(member({ name: "app.wasm" }, new Uint8Array(8 * 1024 * 1024)));
  await expectRefused({ name: "", file: () => long, code: "package_too_large" }, console);
});

test("An app that does not fit the storage is refused as storage_full", async () => {
  const console = await withTetris({ storage: new EmulatedStorage({ capacityBytes: 40 * 4096 }) });
  const module = await moduleOf(
    `(module (memory 2) (data (i32.const 0) "${"x".repeat(100_000)}") (func (export "main")))`,
  );
  const file = packageOf(module, { memory_quota: 131072 });
  await expectRefused({ name: "", file: () => file, code: "storage_full" }, console);
});

/** Each time with one bit of `bytes` turned over. */
function* flipped(bytes: Uint8Array): Generator<Uint8Array> {
  for (let bit = 0; bit < bytes.length * 8; bit++) yield damaged(bytes, bit >> 3, 1 << (bit & 7));
}

test("Every single bit flipped in a package is refused, and leaves nothing behind", async () => {
  const console = trustingInstaller();
  const file = packageOf(plain);
  const signature = publisher.sign(file);
  for (const other of flipped(file))
    await expect(console.install(other, { signature })).rejects.toHaveProperty("status");
  expect(traceOf(console)).toMatchObject({ list: [], names: [] });
  expect(await console.install(file, { signature })).toMatchObject({ name: "tetris" });
});

test("Every single bit flipped in a signature is refused", async () => {
  const console = trustingInstaller();
  const file = packageOf(plain);
  for (const other of flipped(Buffer.from(publisher.sign(file), "hex"))) {
    const refused = console.install(file, { signature: Buffer.from(other).toString("hex") });
    await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
  }
});

test("Without a file of trusted keys nobody is trusted", async () => {
  const refused = emulatedInstaller().install(packageOf(plain));
  await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
});

test("Where unsigned apps are allowed, one without a signature is taken and one with a wrong one is not", async () => {
  const console = trustingInstaller({ allowsUnsigned: true });
  await expect(console.install(packageOf(plain), { signature: "00" })).rejects.toMatchObject({
    code: "signature_invalid",
  });
  expect(await console.install(packageOf(plain), { signature: null })).toMatchObject({ name: "tetris" });
});

describe("A file that was ordered by name and version", () => {
  const ordered = { name: "tetris", version: "2.0.0" };
  const OTHERS = [
    { name: "of another version", file: () => packageOf(plain, { version: "2.0.1" }) },
    { name: "of another name", file: () => packageOf(plain, { name: "chess", version: "2.0.0" }) },
    { name: "that is a module without a manifest", file: () => plain },
    { name: "that is an AOT file", file: () => aotFile() },
  ];
  for (const { name, file } of OTHERS)
    test(`is refused ${name}, and what is installed stays`, async () => {
      const console = await withTetris();
      await expectRefused(
        { name, file, options: { origin: { ordered } }, code: "download_mismatch" },
        console,
      );
    });

  test("is installed where it is what was ordered, an older version too", async () => {
    const console = trustingInstaller();
    await console.install(packageOf(plain, { version: "3.0.0" }));
    const file = packageOf(plain, { version: "2.0.0" });
    expect(await console.install(file, { origin: { ordered } })).toMatchObject(ordered);
  });
});

const corpora = path.join(import.meta.dirname, "../../../../../shared/testdata");
describe.skipIf(isMissing("testdata"))("Corpora", () => {
  for (const folder of ["tar-rs/tests/archives", "node-tar/test/fixtures", "zlib-ng"])
    test(`nothing of ${folder} becomes an app, and nothing of it stays`, async () => {
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

function bytes(hexadecimal: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hexadecimal, "hex"));
}

function damaged(file: Uint8Array, at: number, bits = 1): Uint8Array {
  const copy = Uint8Array.from(file);
  copy[at] = (copy[at] ?? 0) ^ bits;
  return copy;
}
