import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { Fault } from "../../../protocol/fault.js";
import { type FoundSection, ModuleSections } from "../../../protocol/module-sections.js";

const QUERIES = [
  { name: "svc_manifest", keepBytes: 300 },
  { name: "svc_py_script" },
  { name: "x", keepBytes: 0 },
];
type Found = readonly (FoundSection | undefined)[];

const EMPTY = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
const text = (value: string) => new TextEncoder().encode(value);

/** Feeds `module` in pieces of `step` bytes. */
function scan(module: Uint8Array, step = module.length || 1): Found {
  const sections = new ModuleSections(QUERIES);
  for (let at = 0; at < module.length; at += step) sections.write(module.subarray(at, at + step));
  sections.end();
  return QUERIES.map(({ name }) => sections.find(name));
}

/** What `scan` finds, or the offset of the fault. */
function outcome(module: Uint8Array, step?: number): Found | unknown {
  try {
    return scan(module, step);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error).toMatchObject({ code: "module_invalid", status: 422 });
    expect(error.message).toContain(`offset ${error.details?.["offset"]}`);
    return error.details?.["offset"];
  }
}

const withSections = (...sections: readonly (readonly [name: string, content: string])[]) =>
  sections.reduce<Uint8Array>(
    (module, [name, content]) => appendCustomSection(module, name, text(content)),
    EMPTY.slice(),
  );
const withBytes = (...bytes: readonly number[]) => Uint8Array.from([...EMPTY, ...bytes]);

