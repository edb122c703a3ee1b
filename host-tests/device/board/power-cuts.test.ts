/** `npm run test:board:power`, with our simulator standing in for an emulator and its board. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { makeStandInBoard, type StandInBoard } from "../../hosts/stand-in-board.js";

const temporary = temporaryDirectory();
const publisher = new Publisher();
const trusting = path.join(temporary.path, "trusting");
const packageFile = path.join(temporary.path, "tiny.svcpkg");
let board: StandInBoard;

beforeAll(async () => {
  board = await makeStandInBoard(temporary.path);
  publisher.becomeTrusted(trusting);
  const app = packageOf(await moduleOf('(module (func (export "main")))'), { name: "tiny" });
  writeFileSync(packageFile, app);
  writeFileSync(`${packageFile}.sig`, `${publisher.sign(app)}\n`);
});
afterAll(() => temporary.remove());

const usual = () => ["--flash", board.flash, "--qemu", board.emulator];

const run = (words: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  board.run("power-cuts.ts", words, { SVC_STAND_IN_STATE: trusting, ...environment });

test("cuts the power during changes, says of each what was cut and when, and what was there before it", () => {
  const ended = run([...usual(), "--package", packageFile, "--cuts", "12"]);
  expect([ended.stderr, ended.status]).toEqual(["", 0]);
  const [first = "", ...lines] = ended.stdout.trimEnd().split("\n");
  expect(first).toMatch(
    /^test:board:power: simulator 0\.1\.0 for the ESP32; boot logs in build\/board-tests\//,
  );
  expect(lines.pop()).toBe("test:board:power: 12 cuts, each left one state whole");
  expect(lines).toHaveLength(12);
  for (const [index, line] of lines.entries())
    expect(line).toMatch(
      new RegExp(
        `^test:board:power: ${index + 1}: (install tiny 1\\.0\\.0|uninstall tiny|forget the hub|set the hub http://192\\.0\\.2\\.\\S+): (done, )?cut after \\d+\\.\\d s; it was: firmware 0\\.1\\.0, last update: none, apps: (none|tiny 1\\.0\\.0), hub: `,
      ),
    );
});

test("reports a board that has lost what it had, with what may be left, and keeps its flash", () => {
  const ended = run([...usual(), "--package", packageFile, "--seed", "3"], { SVC_STAND_IN: "forgets" });
  expect(ended.status).toBe(1);
  const [problem = "", flash = ""] = ended.stderr.split("\n");
  expect(problem).toMatch(
    /^test:board:power: after \d+ cuts: it is: firmware 0\.1\.0, .+; it may be: firmware 0\.1\.0, /,
  );
  expect(readFileSync(/^The flash is "(.+)"$/.exec(flash)?.[1] as string).length).toBeGreaterThan(1_000_000);
});

test("reports what the console refuses", () => {
  const stranger = path.join(temporary.path, "stranger.svcpkg");
  writeFileSync(stranger, readFileSync(packageFile));
  writeFileSync(`${stranger}.sig`, new Publisher().sign(readFileSync(packageFile)));
  const ended = run([...usual(), "--package", stranger]);
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(
    /^test:board:power: after 0 cuts: the console answered 403 .*signature_invalid/,
  );
});

describe("Rejects", () => {
  const WRONG: readonly [string, () => string[], RegExp][] = [
    ["no image", () => ["--qemu", board.emulator], /^Name the image of the flash with --flash$/],
    ["no cuts", () => [...usual(), "--cuts", "0"], /^--cuts takes a number from 1 to 99999, not "0"$/],
    [
      "a seed in words",
      () => [...usual(), "--seed", "x"],
      /^--seed takes a number from 0 to 99999, not "x"$/,
    ],
    [
      "a file without a signature",
      () => [...usual(), "--package", board.flash],
      /^Cannot read ".+\.sig": no such/,
    ],
    [
      "a bundle that is none",
      () => [...usual(), "--bundle", packageFile],
      /^".+" is not a bundle of firmware: /,
    ],
    ["tests", () => [...usual(), "usb"], /^Unexpected argument 'usb'/],
  ];
  test.each(WRONG)("%s", (_name, words, problem) => {
    const ended = run(words());
    expect([ended.status, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr.replace("test:board:power: ", "").split("\n")[0]).toMatch(problem);
    expect(ended.stderr).toContain("\nusage: npm run test:board:power -- --flash IMAGE --qemu PATH ");
  });
});
