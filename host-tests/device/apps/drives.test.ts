/**
 * Apps on drives (docs/spec/apps.md#drive-newer), with their manifests, signatures and AOT files beside them. Anyone may have
 * written to a drive, so each signature counts (docs/spec/app-packages.md#manifest-beside).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { manifestOf, moduleOf, packageOf } from "../../hosts/app-files.js";
import { getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { aotFile } from "../../unit/services/apps/aot-file.js";

const [publisher, stranger] = [new Publisher(), new Publisher()];
const module = await moduleOf('(module (memory (export "memory") 1) (func (export "main")))');
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const GADGET = json(manifestOf({ name: "gadget", version: "2.0.0" }));

const directory = mkdtempSync(path.join(tmpdir(), "drives-"));
const card = path.join(directory, "sd/apps");
const drive = path.join(directory, "usb/apps");
let console: AppConsole;

type Files = Readonly<Record<string, Uint8Array | string>>;

/** Writes files with their signatures beside them. @param signatures other ones; `null` for none */
function put(folder: string, files: Files, signatures: Readonly<Record<string, string | null>> = {}): void {
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    writeFileSync(path.join(folder, name), bytes);
    const { [name]: signature = publisher.sign(bytes) } = signatures;
    if (signature !== null) writeFileSync(path.join(folder, `${name}.sig`), signature);
  }
}

function emptyDrive(): void {
  rmSync(drive, { recursive: true, force: true });
  mkdirSync(drive, { recursive: true });
}

beforeAll(async () => {
  mkdirSync(card, { recursive: true });
  emptyDrive();
  put(card, { "gadget.wasm": module, "gadget.json": GADGET });
  put(card, { "bad.wasm": module, "bad.json": "{}" }, { "bad.json": "00".repeat(64) });
  const flags = ["--sd", path.dirname(card), "--usb-drive", path.dirname(drive)];
  console = await startAppConsole({ publisher, flags });
});
afterAll(async () => {
  expect((await getJson(`${console.http}/api/system`)).reset_reason).toBe("power_on");
  await console.stop();
  rmSync(directory, { recursive: true, force: true });
});

const installed = async () => (await console.apps()).map(({ name, version }) => `${name} ${version}`);
const variants = async (name: string) =>
  [...(await console.apps()).find((app) => app.name === name).variants].sort();

test("A module with a signed manifest is installed at the start, and one with an invalid signature is not", async () => {
  expect(await installed()).toEqual(["gadget 2.0.0"]);
  expect((await getJson(`${console.http}/api/system`)).card_apps).toEqual({ files: 2, refused: 1 });
});

/** What `app scan usb` prints of a new drive, a line for each file. */
async function scan(files: Files, signatures?: Readonly<Record<string, string | null>>): Promise<string[]> {
  emptyDrive();
  put(drive, files, signatures);
  return (await console.shell("app scan usb")).trimEnd().split("\n");
}

const text = (part: string) => expect.stringContaining(part);

beforeEach(async ({ task }) => {
  if (task.name.includes("at the start")) return;
  for (const { name } of await console.apps()) await console.app("uninstall", name);
});

interface Scan {
  readonly name: string;
  readonly files: Files;
  readonly signatures?: Readonly<Record<string, string | null>>;
  /** Parts of the lines. */
  readonly prints: readonly string[];
  readonly apps: readonly string[];
}

const within = appendCustomSection(module, "svc_manifest", json(manifestOf({ name: "within" })));
const beside = json(manifestOf({ name: "beside", version: "3.0.0" }));

const SCANS: readonly Scan[] = [
  {
    name: "every package and module is installed, in the order of names",
    files: {
      "b.svcpkg": packageOf(module, { name: "b" }),
      "a.wasm": module,
      "readme.txt": "hello",
      "._a.wasm": "hidden",
      ".hidden.svcpkg": packageOf(module, { name: "hidden" }),
      "C.SVCPKG": packageOf(module, { name: "c" }),
    },
    prints: ["C.SVCPKG: installed c 1.0.0", "a.wasm: installed a 0.0.0", "b.svcpkg: installed b 1.0.0"],
    apps: ["a 0.0.0", "b 1.0.0", "c 1.0.0"],
  },
  { name: "a drive without apps installs none", files: {}, prints: ["The USB drive has no apps."], apps: [] },
  {
    name: "a file whose signature is missing or wrong is rejected, and others are installed",
    files: { "a.wasm": module, "b.wasm": module, "c.wasm": module },
    signatures: { "a.wasm": null, "b.wasm": stranger.sign(module) },
    prints: [
      "a.wasm: Cannot accept a file without a signature",
      "b.wasm: The signature of this file",
      "c.wasm: installed",
    ],
    apps: ["c 0.0.0"],
  },
  {
    name: "a signature file may end with a line end",
    files: { "a.wasm": module },
    signatures: { "a.wasm": `${publisher.sign(module)}\r\n` },
    prints: ["a.wasm: installed a 0.0.0"],
    apps: ["a 0.0.0"],
  },
  {
    name: "a manifest beside a module names its app",
    files: { "a.wasm": module, "a.json": beside },
    signatures: { "a.json": null },
    prints: ["a.wasm: installed beside 3.0.0"],
    apps: ["beside 3.0.0"],
  },
  {
    name: "an embedded manifest precedes one beside the module",
    files: { "a.wasm": within, "a.json": beside },
    prints: ["a.wasm: installed within 1.0.0"],
    apps: ["within 1.0.0"],
  },
  {
    name: "a module beside a broken manifest is not installed",
    files: { "a.wasm": module, "a.json": "{" },
    prints: ["a.wasm: Cannot"],
    apps: [],
  },
  {
    name: "a module beside a manifest with an invalid signature is not installed",
    files: { "a.wasm": module, "a.json": GADGET },
    signatures: { "a.json": stranger.sign(GADGET) },
    prints: ["signature"],
    apps: [],
  },
  ...["has space", "a".repeat(33), "ä"].map((stem) => ({
    name: `a bare module named "${stem}" is not an app`,
    files: { [`${stem}.wasm`]: module },
    prints: [`"${stem}" is not a valid app name`],
    apps: [],
  })),
];

