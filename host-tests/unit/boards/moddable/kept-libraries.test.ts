/** The same parts are the same firmware, whatever the linker makes of them. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstOfSameParts } from "../../../../boards/moddable/kept-libraries.js";

const PARTS: Record<string, string> = {
  "sim/wifi.c.o": "compiled",
  "sim/modules/device/main.xsb": "main",
  "sim/makefile": "options",
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "libraries-"));
  putParts();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: string): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function putParts(): void {
  rmSync(path.join(root, "parts"), { recursive: true, force: true });
  for (const [name, content] of Object.entries(PARTS)) put(`parts/${name}`, content);
}

/** Where the linker has written `content`. */
async function link(content: string): Promise<string> {
  const library = put("mc.so", content);
  return String(await firstOfSameParts(path.join(root, "kept"), path.join(root, "parts"), library));
}

test("linking the same parts again returns the library of the first time", async () => {
  expect(await link("at 0x1000")).toBe("at 0x1000");
  expect(await link("at 0x2000")).toBe("at 0x1000");
});

for (const name of [...Object.keys(PARTS), "sim/modules/device/new.xsb"])
  test(`changing ${name} gives another library, and restoring it gives the first one again`, async () => {
    await link("first");
    put(`parts/${name}`, "edited");
    expect(await link("second")).toBe("second");
    putParts();
    expect(await link("third")).toBe("first");
  });

for (const name of ["mc.xs.c", "mc.xs.c.o", "modules/mc.xsi", "tsc/main.js"])
  test(`changing ${name} gives the same library, as the linker writes it or does not link it`, async () => {
    await link("first");
    put(`parts/sim/${name}`, "of this linking");
    expect(await link("second")).toBe("first");
  });

test("eight libraries are kept, the most recently used one among them", async () => {
  await link("first");
  const [first = ""] = readdirSync(path.join(root, "kept"));
  for (let version = 1; version <= 8; version++) {
    const past = new Date(version * 1000);
    for (const name of readdirSync(path.join(root, "kept")))
      if (name !== first) utimesSync(path.join(root, "kept", name), past, past);
    put("parts/sim/wifi.c.o", `version ${version}`);
    await link(`version ${version}`);
    putParts();
    expect(await link("again")).toBe("first");
  }
  expect(readdirSync(path.join(root, "kept")).length).toBe(8);
});
