/** Objects and programs of 32 bits, as compilers write them (engine/root/elf.ts). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readElf } from "../../../../engine/root/elf.js";
import { isMissing } from "../../../hosts/peers.js";

const C = `
extern int other(int);
int shared;
static int hidden(int value) { return other(value) + shared; }
int visible(int value) { return hidden(value); }
`;

describe.skipIf(isMissing("multilib"))("An object of 32 bits (skipped without multilib)", () => {
  const compiled = () => {
    const directory = mkdtempSync(path.join(tmpdir(), "elf-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const source = path.join(directory, "a.c");
    writeFileSync(source, C);
    const flags = ["-m32", "-O0", "-ffunction-sections", "-fdata-sections", "-fno-common", "-fno-pic"];
    execFileSync("gcc", [...flags, "-c", source, "-o", path.join(directory, "a.o")]);
    return readElf(readFileSync(path.join(directory, "a.o")));
  };

  test("has its symbols: who sees them, how long they are, and in which section", () => {
    const { symbols } = compiled();
    const facts = (name: string) => symbols.find((symbol) => symbol.name === name);
    expect(facts("visible")).toMatchObject({ isGlobal: true, section: ".text.visible" });
    expect(facts("visible")?.byteLength).toBeGreaterThan(4);
    expect(facts("hidden")).toMatchObject({ isGlobal: false, section: ".text.hidden" });
    expect(facts("shared")).toMatchObject({ byteLength: 4, section: ".bss.shared" });
    expect(facts("other")?.section).toBeUndefined();
  });

  test("has what each section refers to", () => {
    const needed = (section: string) =>
      compiled()
        .references.filter((reference) => reference.section === section)
        .map(({ symbol }) => symbol.name);
    expect(needed(".text.hidden").sort()).toEqual(["other", "shared"]);
  });
});

test("What is no ELF file of 32 bits is refused", () => {
  const bits64 = Buffer.alloc(64);
  bits64.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(64), bits64])
    expect(() => readElf(bytes)).toThrow("it is no ELF file of 32 bits, little-endian");
});
