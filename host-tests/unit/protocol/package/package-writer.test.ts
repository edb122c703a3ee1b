import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PackageContents, writePackage, writeTar } from "../../../../protocol/package/package-writer.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { ascii, readPackage } from "./packing.js";
import { words } from "./samples.js";

const CONTENTS: PackageContents = {
  manifest: ascii('{"name":"tetris"}'),
  module: words(20_000),
  icon: bitmap({ bits: 24, shade: 0x5a }),
  variants: { native: ascii("native code"), xtensa: ascii("code for the board") },
};

describe("writePackage", () => {
  test("writes what a reader reads, in one order", () => {
    expect(readPackage(writePackage(CONTENTS))).toEqual([
      { member: { kind: "manifest", byteLength: 17 }, content: CONTENTS.manifest },
      { member: { kind: "module", byteLength: 20_000 }, content: CONTENTS.module },
      { member: { kind: "icon", byteLength: 3126 }, content: CONTENTS.icon },
      {
        member: { kind: "variant", architecture: "xtensa", byteLength: 18 },
        content: ascii("code for the board"),
      },
      { member: { kind: "variant", architecture: "native", byteLength: 11 }, content: ascii("native code") },
    ]);
  });

  test("writes what a reader reads, whatever the members", () => {
    const bytes = fc.uint8Array({ maxLength: 3000 });
    const bitmaps = fc.nat({ max: 255 }).map((shade) => bitmap({ shade }));
    fc.assert(
      fc.property(bytes, bytes, fc.option(bitmaps, { nil: undefined }), (manifest, module, icon) => {
        const members = readPackage(writePackage({ manifest, module, ...(icon && { icon }) }));
        expect(members.map(({ content }) => content)).toEqual([manifest, module, ...(icon ? [icon] : [])]);
      }),
    );
  });

  test("writes the same bytes each time, whatever the order of its input", () => {
    const { manifest, module, icon = module } = CONTENTS;
    const variants = { xtensa: ascii("code for the board"), native: ascii("native code") };
    expect(writePackage({ variants, icon, module, manifest })).toEqual(writePackage(CONTENTS));
  });

  test("writes the same archive in each version of the writer", () => {
    const digest = createHash("sha256")
      .update(gunzipSync(writePackage({ ...CONTENTS, icon: words(3126) })))
      .digest("hex");
    expect(digest).toBe("94ab61521f56e88af49ec56401c2abb285424aec67c8e231cf9b5e7b780d2210");
  });

  test("writes no time, and the system as Unix, into the gzip header", () => {
    const [, , , flags, ...rest] = writePackage(CONTENTS).subarray(0, 10);
    expect(flags).toBe(0);
    expect(rest).toEqual([0, 0, 0, 0, 2, 3]);
  });
});

test("writeTar takes a name of 100 characters, and rejects a longer one, which ustar cannot hold", () => {
  const archive = writeTar([{ name: "a".repeat(100), content: ascii("") }]);
  expect(Buffer.from(archive.subarray(0, 108)).toString("latin1")).toBe(`${"a".repeat(100)}0000644\0`);
  const long = "a".repeat(101);
  expect(() => writeTar([{ name: long, content: ascii("one") }])).toThrow(
    new RangeError(`Cannot write "${long}" of 3 bytes as ustar`),
  );
});
