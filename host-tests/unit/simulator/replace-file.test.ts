import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { replaceFile } from "../../../tools/files.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

let temporary: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  temporary = temporaryDirectory();
});
afterEach(() => temporary.remove());
const fileOf = (name: string) => path.join(temporary.path, name);

describe("replaceFile", () => {
  test("creates a file and the directories above it", async () => {
    await replaceFile(fileOf("a/b/file"), "text");
    expect(readFileSync(fileOf("a/b/file"), "utf8")).toBe("text");
  });

  test("leaves no other file beside it", async () => {
    await replaceFile(fileOf("file"), "old");
    await replaceFile(fileOf("file"), Uint8Array.of(1, 2));
    expect([...readFileSync(fileOf("file"))]).toEqual([1, 2]);
    expect(readdirSync(temporary.path)).toEqual(["file"]);
  });

  test("replaces a link by a file, and does not touch its target", async () => {
    writeFileSync(fileOf("target"), "target");
    symlinkSync("target", fileOf("link"));
    await replaceFile(fileOf("link"), "text");
    expect([fileOf("link"), fileOf("target")].map((file) => readFileSync(file, "utf8"))).toEqual([
      "text",
      "target",
    ]);
  });

  test("rejects what is not a file, and leaves nothing", async () => {
    mkdirSync(fileOf("directory"));
    await expect(replaceFile(fileOf("directory"), "text")).rejects.toThrow("it exists and is not a file");
    await expect(replaceFile("/dev/null", "text")).rejects.toThrow('Cannot write "/dev/null"');
    expect(readdirSync(temporary.path)).toEqual(["directory"]);
  });
});
