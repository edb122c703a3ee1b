/** Apps on drives (docs/spec/apps.md#drive-newer). */
import { beforeAll, expect, test } from "vitest";
import type { ReadOnlyDirectory } from "../../../../device/ports/drives.js";
import { appendCustomSection } from "../../../../protocol/custom-section.js";
import { writePackage } from "../../../../protocol/package/package-writer.js";
import { manifestOf, moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { Publisher } from "../../../hosts/publisher.js";
import { aotFile } from "./aot-file.js";
import { linesOf, listOf } from "./emulated-apps.js";
import { publisher, trustingInstaller } from "./emulated-installer.js";

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: unknown) => text(JSON.stringify(value));

let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});

/** A drive with these files in `apps`, each with its signature beside it unless given otherwise. */
function drive(
  files: Record<string, Uint8Array>,
  signatures: Record<string, string | undefined> = {},
): ReadOnlyDirectory {
  const directory = new EmulatedStorage().files;
  directory.createDirectory("apps");
  const write = (name: string, bytes: Uint8Array) => {
    const file = directory.openFile({ path: `apps/${name}`, mode: "w" });
    file.write(bytes, 0);
    file.close();
  };
  for (const [name, bytes] of Object.entries(files)) {
    write(name, bytes);
    const signature = name in signatures ? signatures[name] : publisher.sign(bytes);
    if (signature !== undefined) write(`${name}.sig`, text(signature));
  }
  return directory;
}

const codes = (results: readonly { file: string; refusal?: { code: string } }[]) =>
  results.map(({ file, refusal }) => [file, refusal?.code]);

test("Every package and module of a drive is installed, in the order of names", async () => {
  const { drives, apps } = trustingInstaller();
  const card = drive({
    "b.svcpkg": packageOf(module, { name: "b" }),
    "a.wasm": module,
    "readme.txt": text("hello"),
  });
  expect(codes(await drives.scan(card))).toEqual([
    ["a.wasm", undefined],
    ["b.svcpkg", undefined],
  ]);
  expect(listOf(apps)).toMatchObject([
    { name: "a", version: "0.0.0" },
    { name: "b", version: "1.0.0" },
  ]);
});

test("An installed app is replaced by a newer version, and not by an equal or older one", async () => {
  const { drives, apps, install, log } = trustingInstaller();
  await install(packageOf(module, { version: "2.0.0" }));
  for (const version of ["1.9.9", "2.0.0"]) {
    const results = await drives.scan(drive({ "tetris.svcpkg": packageOf(module, { version }) }));
    expect(codes(results)).toEqual([["tetris.svcpkg", "app_not_newer"]]);
  }
  expect(linesOf(log)).toContain(
    'I apps: "tetris.svcpkg" is skipped: "tetris" 2.0.0 is not newer than the installed 2.0.0',
  );
  await drives.scan(drive({ "tetris.svcpkg": packageOf(module, { version: "10.0.0" }) }));
  expect(apps.entry("tetris").version).toBe("10.0.0");
});

test("A file whose signature is missing or wrong is rejected and logged, and others are installed", async () => {
  const { drives, apps, log } = trustingInstaller();
  const files = { "a.wasm": module, "b.wasm": module, "c.wasm": module };
  const signatures = { "a.wasm": undefined, "b.wasm": new Publisher().sign(module) };
  expect(codes(await drives.scan(drive(files, signatures)))).toEqual([
    ["a.wasm", "signature_missing"],
    ["b.wasm", "signature_invalid"],
    ["c.wasm", undefined],
  ]);
  expect(listOf(apps).map(({ name }) => name)).toEqual(["c"]);
  expect(linesOf(log).filter((line) => line.startsWith('W apps: "'))).toHaveLength(2);
});

test("A signature file may end with a line end", async () => {
  const { drives } = trustingInstaller();
  const card = drive({ "a.wasm": module }, { "a.wasm": `${publisher.sign(module)}\r\n` });
  expect(codes(await drives.scan(card))).toEqual([["a.wasm", undefined]]);
});

test("A manifest beside a module names its app, but an embedded one has precedence", async () => {
  const { drives, apps } = trustingInstaller();
  const beside = json(manifestOf({ name: "beside", version: "3.0.0" }));
  await drives.scan(drive({ "a.wasm": module, "a.json": beside }, { "a.json": undefined }));
  expect(apps.entry("beside").version).toBe("3.0.0");
  const within = appendCustomSection(module, "svc_manifest", json(manifestOf({ name: "within" })));
  await drives.scan(
    drive({ "a.wasm": within, "a.json": json(manifestOf({ name: "beside", version: "4.0.0" })) }),
  );
  expect(listOf(apps).map(({ name, version }) => `${name} ${version}`)).toEqual([
    "beside 3.0.0",
    "within 1.0.0",
  ]);
});

test("A module beside a broken manifest is not installed", async () => {
  const { drives, apps } = trustingInstaller();
  expect(codes(await drives.scan(drive({ "a.wasm": module, "a.json": text("{") })))).toEqual([
    ["a.wasm", "manifest_invalid"],
  ]);
  expect(listOf(apps)).toEqual([]);
});

