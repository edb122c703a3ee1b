/** Making native images of modules: what is compiled, and what is refused (docs/spec/aot.md#made). */
import { describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { NATIVE_HEAD_BYTES, payloadByteLength, readNativeHead } from "../../../protocol/native-image.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { isWhole } from "../../../sdk/builder/native/image-source.js";
import { moduleOf } from "../../hosts/app-files.js";
import { module as moduleFrom } from "../wasm/module-builder.js";

const manifest = { entry: "main", memory_quota: 131_072, capabilities: [] };
const COMPILE_TIMEOUT = { timeout: 120_000 };

async function made(text: string, fields: Partial<typeof manifest> = {}) {
  const file = await buildNativeImage(
    await moduleOf(`(module ${text})`),
    { ...manifest, ...fields },
    "native",
  );
  return { file, head: readNativeHead(file, file.length) };
}

const namesOf = ({ file, head: { layout } }: Awaited<ReturnType<typeof made>>) => {
  const end = NATIVE_HEAD_BYTES + payloadByteLength(layout);
  return Buffer.from(file)
    .toString("latin1", end - layout.namesByteLength, end)
    .split("\0")
    .filter((name) => name);
};

describe("an image", COMPILE_TIMEOUT, () => {
  test("names its machine, module and entry, and the functions of the module", async () => {
    const image = await made(
      '(func $double (param i32) (result i32) local.get 0 local.get 0 i32.add) (func $main (export "main") (result i32) i32.const 21 call $double)',
    );
    expect(image.head).toMatchObject({ machine: "x86_64", entry: "main", abiVersion: 1 });
    expect(namesOf(image)).toEqual(expect.arrayContaining(["double", "main"]));
  });

  test("of the same module is the same, byte by byte", async () => {
    const text = '(memory 1) (func (export "main") (i32.store (i32.const 8) (i32.const 1)))';
    expect((await made(text)).file).toEqual((await made(text)).file);
  });

  for (const [what, memory] of [
    ["no memory", ""],
    ["a memory that is fixed", "(memory 1 1)"],
    ["a memory that grows", "(memory 1)"],
  ])
    test(`is made of a module with ${what} and a start function`, async () => {
      expect(
        (await made(`${memory} (func $start) (start $start) (func (export "main") (call $start))`)).file
          .length,
      ).toBeGreaterThan(NATIVE_HEAD_BYTES);
    });

  test("is made of a module whose names are cut off", async () => {
    const module = await moduleOf('(module (func (export "main")))');
    for (const content of [[1, 5, 1, 0, 200], [1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f], [1]]) {
      const file = await buildNativeImage(
        appendCustomSection(module, "name", Uint8Array.from(content)),
        manifest,
        "native",
      );
      expect(file.length).toBeGreaterThan(NATIVE_HEAD_BYTES);
    }
  });
});

describe("a module is refused", COMPILE_TIMEOUT, () => {
  test("whose blocks are nested more deeply than wasm2c can translate", async () => {
    const blocks = (bytes: readonly number[]) => Array.from({ length: 250 }, () => bytes).flat();
    const main = { parameters: [], results: [], code: [...blocks([0x02, 0x40]), ...blocks([0x0b])] };
    const nested = moduleFrom({ functions: [main], exports: [["main", 0, 0]] });
    await expect(buildNativeImage(nested, manifest, "native")).rejects.toMatchObject({
      code: "compile_failed",
      message: expect.stringMatching(/nested in each other/),
    });
  });

  test("whose entry has a name that the container does not take", async () => {
    const text = '(func (export "my main"))';
    await expect(made(text, { entry: "my main" })).rejects.toMatchObject({ code: "compile_failed" });
  });

  test("that a console would not take", async () => {
    await expect(made('(import "env" "f" (func)) (func (export "main"))')).rejects.toMatchObject({
      code: "import_unknown",
    });
  });
});

describe("the C of a module", () => {
  const written = "struct w2c_app;\n\nvoid w2c_app_f0(w2c_app* instance) {\n  {\n  }\n}\n";
  const cut = (text: string) => written.slice(0, written.indexOf(text) + text.length);
  for (const { what, source, is } of [
    { what: "whole", source: written, is: true },
    { what: "cut off before its functions", source: cut(";\n"), is: false },
    { what: "cut off in a function", source: cut("  }\n"), is: false },
    { what: "empty", source: "", is: false },
    {
      what: "cut off before its last function",
      source: "void w2c_app_f7(w2c_app* instance) {\n}\n",
      is: false,
    },
  ])
    test(`is known to be ${what}, of which wasm2c does not tell`, async () => {
      expect(isWhole(source, await moduleOf('(module (func (export "main")))'))).toBe(is);
    });

  test("may have no function but imported ones", async () => {
    const again = await moduleOf(
      '(module (import "svc" "uptime_ms" (func $f (result i64))) (export "main" (func $f)))',
    );
    expect(isWhole("static void init_globals(void) {\n}\n", again)).toBe(true);
  });
});
