/**
 * The root that the desktop makes (engine/root/make-root.ts) is the one that RV32 makes in QEMU, so that boards without either
 * run what is counted here.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildBoard } from "../../boards/rv32/build.js";
import { boardSources, moduleFolders } from "../../boards/rv32/builder/sources.js";
import { MEMORY } from "../../boards/rv32/builder/toolchain.js";
import { firmwareOptions } from "../../boards/rv32/session/measure.js";
import { modulesOf } from "../../engine/machine/generate-tables.js";
import { makeRoot } from "../../engine/root/make-root.js";
import { movableRootAssembly } from "../../engine/root/root-assembly.js";
import { type Root, readRoot } from "../../engine/root/root-files.js";
import { isMissing } from "../hosts/peers.js";

const BUILD = path.join(import.meta.dirname, "../../build");

/** Without the addresses of functions and constants, which differ between executables. */
function withoutReferences({ bytes, references }: Root): Buffer {
  const own = Buffer.from(bytes);
  for (const offset of references) own.writeUInt32LE(0, offset);
  return own;
}

describe.skipIf(isMissing("rv32") || isMissing("multilib"))(
  "the root that the desktop makes for RV32",
  () => {
    let theirs: Root;
    let ours: Root;

    beforeAll(async () => {
      const options = await firmwareOptions();
      const { elf } = await buildBoard(options);
      const counted = path.dirname(elf);
      const address = MEMORY.flash + MEMORY.flashBytes / 2;
      theirs = await readRoot(counted, path.join(counted, "root-maker.elf"), address);
      const { host } = await boardSources();
      const board = {
        hostModules: await modulesOf(moduleFolders),
        hosts: host,
        callers: [],
        flags: [],
        // What is inlined differs between compilers, and with it which names a caller mentions.
        names: readFileSync(path.join(counted, "../generated/mentioned-names-counted.c"), "utf8"),
      };
      ours = await makeRoot(options, board, path.join(BUILD, "root/rv32"));
    });

    test("has the bytes of the one that RV32 makes", () => {
      expect(withoutReferences(ours).equals(withoutReferences(theirs))).toBe(true);
    });

    test("refers to the same functions and constants, and to the same places in itself", () => {
      expect(movableRootAssembly(ours, ".root")).toBe(movableRootAssembly(theirs, ".root"));
    });
  },
);