test("AOT files beside a module are attached to it, each by its own signature", async () => {
  const { drives, apps, log } = trustingInstaller();
  await drives.scan(
    drive({ "a.wasm": module, "a.xtensa.aot": aotFile(), "a.arm.aot": aotFile("thumbv7em") }),
  );
  expect([...apps.entry("a").variants].sort()).toEqual(["arm", "xtensa"]);
  const card = drive({ "b.wasm": module, "b.arm.aot": aotFile("arm") }, { "b.arm.aot": undefined });
  expect(codes(await drives.scan(card))).toEqual([["b.wasm", undefined]]);
  expect(apps.entry("b").variants).toEqual([]);
  expect(linesOf(log).at(-1)).toContain('"apps/b.arm.aot" is refused');
});

test("A drive without apps installs none, and a broken drive is reported", async () => {
  const { drives, log } = trustingInstaller();
  expect(await drives.scan(new EmulatedStorage().files)).toEqual([]);
  const card = drive({ "a.wasm": module });
  const gone = {
    ...card,
    status: (path: string) => card.status(path),
    scan: (path: string) => card.scan(path),
  };
  const broken = Object.assign(gone, {
    openFile: () => {
      throw Object.assign(new Error("Cannot read: the drive is gone"), { code: "drive_gone" });
    },
  }) as unknown as ReadOnlyDirectory;
  expect(codes(await drives.scan(broken))).toEqual([["a.wasm", "file_not_found"]]);
  expect(linesOf(log).at(-1)).toContain("the drive is gone");
});

test("A named file is installed over an equal version, but not over a newer one", async () => {
  const { drives, apps, install } = trustingInstaller();
  await install(packageOf(module, { version: "2.0.0" }));
  const older = drive({ "old.svcpkg": packageOf(module) });
  await expect(drives.installFile(older, "apps/old.svcpkg")).rejects.toMatchObject({ code: "version_older" });
  const same = packageOf(module, { version: "2.0.0", description: "again" });
  await drives.installFile(drive({ "same.svcpkg": same }), "apps/same.svcpkg");
  expect(apps.entry("tetris").description).toBe("again");
  await expect(drives.installFile(drive({}), "apps/none.wasm")).rejects.toMatchObject({
    code: "file_not_found",
  });
});

test("No install starts during another one", async () => {
  const { drives, installer } = trustingInstaller();
  const job = installer.begin({ requiresName: false, isNewerOnly: false, allowsDowngrade: false });
  expect(codes(await drives.scan(drive({ "a.wasm": module })))).toEqual([["a.wasm", "upload_busy"]]);
  job.abort();
  expect(codes(await drives.scan(drive({ "a.wasm": module })))).toEqual([["a.wasm", undefined]]);
});

for (const stem of [".staging", "has space", "a".repeat(33), "ä"])
  test(`A bare module named "${stem}" is not an app`, async () => {
    const { drives, apps } = trustingInstaller();
    expect(codes(await drives.scan(drive({ [`${stem}.wasm`]: module })))).toEqual([
      [`${stem}.wasm`, "manifest_invalid"],
    ]);
    expect(listOf(apps)).toEqual([]);
  });

test("Files beyond the number that a scan remembers, and names that are too long, are skipped", async () => {
  const { drives } = trustingInstaller();
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.wasm`, text("x")]));
  expect(await drives.scan(drive({ ...files, [`${"a".repeat(200)}.wasm`]: module }))).toHaveLength(32);
});

test("An unsigned manifest does not replace an app whose manifest is signed", async () => {
  const { drives, apps, install } = trustingInstaller();
  await install(packageOf(module));
  const bank = json(manifestOf({ version: "9.0.0", capabilities: ["storage.read"] }));
  expect(
    codes(await drives.scan(drive({ "a.wasm": module, "a.json": bank }, { "a.json": undefined }))),
  ).toEqual([["a.wasm", "signature_missing"]]);
  expect(apps.entry("tetris").version).toBe("1.0.0");
  await drives.scan(drive({ "a.wasm": module, "a.json": bank }));
  expect(apps.entry("tetris").version).toBe("9.0.0");
});

test("A module beside a manifest with an invalid signature is not installed", async () => {
  const { drives } = trustingInstaller();
  const beside = json(manifestOf());
  const card = drive({ "a.wasm": module, "a.json": beside }, { "a.json": new Publisher().sign(beside) });
  expect(codes(await drives.scan(card))).toEqual([["a.wasm", "signature_invalid"]]);
});

test("An AOT file added to the drive later is attached though the module is not newer", async () => {
  const { drives, apps } = trustingInstaller();
  await drives.scan(drive({ "a.wasm": module }));
  expect(codes(await drives.scan(drive({ "a.wasm": module, "a.xtensa.aot": aotFile() })))).toEqual([
    ["a.wasm", "app_not_newer"],
  ]);
  expect(apps.entry("a").variants).toEqual(["xtensa"]);
});

test("An AOT file of another architecture than its name is rejected, on a drive and in a package", async () => {
  const { drives, apps, install } = trustingInstaller();
  await drives.scan(drive({ "a.wasm": module, "a.arm.aot": aotFile("xtensa") }));
  expect(apps.entry("a").variants).toEqual([]);
  const manifest = json(manifestOf());
  for (const content of [aotFile("xtensa"), text("junk"), new Uint8Array(0)])
    await expect(
      install(writePackage({ module, manifest, variants: { arm: content } })),
    ).rejects.toMatchObject({
      code: "variant_invalid",
    });
  expect(await install(writePackage({ module, manifest, variants: { arm: aotFile("arm") } }))).toMatchObject({
    variants: ["arm"],
  });
});
