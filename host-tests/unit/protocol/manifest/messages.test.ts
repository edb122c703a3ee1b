/** Messages of faults of a manifest, which users see in answers, in svc and in the web console. */
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { readManifest } from "../../../../protocol/manifest/manifest.js";

const LEAST = { name: "tetris", version: "1.2.3", capabilities: [], memory_quota: 65536 };

function faultOf(json: string | Uint8Array, rules?: Parameters<typeof readManifest>[1]): Fault {
  try {
    readManifest(json, rules);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return expect.unreachable("The manifest was accepted");
}

const FIELDS: readonly (readonly [field: string, value: unknown, problem: string])[] = [
  [
    "name",
    ".tetris",
    "is not 1 to 32 of a-z A-Z 0-9 _ - . without a dot at either end, other than device names such as con, nul and com1",
  ],
  ["name", 5, "is not a string"],
  ["version", "1.2", "is not MAJOR.MINOR.PATCH"],
  ["description", "x".repeat(129), "is longer than 128 characters"],
  ["author", "😀".repeat(129), "is longer than 128 characters"],
  ["capabilities", "gpio.read", "is not an array"],
  ["capabilities", [5], "holds something other than strings"],
  ["capabilities", ["gpio"], 'holds "gpio", which is not a capability'],
  ["capabilities", ["x".repeat(32)], `holds "${"x".repeat(32)}", which is not a capability`],
  ["capabilities", ["x".repeat(33)], `holds "${"x".repeat(32)}…", which is not a capability`],
  ["memory_quota", 0.5, "is not a whole number of bytes"],
  ["memory_quota", 65535, "is below 65536 bytes"],
  ["entry", "", "is not 1 to 63 bytes of UTF-8 without U+0000"],
  ["target_arch", "x86_64", "is none of xtensa, arm, rv32, native and generic"],
];

describe("A fault of a manifest", () => {
  test.each(FIELDS)("names the field %s with the value %j and its problem", (field, value, problem) => {
    const fault = faultOf(JSON.stringify({ ...LEAST, [field]: value }));
    expect(fault).toMatchObject({ code: "manifest_invalid", details: { field } });
    expect(fault.message).toBe(`Cannot accept a manifest whose "${field}" ${problem}`);
  });

  test("names a mandatory field that is missing", () => {
    const { name: _, ...others } = LEAST;
    const fault = faultOf(JSON.stringify(others));
    expect(fault).toMatchObject({ code: "manifest_invalid", details: { field: "name" } });
    expect(fault.message).toBe('Cannot accept a manifest without "name"');
  });

  test("names the limits of the board and of a script", () => {
    expect(faultOf(JSON.stringify(LEAST), { maximumMemoryBytes: 65535 }).message).toBe(
      'Cannot accept a manifest whose "memory_quota" is over the 65535 bytes of this board',
    );
    expect(faultOf(JSON.stringify(LEAST), { isScript: true }).message).toBe(
      'Cannot accept a manifest whose "memory_quota" is below 262144 bytes, as a script needs',
    );
  });

  test("keeps the fault of the JSON as its cause, and names no field", () => {
    const fault = faultOf("{");
    expect(fault.code).toBe("manifest_invalid");
    expect(fault.details?.["field"]).toBeUndefined();
    expect(fault.cause).toBeInstanceOf(Fault);
    expect(fault.message).toBe(`Cannot read the manifest: ${(fault.cause as Fault).message}`);
    expect(faultOf("[]").message).toBe("Cannot read the manifest: it is not a JSON object");
  });

  test("comes for more than 128 characters, not for more than 128 units of UTF-16", () => {
    const description = `${"😀".repeat(127)}x`;
    expect(readManifest(JSON.stringify({ ...LEAST, description })).description).toBe(description);
    expect(faultOf(JSON.stringify({ ...LEAST, description: `${description}yz` })).details).toEqual({
      field: "description",
    });
  });

  test("comes for an entry of 64 bytes, not of 63", () => {
    const entry = "ä".repeat(31);
    expect(readManifest(JSON.stringify({ ...LEAST, entry: `${entry}x` })).entry).toBe(`${entry}x`);
    expect(faultOf(JSON.stringify({ ...LEAST, entry: `${entry}xx` })).details).toEqual({ field: "entry" });
  });
});
