/** SD cards and USB drives (docs/spec/apps.md#sd-card). */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { DRIVE_CONTENT, READ_ONLY_DIRECTORY_CONTRACT } from "../../contracts/read-only-directory.js";
import { startConsole } from "../../hosts/simulator.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const image = path.join(import.meta.dirname, "drives-program.ts");
const directory = temporaryDirectory();
afterAll(() => directory.remove());

function makeDrive(name: string, content: Readonly<Record<string, string>>): string {
  const drive = path.join(directory.path, name);
  mkdirSync(drive);
  for (const [file, text] of Object.entries(content)) {
    mkdirSync(path.dirname(path.join(drive, file)), { recursive: true });
    writeFileSync(path.join(drive, file), text);
  }
  return drive;
}

const lines = (stderr: readonly string[]) => stderr.map((line) => JSON.parse(line));

describe("On XS, svc/drives", async () => {
  const console = await startConsole({ image, flags: ["--sd", makeDrive("sd", DRIVE_CONTENT)] });
  await console.waitForLine(/isThere/);
  await console.stop();
  for (const { name } of READ_ONLY_DIRECTORY_CONTRACT)
    test(name, () => {
      const report = lines(console.stderr).find((line) => line.name === name);
      expect(report, "is reported").toBeDefined();
      expect(report.problem).toBeUndefined();
    });

  test("There is no USB drive unless configured", () => {
    expect(lines(console.stderr).at(-1)).toMatchObject({ isThere: false });
  });
});

test("Links, pipes and names that are not UTF-8 do not appear on a drive", async () => {
  const outside = makeDrive("outside", { inside: "secret" });
  const drive = makeDrive("linked", { own: "own" });
  symlinkSync(path.join(outside, "inside"), path.join(drive, "link-to-file"));
  symlinkSync(outside, path.join(drive, "link-to-directory"));
  symlinkSync("own", path.join(drive, "link-inside"));
  execFileSync("mkfifo", [path.join(drive, "pipe")]);
  writeFileSync(Buffer.concat([Buffer.from(`${drive}/bad-`), Buffer.of(0xff, 0xc0, 0x80)]), "no UTF-8");
  const console = await startConsole({ image, flags: ["--usb-drive", drive] });
  await console.waitForLine(/isThere/);
  await console.stop();
  expect(lines(console.stderr)[0]).toEqual({ names: ["own"], readable: ["own"] });
});

test("Files and scans of an unplugged drive fail, also on another drive, and work again when it returns", async () => {
  const drive = makeDrive("pulled", { watched: "watched", other: "other" });
  const elsewhere = `${drive}-elsewhere`;
  const console = await startConsole({ image, flags: ["--usb-drive", drive] });
  let seenLines = 0;
  const seen = async (state: object) => {
    const text = JSON.stringify(state);
    await console.waitForLine(new RegExp(text.replaceAll(/[()?[\]{}.*+^$|\\]/g, "\\$&")), seenLines);
    seenLines = console.stderr.length;
  };
  const gone = (what: string) => `Error: Cannot ${what}: No such device (drive_gone)`;
  const open = { isThere: true, file: "done", scan: "done" };
  const lost = { file: gone('read "file"'), scan: gone('list "directory"') };
  await seen(open);

  renameSync(drive, elsewhere);
  await seen({ isThere: false, ...lost });

  // Another drive in its place: files and scans of the first drive stay lost.
  makeDrive("pulled", { watched: "of another drive" });
  await seen({ isThere: true, ...lost });

  renameSync(drive, `${drive}-other`);
  renameSync(elsewhere, drive);
  await seen(open);
  await console.stop();
});

test("A drive with 20,000 names can be scanned whole", async () => {
  const drive = makeDrive("crowded", {});
  for (let number = 0; number < 20_000; number++) writeFileSync(path.join(drive, `file-${number}`), "");
  const console = await startConsole({
    flags: ["--usb-drive", drive],
    image: `
      import drives from "svc/drives";
      import system from "svc/system";
      export default function main() {
        let count = 0;
        for (const _ of drives.usb.scan()) count++;
        trace("names " + count + "\\n");
        system.ready({ name: "Console-TEST", httpPort: 0, wsPort: 0 });
      }
    `,
  });
  await console.waitForLine(/^names 20000$/);
  await console.stop();
});
