/**
 * Images for Xtensa, whose variables are apart from their code (docs/spec/aot.md#apart): results of integers, traps and their
 * names as on other architectures, and code that is written by whole words.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NATIVE_RELOCATION_OF_VARIABLE, readNativeHead } from "../../../protocol/native-image.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { LOG } from "./emulated/log.js";
import { EmulatedApps, JUMP_TABLE, testImages } from "./emulated/same-as-everywhere.js";
import { standInCompiler, xtensaIn } from "./emulated/xtensa/emulation.js";

const temporary = temporaryDirectory();
const { PATH } = process.env;
afterAll(() => {
  process.env["PATH"] = PATH;
  temporary.remove();
});

describe.skipIf(isMissing("xtensa"))("An image for Xtensa", { timeout: 120_000 }, () => {
  const apps = new EmulatedApps("xtensa", xtensaIn(temporary.path), temporary.path);
  beforeAll(async () => {
    process.env["PATH"] = `${await standInCompiler(temporary.path)}:${PATH}`;
  });

  test("is for the machine, and says which addresses are of variables", async () => {
    const container = await apps.image(`${LOG} (memory 1) (data (i32.const 0) "text")
      (func $main (export "main") (result i32) ${JUMP_TABLE} (i32.const 0))`);
    const { machine, layout } = readNativeHead(container, container.length);
    expect(machine).toBe("xtensa");
    const from = container.length - 32 - layout.namesByteLength - 8 * layout.functionCount;
    const words = Array.from({ length: layout.relocationCount }, (_, at) =>
      Buffer.from(container).readUInt32LE(from - 4 * (layout.relocationCount - at)),
    );
    const kinds = new Set(
      words.map((word) => `${word < layout.textByteLength} ${(word & NATIVE_RELOCATION_OF_VARIABLE) !== 0}`),
    );
    expect([...kinds].sort()).toEqual(["false false", "false true", "true false", "true true"]);
  });

  testImages(apps, { hasFloats: false });
});
