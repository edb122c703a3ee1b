/** Which keys firmware brings that is built with the Moddable SDK. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { keysFor } from "../../../boards/trusted-keys.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const development = path.join(temporary.path, "keys");

test("a board gets the development key, with a note, unless another one is named; the key is kept", async () => {
  const first = await keysFor("esp32s3", undefined, development);
  expect(first.pem).toBe(readFileSync(path.join(development, "publisher.pub.pem"), "utf8"));
  expect(first.news).toEqual([
    expect.stringMatching(/^the firmware brings the development key .*; sign with .*publisher\.pem, /),
  ]);
  expect(await keysFor("esp32s3", undefined, development)).toEqual(first);
});

test("a simulated console keeps its keys unless others are named", async () => {
  expect(await keysFor("sim", undefined, development)).toEqual({ pem: undefined, news: [] });
});

for (const target of ["sim", "esp32s3"] as const)
  test(`firmware for ${target} contains the keys of the named file`, async () => {
    const file = path.join(temporary.path, `${target}.pem`);
    const { pem } = new Publisher();
    writeFileSync(file, pem);
    expect(await keysFor(target, file, development)).toEqual({ pem, news: [] });
  });
