import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CAPABILITIES } from "../../../../protocol/capabilities.js";
import { Fault } from "../../../../protocol/fault.js";
import {
  MANIFEST_FIELDS,
  type Manifest,
  readManifest,
  requireQuota,
  writeManifest,
} from "../../../../protocol/manifest/manifest.js";

const LEAST = { name: "tetris", version: "1.2.3", capabilities: [], memory_quota: 65536 };

function read(fields: Record<string, unknown>, rules?: Parameters<typeof readManifest>[1]): Manifest {
  return readManifest(JSON.stringify(fields), rules);
}

/** The field that is blamed, or `undefined` where no field is. */
function blamed(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error).toMatchObject({ code: "manifest_invalid", status: 422 });
    const field = error.details?.["field"];
    if (field !== undefined) expect(error.message).toContain(`"${field}"`);
    return field;
  }
  return expect.unreachable("it was taken");
}

describe("A manifest", () => {
  test("with the four mandatory fields gets defaults for the others", () =>
    expect(read(LEAST)).toEqual({
      ...LEAST,
      description: "",
      author: "",
      entry: "main",
      target_arch: "generic",
    }));

  test("keeps all present fields", () => {
    const manifest = {
      name: "My.App-1",
      version: "0.10.0",
      description: "Falls down",
      author: "Ä. Nymous",
      capabilities: CAPABILITIES.map(({ name }) => name),
      memory_quota: 1_000_000,
      entry: "start",
      target_arch: "xtensa",
    };
    expect(read(manifest)).toEqual(manifest);
  });

  test("may have unknown fields, which are ignored", () =>
    expect(read({ ...LEAST, icon: { big: [1, { name: 5 }] }, Name: 3, __proto__: null })).toEqual(
      read(LEAST),
    ));

  test("may be given as bytes", () =>
    expect(readManifest(new TextEncoder().encode(JSON.stringify(LEAST)))).toEqual(read(LEAST)));

  test("has a repeated capability once", () =>
    expect(read({ ...LEAST, capabilities: ["ble.use", "gpio.read", "ble.use"] }).capabilities).toEqual([
      "ble.use",
      "gpio.read",
    ]));

  for (const field of ["name", "version", "capabilities", "memory_quota"])
    test(`must have "${field}"`, () => {
      const { [field]: _, ...others } = LEAST as Record<string, unknown>;
      expect(blamed(() => read(others))).toBe(field);
    });

  const WRONG: Readonly<Record<keyof Manifest, readonly unknown[]>> = {
    name: ["", ".tetris", "two words", "a/b", "x".repeat(33), 5, null, ["tetris"]],
    version: ["", "1", "1.2", "1.2.3-rc", "01.2.3", "v1.2.3", 1, null],
    description: ["x".repeat(129), "😀".repeat(129), 5, null, []],
    author: ["x".repeat(129), 5, null, {}],
    capabilities: [
      "gpio.read",
      null,
      {},
      5,
      [5],
      [null],
      [["gpio.read"]],
      ["gpio"],
      ["GPIO.READ"],
      ["toString"],
    ],
    memory_quota: ["65536", null, 65535, 0, -1, 65536.5, 1e300, [65536], true],
    entry: ["", "x".repeat(64), "ä".repeat(32), "a\u0000b", 5, null],
    target_arch: ["", "x86_64", "Generic", "toString", 5, null],
  };
  for (const field of MANIFEST_FIELDS)
    for (const value of WRONG[field])
      test(`is rejected with "${field}": ${JSON.stringify(value).slice(0, 40)}`, () =>
        expect(blamed(() => read({ ...LEAST, [field]: value }))).toBe(field));

  test("accepts 128 characters of description, whatever their length in bytes", () => {
    for (const description of ["x".repeat(128), "ä".repeat(128), "😀".repeat(128)])
      expect(read({ ...LEAST, description }).description).toBe(description);
  });

  test("is rejected with an unknown capability, which the message names up to its limit", () => {
    const refused = (name: string) => () => read({ ...LEAST, capabilities: [name] });
    expect(refused("gpio.raed")).toThrow('"gpio.raed"');
    expect(refused("x".repeat(5000))).toThrow(/^.{1,200}$/);
  });

  const UNREADABLE: Readonly<Record<string, Uint8Array | string>> = {
    "nothing at all": "",
    "no JSON": "{name: 1}",
    "an array": "[]",
    "a text": '"tetris"',
    null: "null",
    "bytes that are not UTF-8": Uint8Array.of(0x22, 0xff, 0x22),
    "a byte order mark": `\ufeff${JSON.stringify(LEAST)}`,
    "more than 8192 bytes": `${JSON.stringify(LEAST)}${" ".repeat(8192)}`,
    "more nesting than JSON may have": `{"x":${"[".repeat(40)}${"]".repeat(40)}}`,
    "too many values": JSON.stringify({ ...LEAST, x: Array(256).fill(0) }),
  };
  for (const [name, json] of Object.entries(UNREADABLE))
    test(`cannot be ${name}`, () => expect(blamed(() => readManifest(json))).toBeUndefined());

  test("may have 200 unknown values", () =>
    expect(read({ ...LEAST, x: Array(200).fill(0) })).toEqual(read(LEAST)));

  test("property: is read as written", () => {
    const character = fc.constantFrom(..."abcxyzABCXYZ0189_-");
    const text = fc.string({ unit: "grapheme", maxLength: 20 });
    const manifests = fc.record<Manifest>({
      name: fc.string({ unit: character, minLength: 1, maxLength: 32 }),
      version: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((parts) => parts.join(".")),
      description: text,
      author: text,
      capabilities: fc.subarray(CAPABILITIES.map(({ name }) => name)),
      memory_quota: fc.integer({ min: 65536 }),
      entry: text.map((entry) => `_${entry}`),
      target_arch: fc.constantFrom("xtensa", "arm", "native", "generic"),
    });
    fc.assert(
      fc.property(manifests, (manifest) => {
        expect(readManifest(writeManifest(manifest))).toEqual(manifest);
      }),
    );
  });

  test("property: only throws faults, whatever the JSON", () => {
    const fields = fc.record(
      Object.fromEntries(MANIFEST_FIELDS.map((field) => [field, fc.jsonValue({ maxDepth: 2 })])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (value) => {
        blamed(() => read(value));
      }),
    );
  });
});

describe("The memory quota", () => {
  test("is limited to what the board allows", () => {
    const rules = { maximumMemoryBytes: 131072 };
    expect(read({ ...LEAST, memory_quota: 131072 }, rules).memory_quota).toBe(131072);
    expect(blamed(() => read({ ...LEAST, memory_quota: 131073 }, rules))).toBe("memory_quota");
  });

  test("of a script is at least 262144 bytes", () => {
    const rules = { isScript: true };
    expect(read({ ...LEAST, memory_quota: 262144 }, rules).memory_quota).toBe(262144);
    expect(blamed(() => read({ ...LEAST, memory_quota: 262143 }, rules))).toBe("memory_quota");
  });

  test("can be checked once the app is known to be a script", () => {
    const manifest = read({ ...LEAST, memory_quota: 262143 });
    expect(blamed(() => requireQuota(manifest, { isScript: true }))).toBe("memory_quota");
    requireQuota({ ...manifest, memory_quota: 262144 }, { isScript: true });
  });
});