for (const { name, files, signatures, prints, apps } of SCANS)
  test(`On the USB drive ${name}`, async () => {
    expect(await scan(files, signatures)).toEqual(prints.map(text));
    expect(await installed()).toEqual(apps);
  });

// docs/spec/apps.md#drive-limits
test("A scan of more files than it considers says so, and that the log has what does not fit its output", async () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`${index}.wasm`, "x"]));
  const lines = await scan({ ...many, [`${"a".repeat(200)}.wasm`]: module });
  const [rest, more] = lines.slice(-2);
  expect(more).toContain("The drive has more app files");
  expect(lines.length - 2 + Number(/^\(and (\d+) more/.exec(rest ?? "")?.[1])).toBe(64);
  expect(await installed()).toEqual([]);
});

test("A newer version replaces the installed app, and an equal or older one does not", async () => {
  const from = console.stderr.length;
  await scan({ "tetris.svcpkg": packageOf(module, { version: "2.0.0" }) });
  for (const version of ["1.9.9", "2.0.0"])
    expect(await scan({ "tetris.svcpkg": packageOf(module, { version }) })).toEqual([text("is not newer")]);
  expect(await scan({ "tetris.svcpkg": packageOf(module, { version: "10.0.0" }) })).toEqual([
    "tetris.svcpkg: installed tetris 10.0.0",
  ]);
  await console.waitForLine(
    / I apps: "tetris.svcpkg" is skipped: "tetris" 2.0.0 is not newer than the installed 2.0.0/,
    from,
  );
});

test("A named file is installed over an equal version, but not over a newer one", async () => {
  const older = packageOf(module);
  const same = packageOf(module, { version: "2.0.0", description: "again" });
  await scan({ "tetris.svcpkg": packageOf(module, { version: "2.0.0" }) });
  put(drive, { "old.svcpkg": older, "same.svcpkg": same });
  expect(await console.shell("app install /usb/apps/old.svcpkg")).toContain("older");
  expect(await console.shell("app install /usb/apps/same.svcpkg")).toBe("Installed tetris 2.0.0.\n");
  expect(await console.apps()).toMatchObject([{ version: "2.0.0", description: "again" }]);
  expect(await console.shell("app install /usb/apps/none.wasm")).toContain("none.wasm");
  put(drive, { "gadget.wasm": module, "gadget.json": "{}" }, { "gadget.json": "00".repeat(64) });
  expect(await console.shell("app install /usb/apps/gadget.wasm")).toContain("signature");
});

test("An unsigned manifest does not replace an app whose manifest is signed", async () => {
  await scan({ "tetris.svcpkg": packageOf(module) });
  const bank = json(manifestOf({ version: "9.0.0", capabilities: ["storage.read"] }));
  const files = { "a.wasm": module, "a.json": bank };
  expect(await scan(files, { "a.json": null })).toEqual([text("signature")]);
  expect(await installed()).toEqual(["tetris 1.0.0"]);
  await scan(files);
  expect(await installed()).toEqual(["tetris 9.0.0"]);
});

test("AOT files beside a module are attached to it, each by its own signature, also later", async () => {
  await scan({ "a.wasm": module, "a.xtensa.aot": aotFile(), "a.arm.aot": aotFile("thumbv7em") });
  expect(await variants("a")).toEqual(["arm", "xtensa"]);
  const from = console.stderr.length;
  const late = { "b.wasm": module, "b.arm.aot": aotFile("arm") };
  expect(await scan(late, { "b.arm.aot": null })).toEqual(["b.wasm: installed b 0.0.0"]);
  expect(await variants("b")).toEqual([]);
  await console.waitForLine(/"apps\/b\.arm\.aot" is refused/, from);
  expect(await scan(late)).toEqual([text("is not newer")]);
  expect(await variants("b")).toEqual(["arm"]);
});

test("An AOT file of another architecture than its name is rejected, on a drive and in a package", async () => {
  await scan({ "a.wasm": module, "a.arm.aot": aotFile("xtensa") });
  expect(await variants("a")).toEqual([]);
  const manifest = json(manifestOf());
  const send = (arm: Uint8Array) => {
    const file = writePackage({ module, manifest, variants: { arm } });
    return installOverHttp(console, { file, signature: publisher.sign(file) });
  };
  for (const content of [aotFile("xtensa"), json("junk"), new Uint8Array(0)])
    expect(await send(content)).toMatchObject({ status: 422, body: { error: "variant_invalid" } });
  expect(await send(aotFile("arm"))).toMatchObject({ status: 200, body: { variants: ["arm"] } });
});

test("A succession beside a package moves the app to the publisher's new key", async () => {
  publisher.becomeTrusted(console.state, stranger.pem);
  await scan({ "tetris.svcpkg": packageOf(module) });
  const newer = packageOf(module, { version: "2.0.0" });
  const signatures = { "tetris.svcpkg": stranger.sign(newer), "tetris.svcpkg.succession": null };
  const succession = `${publisher.succeedBy(stranger)}\n`;
  await scan({ "tetris.svcpkg": newer, "tetris.svcpkg.succession": succession }, signatures);
  expect(await console.apps()).toMatchObject([{ version: "2.0.0", publisher: stranger.hex.slice(0, 16) }]);
});
