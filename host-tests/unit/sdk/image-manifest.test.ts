/** The manifest of machine code alone names its architecture (docs/spec/aot.md#alone). */
import { expect, test } from "vitest";
import { imageManifest } from "../../../sdk/builder/native/image-manifest.js";
import { manifestOf } from "../../hosts/app-files.js";

const json = (fields: object) => new TextEncoder().encode(JSON.stringify(manifestOf({ ...fields })));
const read = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

test("a manifest for all consoles gets the architecture, and keeps fields that no console knows", () => {
  for (const fields of [{ homepage: "x" }, { homepage: "x", target_arch: "generic" }])
    expect(read(imageManifest(json(fields), "rv32"))).toEqual(
      manifestOf({ homepage: "x", target_arch: "rv32" }),
    );
});

test("a manifest for the architecture stays as it is, byte by byte", () => {
  const bytes = json({ target_arch: "native" });
  expect(imageManifest(bytes, "native")).toBe(bytes);
});

test("a manifest for another architecture is refused", () => {
  expect(() => imageManifest(json({ target_arch: "rv32" }), "native")).toThrow(
    expect.objectContaining({ code: "manifest_invalid", details: { field: "target_arch" } }),
  );
});
