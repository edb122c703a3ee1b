/** A drive that breaks, and one that waits for another install; `device/apps/drives.test.ts` has all else. */
import { beforeAll, expect, test } from "vitest";
import type { ReadOnlyDirectory } from "../../../../device/ports/drives.js";
import type { DriveInstall, ScanResult } from "../../../../device/services/apps/drive-install.js";
import { moduleOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { linesOf } from "./emulated-apps.js";
import { publisher, trustingInstaller } from "./emulated-installer.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (memory 1) (func (export "main")))');
});

/** A drive with these files in `apps`, each with its signature beside it. */
function drive(files: Record<string, Uint8Array>): ReadOnlyDirectory {
  const directory = new EmulatedStorage().files;
  directory.createDirectory("apps");
  const write = (name: string, bytes: Uint8Array) => {
    const file = directory.openFile({ path: `apps/${name}`, mode: "w" });
    file.write(bytes, 0);
    file.close();
  };
  for (const [name, bytes] of Object.entries(files)) {
    write(name, bytes);
    write(`${name}.sig`, new TextEncoder().encode(publisher.sign(bytes)));
  }
  return directory;
}

async function scanned(drives: DriveInstall, card: ReadOnlyDirectory) {
  const results: ScanResult[] = [];
  const hasMore = await drives.scan(card, (result) => results.push(result));
  return { hasMore, codes: results.map(({ file, refusal }) => [file, refusal?.code]) };
}

test("A broken drive is reported", async () => {
  const { drives, log } = trustingInstaller();
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
  expect((await scanned(drives, broken)).codes).toEqual([["a.wasm", "file_not_found"]]);
  expect(linesOf(log).at(-1)).toContain("the drive is gone");
});

test("No install starts during another one", async () => {
  const { drives, installer } = trustingInstaller();
  const job = installer.begin({ requiresName: false, isNewerOnly: false, allowsDowngrade: false });
  expect((await scanned(drives, drive({ "a.wasm": module }))).codes).toEqual([["a.wasm", "upload_busy"]]);
  job.abort();
  expect((await scanned(drives, drive({ "a.wasm": module }))).codes).toEqual([["a.wasm", undefined]]);
});

// docs/spec/apps.md#drive-limits
test("Hidden files take no place among those that a scan considers", async () => {
  const { drives } = trustingInstaller();
  const games = Array.from({ length: 20 }, (_, at) => `game${at}.wasm`);
  const hidden = Object.fromEntries(games.map((name) => [`._${name}`, module]));
  const card = drive({
    ...hidden,
    ".other.wasm": module,
    ...Object.fromEntries(games.map((name) => [name, module])),
  });
  const { codes, hasMore } = await scanned(drives, card);
  expect(codes.map(([file]) => file)).toEqual([...games].sort());
  expect(hasMore).toBe(false);
});

const numbered = (count: number, nameOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => nameOf(at));
test.each([
  ["more than 64 files", numbered(65, (at) => `${at}.wasm`)],
  ["a name of more than 64 characters", [`${"a".repeat(65)}.svcpkg`]],
  ["more than 1024 entries", numbered(1025, (at) => `._${at}`)],
])("A scan of %s says that it has not considered all", async (_, names) => {
  const { apps, drives, log } = trustingInstaller();
  const card = new EmulatedStorage().files;
  card.createDirectory("apps");
  await drives.scanCard(Object.assign(card, { scan: () => names[Symbol.iterator]() }));
  expect(linesOf(log).at(-1)).toContain("The drive has more app files");
  expect(apps.cardApps?.more).toBe(true);
});