describe("A module's custom sections", () => {
  test("are none in an empty module", () => expect(scan(EMPTY)).toEqual([undefined, undefined, undefined]));

  test("are kept or located, as requested", () => {
    const module = withSections(["name", "foo"], ["svc_manifest", "{}"], ["svc_py_script", "print()"]);
    const [manifest, script] = scan(module);
    expect(manifest).toEqual({ offset: 33, byteLength: 2, content: text("{}") });
    expect(script).toEqual({ offset: module.length - 7, byteLength: 7 });
  });

  test("are found between other sections, whose content is skipped", () => {
    const types = [1, 5, 0x01, 0x60, 0x00, 0x01, 0x7f];
    const module = appendCustomSection(withBytes(...types), "svc_manifest", text("{}"));
    expect(scan(Uint8Array.from([...module, 99, 3, 0, 0, 0]))[0]?.content).toEqual(text("{}"));
  });

  test("may be empty", () => {
    const [manifest, script, x] = scan(withSections(["svc_manifest", ""], ["svc_py_script", ""], ["x", ""]));
    expect(manifest?.content).toEqual(new Uint8Array(0));
    expect(script?.byteLength).toBe(0);
    expect(x?.byteLength).toBe(0);
  });

  test("are not found within others, nor under names that only begin alike", () => {
    const inner = Buffer.from(withSections(["svc_manifest", "{}"]).subarray(8)).toString("latin1");
    const module = withSections(["other", inner], ["svc_manifes", "1"], ["svc_manifest2", "2"], ["", "3"]);
    expect(scan(module)).toEqual([undefined, undefined, undefined]);
  });

  test("may have lengths in more bytes than necessary", () => {
    const module = withBytes(0, 0x87, 0x80, 0x80, 0x80, 0x00, 0x81, 0x00, 0x78, 0, 0, 0, 0);
    expect(outcome(module)).toBe(17); // the section x has four bytes, none are taken
    expect(scan(withBytes(0, 0x83, 0x80, 0x80, 0x80, 0x00, 0x81, 0x00, 0x78))[2]?.offset).toBe(17);
  });

  const REFUSED = [
    { name: "no bytes", module: new Uint8Array(0), offset: 0 },
    { name: "half a magic", module: EMPTY.subarray(0, 6), offset: 6 },
    { name: "another magic", module: text("\0aot\x01\0\0\0"), offset: 2 },
    { name: "another version", module: text("\0asm\x02\0\0\0"), offset: 4 },
    { name: "a component's version", module: text("\0asm\x0d\0\x01\0"), offset: 4 },
    { name: "an id without a length", module: withBytes(1), offset: 9 },
    { name: "half a length", module: withBytes(1, 0x80), offset: 10 },
    { name: "a length over 32 bits", module: withBytes(1, 0xff, 0xff, 0xff, 0xff, 0x10), offset: 13 },
    { name: "a length of six bytes", module: withBytes(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0), offset: 13 },
    {
      name: "less than a section's announced length",
      module: withBytes(1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0),
      offset: 15,
    },
    { name: "a custom section without a name", module: withBytes(0, 0), offset: 10 },
    { name: "a name past its section", module: withBytes(0, 2, 2, 0x78), offset: 10 },
    { name: "a name's length past its section", module: withBytes(0, 1, 0x80, 0x00), offset: 11 },
    { name: "the end within a name", module: withBytes(0, 9, 5, 0x78), offset: 12 },
    {
      name: "the end within content",
      module: withSections(["svc_manifest", "{}"]).subarray(0, -1),
      offset: 24,
    },
    {
      name: "a repeated section",
      module: withSections(["svc_manifest", ""], ["svc_manifest", ""]),
      offset: 38,
    },
    {
      name: "a repeated section that is only located",
      module: withSections(["svc_py_script", "a"], ["svc_py_script", ""]),
    },
    { name: "a section over its limit", module: withSections(["svc_manifest", "a".repeat(301)]) },
  ];
  for (const { name, module, offset } of REFUSED)
    test(`are not searched in ${name}, and the fault names the offset`, () => {
      const found = outcome(module);
      expect(found).toBeTypeOf("number");
      if (offset !== undefined) expect(found).toBe(offset);
      for (const step of [1, 2, 3, 7]) expect(outcome(module, step)).toBe(found);
    });

  const REASONS = [
    { module: text("\0aot\x01\0\0\0"), reason: "it does not begin with \\0asm (offset 2)" },
    { module: text("\0asn\x01\0\0\0"), reason: "it does not begin with \\0asm (offset 3)" },
    { module: text("\0asm\x02\0\0\0"), reason: "its version is not 1 (offset 4)" },
    { module: text("\0asm\x01\0\0\x01"), reason: "its version is not 1 (offset 7)" },
    { module: withBytes(1), reason: "it ends before its last section does (offset 9)" },
    { module: withBytes(1, 0xff, 0xff, 0xff, 0xff, 0x10), reason: "a length is not a u32 (offset 13)" },
    { module: withBytes(0, 0, 0), reason: "the name of a custom section passes its end (offset 10)" },
    { module: withBytes(0, 2, 2, 0x78), reason: "the name of a custom section passes its end (offset 10)" },
    {
      module: withSections(["svc_manifest", ""], ["svc_manifest", ""]),
      reason: 'it has two sections "svc_manifest" (offset 38)',
    },
    {
      module: withSections(["svc_manifest", "a".repeat(301)]),
      reason: 'its section "svc_manifest" has 301 bytes, 300 are taken (offset 24)',
    },
  ];
  for (const { module, reason } of REASONS)
    test(`are refused with the reason: ${reason}`, () =>
      expect(() => scan(module)).toThrow(`Cannot read the module: ${reason}`));

  test("may have exactly their limit of bytes", () =>
    expect(scan(withSections(["svc_manifest", "a".repeat(300)]))[0]?.byteLength).toBe(300));

  test("property: any split of the module gives the same", () => {
    const name = fc.constantFrom("svc_manifest", "svc_py_script", "name", "");
    const section = fc.tuple(name, fc.string({ maxLength: 200 }));
    const damage = fc.option(fc.tuple(fc.nat(), fc.nat(255)));
    fc.assert(
      fc.property(
        fc.array(section, { maxLength: 5 }),
        damage,
        fc.integer({ min: 1, max: 40 }),
        (list, hit, step) => {
          const module = withSections(...list);
          if (hit) module[hit[0] % module.length] = hit[1];
          expect(outcome(module, step)).toEqual(outcome(module));
        },
      ),
    );
  });

  test("property: an appended section is found, and the module before it is unchanged", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 20_000 }),
        (content, script) => {
          const module = appendCustomSection(EMPTY, "svc_py_script", script);
          const both = appendCustomSection(module, "svc_manifest", content);
          expect(both.subarray(0, module.length)).toEqual(module);
          const [manifest, place] = scan(both, 1000);
          expect(manifest?.content).toEqual(Uint8Array.from(content));
          const { offset = 0, byteLength = 0 } = place ?? {};
          expect(both.subarray(offset, offset + byteLength)).toEqual(Uint8Array.from(script));
        },
      ),
    );
  });

  test("cannot be added to what is not a module", () =>
    expect(() => appendCustomSection(text("\0aot"), "x", EMPTY)).toThrow(
      expect.objectContaining({ code: "module_invalid" }),
    ));

  test("are seen by V8 as added", async () => {
    const module = await V8.compile(withSections(["svc_manifest", "{}"], ["é", "b".repeat(200)]));
    const lengths = (name: string) =>
      V8.Module.customSections(module, name).map((content: ArrayBuffer) => content.byteLength);
    expect([lengths("svc_manifest"), lengths("é"), lengths("e")]).toEqual([[2], [200], []]);
  });
});

/** Node has it, its types do not. */
const V8 = Reflect.get(globalThis, "WebAssembly");
