/** The one error type between modules, and how it quotes what strangers send. */
import { describe, expect, test } from "vitest";
import { Fault, quoted } from "../../../protocol/fault.js";

describe("A fault", () => {
  test("has its code, the status of its code, and its name", () => {
    const fault = new Fault("upload_busy", "Cannot accept this file");
    expect(fault).toMatchObject({ name: "Fault", code: "upload_busy", status: 409 });
    expect(fault).toBeInstanceOf(Error);
  });

  test("has its code, message and details in its body", () => {
    const fault = new Fault("chunk_out_of_order", "Expected 3", { details: { expected: 3 } });
    expect(fault.toBody()).toEqual({ error: "chunk_out_of_order", message: "Expected 3", expected: 3 });
    expect(new Fault("busy", "Later").toBody()).toEqual({ error: "busy", message: "Later" });
  });

  test("keeps its cause to itself", () => {
    const cause = new Error("secret");
    const fault = new Fault("bad_json", "The text is not JSON", { cause });
    expect(fault.cause).toBe(cause);
    expect(JSON.stringify(fault.toBody())).not.toContain("secret");
  });
});

describe("A quote in a message", () => {
  test("is whole up to 120 characters", () => {
    expect(quoted("")).toBe('""');
    expect(quoted("a".repeat(120))).toBe(`"${"a".repeat(120)}"`);
  });

  test("is cut, and marked as cut, where it is longer", () => {
    expect(quoted("a".repeat(121))).toBe(`"${"a".repeat(120)}…"`);
    expect(quoted("b".repeat(10_000))).toHaveLength(123);
  });
});
