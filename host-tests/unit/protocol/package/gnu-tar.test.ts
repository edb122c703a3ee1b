/** Packages that people make by hand, with the tar and gzip that they have. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { ascii, faultOf, readPackage } from "./packing.js";
import { mixture } from "./samples.js";

const FILES: Readonly<Record<string, Uint8Array>> = {
  "app.wasm": mixture(50_000),
  "manifest.json": ascii('{"name":"tetris"}'),
  "icon_32.bmp": bitmap({ bits: 24, shade: 0x5a }),
  "app.native.aot": mixture(5000, 2),
};
const MEMBERS = [
  { member: { kind: "module", byteLength: 50_000 }, content: FILES["app.wasm"] },
  { member: { kind: "manifest", byteLength: 17 }, content: FILES["manifest.json"] },
  { member: { kind: "icon", byteLength: 3126 }, content: FILES["icon_32.bmp"] },
  {
    member: { kind: "variant", architecture: "native", byteLength: 5000 },
    content: FILES["app.native.aot"],
  },
];
const NAMES = Object.keys(FILES);

const isGnuTarMissing = !String(spawnSync("tar", ["--version"]).stdout).includes("GNU tar");

describe.skipIf(isGnuTarMissing)("a file of GNU tar and gzip (skipped where tar is another one)", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "packages-"));
    for (const [name, content] of Object.entries(FILES)) writeFileSync(path.join(folder, name), content);
    symlinkSync("app.wasm", path.join(folder, "app.arm.aot"));
    mkdirSync(path.join(folder, "bin"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The standard output of `tar` in the folder with the files. */
  const tar = (...flags: string[]): Buffer =>
    execFileSync("tar", ["-C", folder, ...flags], { maxBuffer: 1 << 24 });
  const gzip = (archive: Uint8Array, ...flags: string[]): Uint8Array =>
    Uint8Array.from(execFileSync("gzip", ["-c", ...flags], { input: archive, maxBuffer: 1 << 24 }));

  for (const format of ["ustar", "gnu", "oldgnu", "pax", "v7"])
    test(`is read in the format ${format}`, () => {
      const archive = tar(`--format=${format}`, "-cf", "-", ...NAMES);
      expect(readPackage(gzip(archive))).toEqual(MEMBERS);
    });

  for (const level of [1, 2, 3, 4, 5, 6, 7, 8, 9])
    test(`is read at level ${level}`, () => {
      expect(readPackage(gzip(tar("-cf", "-", ...NAMES), `-${level}`))).toEqual(MEMBERS);
    });

  test("is read as tar -z packs it, and with another record length", () => {
    expect(readPackage(Uint8Array.from(tar("-czf", "-", ...NAMES)))).toEqual(MEMBERS);
    expect(readPackage(gzip(tar("-b1", "-cf", "-", ...NAMES)))).toEqual(MEMBERS);
  });

  test("is read with times, owners and attributes in extended headers", () => {
    const options = [
      "--format=pax",
      "--xattrs",
      "--pax-option=comment=a,svc.note:=b",
      "--mtime=2030-01-01 UTC",
    ];
    expect(readPackage(gzip(tar(...options, "-cf", "-", ...NAMES)))).toEqual(MEMBERS);
  });

  test("is read in two gzip members", () => {
    const archive = tar("-cf", "-", ...NAMES);
    const parts = [gzip(archive.subarray(0, 1000)), gzip(archive.subarray(1000))];
    expect(readPackage(Uint8Array.from(Buffer.concat(parts)))).toEqual(MEMBERS);
  });

  for (const [what, names] of [
    ["a folder entry", ["."]],
    ["names that begin with ./", NAMES.map((name) => `./${name}`)],
    ["a symbolic link", [...NAMES, "app.arm.aot"]],
    ["a nested folder", [...NAMES, "bin"]],
    ["a repeated file", ["--hard-dereference", ...NAMES, "app.wasm"]],
  ] as const)
    test(`is rejected with ${what}`, () => {
      const archive = tar("-cf", "-", ...names);
      expect(faultOf(() => readPackage(gzip(archive)))?.code).toBe("package_invalid");
    });

  test("is unpacked by GNU tar to the same files, if written by the package writer", () => {
    const written = writePackage({
      module: FILES["app.wasm"] as Uint8Array,
      manifest: FILES["manifest.json"] as Uint8Array,
    });
    const file = path.join(folder, "written.svcpkg");
    writeFileSync(file, written);
    execFileSync("gzip", ["-t"], { input: written });
    expect(String(tar("-tvzf", file))).toMatch(/^-rw-r--r-- 0\/0 +17 1970-01-01 00:00 manifest.json\n/);
    expect(Uint8Array.from(tar("-xOzf", file, "app.wasm"))).toEqual(FILES["app.wasm"]);
  });
});
