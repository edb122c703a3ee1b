import { constants, deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MANIFEST_LIMIT_BYTES } from "../../../../protocol/manifest/manifest.js";
import { PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import { ICON_LIMIT_BYTES } from "../../../../protocol/package/icon.js";
import { type PackageMember, PackageReader } from "../../../../protocol/package/package-reader.js";
import { bitmap } from "../../../hosts/bitmap.js";
import { bitsInTier } from "../../../tier.js";
import { cut, sandbox } from "./inflating.js";
import {
  END,
  faultOf,
  header,
  joined,
  MANIFEST,
  MODULE,
  member,
  readArchive,
  readPackage,
  records,
} from "./packing.js";
import { randomBytes, words } from "./samples.js";

/** Further members of an archive that else would be taken. */
const REFUSED: readonly { name: string; extra: Uint8Array; named?: string; says?: RegExp }[] = [
  { name: "a member of another name", extra: member({ name: "readme.txt" }, "x"), named: "readme.txt" },
  { name: "a name in other letters", extra: member({ name: "ICON_32.BMP" }), named: "ICON_32.BMP" },
  {
    name: "a variant for another architecture",
    extra: member({ name: "app.mips.aot" }),
    named: "app.mips.aot",
  },
  { name: "a generic variant", extra: member({ name: "app.generic.aot" }), named: "app.generic.aot" },
  { name: "a path", extra: member({ name: "bin/icon_32.bmp" }), named: "bin/icon_32.bmp" },
  { name: "a path from the folder", extra: member({ name: "./icon_32.bmp" }), named: "./icon_32.bmp" },
  {
    name: "a path in the prefix",
    extra: member({ name: "icon_32.bmp", prefix: "a" }),
    named: "a/icon_32.bmp",
  },
  { name: "an absolute path", extra: member({ name: "/icon_32.bmp" }), named: "/icon_32.bmp" },
  { name: "a path upwards", extra: member({ name: "../icon_32.bmp" }), named: "../icon_32.bmp" },
  { name: "the folder above", extra: member({ name: ".." }), named: ".." },
  { name: "an empty name", extra: member({ name: "" }), named: "", says: /not a name/ },
  {
    name: "a repeated member",
    extra: member({ name: "app.wasm" }, "other"),
    named: "app.wasm",
    says: /twice/,
  },
  {
    name: "a link",
    extra: member({ name: "icon_32.bmp", type: "1", link: "app.wasm" }),
    named: "icon_32.bmp",
  },
  { name: "a symbolic link", extra: member({ name: "icon_32.bmp", type: "2", link: "/etc" }), says: /link/ },
  { name: "a character device", extra: member({ name: "icon_32.bmp", type: "3" }), says: /device/ },
  { name: "a block device", extra: member({ name: "icon_32.bmp", type: "4" }), says: /device/ },
  { name: "a directory", extra: member({ name: "icon_32.bmp", type: "5" }), says: /directory/ },
  { name: "a directory by its slash", extra: member({ name: "icon_32.bmp/" }), named: "icon_32.bmp/" },
  { name: "a FIFO", extra: member({ name: "icon_32.bmp", type: "6" }), says: /FIFO/ },
  { name: "a contiguous file", extra: member({ name: "icon_32.bmp", type: "7" }), says: /unusual/ },
  { name: "a sparse file", extra: member({ name: "icon_32.bmp", type: "S" }), says: /sparse/ },
  { name: "an unknown type", extra: member({ name: "icon_32.bmp", type: "\xff" }), says: /unusual/ },
  {
    name: "a path in an extended header",
    extra: joined(
      member({ type: "x", name: "x" }, records(["path", "a/b"])),
      member({ name: "icon_32.bmp" }),
    ),
    named: "a/b",
  },
  {
    name: "a path in a long name",
    extra: joined(member({ type: "L", name: "x" }, "../up\0"), member({ name: "icon_32.bmp" })),
    named: "../up",
  },
  {
    name: "a name with a zero byte",
    extra: joined(
      member({ type: "x", name: "x" }, records(["path", "icon_32.bmp\0.exe"])),
      member({ name: "icon_32.bmp" }),
    ),
    named: "icon_32.bmp\\x00.exe",
  },
  {
    name: "a name with a quotation mark, which the message shows escaped",
    extra: member({ name: 'a" \\ \x1b[2J\xff' }),
    named: "a\\x22 \\x5c \\x1b[2J\\xff",
  },
  {
    name: "an icon over its limit",
    extra: header({ name: "icon_32.bmp", byteLength: ICON_LIMIT_BYTES + 1 }),
  },
  { name: "a single block of zeros", extra: new Uint8Array(512), says: /zeros/ },
  { name: "no header block", extra: randomBytes(512), says: /header/ },
];

describe("PackageReader rejects", () => {
  for (const { name, extra, named, says } of REFUSED)
    test(name, () => {
      const archive = joined(MODULE, extra, MANIFEST, END);
      for (const sizes of [[], [1]]) {
        const fault = faultOf(() => readArchive(archive, { sizes }));
        expect(fault?.code).toBe("package_invalid");
        expect(fault?.status).toBe(422);
        if (named !== undefined) expect(fault?.toBody()).toMatchObject({ member: named });
        if (named !== undefined) expect(fault?.message).toContain(`"${named}"`);
        if (says) expect(fault?.message).toMatch(says);
      }
    });

  for (const [name, present] of [
    ["app.wasm", MANIFEST],
    ["manifest.json", MODULE],
  ] as const)
    test(`a package without ${name}`, () => {
      const fault = faultOf(() => readArchive(joined(present, END)));
      expect(fault?.toBody()).toMatchObject({ error: "package_invalid", member: name });
    });

  test("an archive without members, and an empty file", () => {
    expect(faultOf(() => readArchive(END))?.toBody()).toMatchObject({ member: "app.wasm" });
    expect(faultOf(() => readArchive(new Uint8Array(0)))?.code).toBe("package_invalid");
    expect(faultOf(() => readPackage(new Uint8Array(0)))?.code).toBe("package_invalid");
  });

  const messageOf = (extra: Uint8Array) =>
    faultOf(() => readArchive(joined(MODULE, extra, MANIFEST, END)))?.message;

  for (const [type, shown] of [
    ["1", "is a link"],
    ["2", "is a symbolic link"],
    ["3", "is a device"],
    ["4", "is a device"],
    ["5", "is a directory"],
    ["6", "is a FIFO"],
    ["7", "is of an unusual type"],
    ["S", "is a sparse file"],
  ] as const)
    test(`a member of type ${type}, with its name and what it is`, () =>
      expect(messageOf(member({ name: "icon_32.bmp", type }))).toBe(
        `Cannot accept the package: "icon_32.bmp" ${shown}, no plain file`,
      ));

  for (const [name, reason] of [
    ["", "is not a name"],
    ["a/b", "is a path, and packages have no folders"],
    ["/", "is a path, and packages have no folders"],
    ["readme.txt", "is not a member of a package"],
  ] as const)
    test(`the name "${name}", with the reason`, () =>
      expect(messageOf(member({ name }))).toBe(`Cannot accept the package: "${name}" ${reason}`));

  for (const [name, limit] of [
    ["manifest.json", MANIFEST_LIMIT_BYTES],
    ["icon_32.bmp", ICON_LIMIT_BYTES],
  ] as const)
    test(`a ${name} over its limit, with both lengths; one at its limit is accepted`, () => {
      const fault = faultOf(() => readArchive(header({ name, byteLength: limit + 1 })));
      expect(fault?.message).toBe(
        `Cannot accept the package: "${name}" has ${limit + 1} bytes, and ${limit} are taken`,
      );
      const whole = joined(
        MODULE,
        name === "manifest.json" ? new Uint8Array(0) : MANIFEST,
        member({ name }, name === "manifest.json" ? "x".repeat(limit) : bitmap({ byteLength: limit })),
        END,
      );
      expect(readArchive(whole, { unpackedLimitBytes: 1 << 20 })).toBeDefined();
    });

  test("a package without a member that it must have, by its name", () =>
    expect(faultOf(() => readArchive(joined(MODULE, END)))?.message).toBe(
      'Cannot accept the package: "manifest.json" is missing',
    ));

  test("a package that unpacks to more than the limit, and a member that is announced to, with the limit", () => {
    const archive = joined(MODULE, MANIFEST, END);
    expect(faultOf(() => readArchive(archive, { unpackedLimitBytes: archive.length - 1 }))?.message).toBe(
      `Cannot unpack a package to more than ${archive.length - 1} bytes`,
    );
    const module = header({ name: "app.wasm", byteLength: 5001 });
    const fault = faultOf(() =>
      readArchive(joined(module, new Uint8Array(PIECE_BYTES)), { unpackedLimitBytes: 5000 }),
    );
    expect(fault?.message).toBe('Cannot accept the package: "app.wasm" has 5001 bytes, the limit is 5000');
  });

  test("a manifest over its limit, before unpacking it", () => {
    const manifest = header({ name: "manifest.json", byteLength: MANIFEST_LIMIT_BYTES + 1 });
    const fault = faultOf(() => readArchive(manifest));
    expect(fault?.toBody()).toMatchObject({ error: "package_invalid", member: "manifest.json" });
  });

  test("a member with an announced size over the limit, before unpacking it", () => {
    const module = header({ name: "app.wasm", byteLength: 5001 });
    const fault = faultOf(() =>
      readArchive(joined(module, new Uint8Array(PIECE_BYTES)), { unpackedLimitBytes: 5000 }),
    );
    expect(fault?.toBody()).toMatchObject({ error: "package_too_large", member: "app.wasm" });
    expect(fault?.status).toBe(413);
  });
});

const icon = bitmap({ bits: 1, shade: 0x5a });
const xtensa = randomBytes(300, 3);
const SAMPLE = gzipSync(
  joined(
    member({ name: "manifest.json" }, "{}"),
    member({ name: "app.wasm" }, words(1500)),
    member({ name: "icon_32.bmp" }, icon),
    member({ name: "app.xtensa.aot" }, xtensa),
    END,
  ),
);
const SAMPLE_MEMBERS = [
  { member: { kind: "manifest", byteLength: 2 }, content: Uint8Array.of(0x7b, 0x7d) },
  { member: { kind: "module", byteLength: 1500 }, content: words(1500) },
  { member: { kind: "icon", byteLength: 190 }, content: icon },
  { member: { kind: "variant", architecture: "xtensa", byteLength: 300 }, content: xtensa },
];

describe("An app.wasm that is machine code", () => {
  const IMAGE = "\0aotcode";
  const reading = (archive: Uint8Array, sizes: readonly number[] = []) => {
    const ignore = { begin() {}, write() {}, end() {} };
    const reader = new PackageReader({ unpackedLimitBytes: 1 << 20, sandbox, sink: ignore });
    for (const chunk of cut(gzipSync(archive), sizes)) reader.push(chunk);
    reader.end();
    return reader.isImageAlone;
  };
  const manifest = member({ name: "manifest.json" }, "{}");
  const packed = (content: string, ...more: readonly Uint8Array[]) =>
    joined(manifest, member({ name: "app.wasm" }, content), ...more, END);

  test("is told from a module, for any split", () => {
    for (const sizes of [[], [1], [3]]) {
      expect(reading(packed(IMAGE), sizes)).toBe(true);
      expect(reading(packed("\0asmcode"), sizes)).toBe(false);
      expect(reading(packed("\0ao"), sizes)).toBe(false);
    }
  });

  test("has no AOT file beside it, before or after", () => {
    const variant = member({ name: "app.xtensa.aot" }, "x");
    for (const archive of [packed(IMAGE, variant), joined(variant, packed(IMAGE))])
      expect(faultOf(() => reading(archive))).toMatchObject({
        code: "package_invalid",
        details: { member: "app.xtensa.aot" },
        message: expect.stringContaining("beside an app.wasm of machine code"),
      });
    expect(reading(packed("\0asm", variant))).toBe(false);
  });
});

describe("PackageReader", () => {
  test("passes on the members in their order", () => {
    expect(readPackage(SAMPLE)).toEqual(SAMPLE_MEMBERS);
  });

  test("accepts members in any order, and a variant for each architecture", () => {
    const variants = ["xtensa", "arm", "native"].map((name) => member({ name: `app.${name}.aot` }, name));
    const members = readArchive(joined(...variants, MODULE, MANIFEST, END));
    expect(members.map(({ member }) => member)).toEqual([
      { kind: "variant", architecture: "xtensa", byteLength: 6 },
      { kind: "variant", architecture: "arm", byteLength: 3 },
      { kind: "variant", architecture: "native", byteLength: 6 },
      { kind: "module", byteLength: 6 },
      { kind: "manifest", byteLength: 2 },
    ]);
  });

  test("passes on an empty member", () => {
    const [first] = readArchive(joined(member({ name: "app.wasm" }), MANIFEST, END));
    expect(first).toEqual({ member: { kind: "module", byteLength: 0 }, content: new Uint8Array(0) });
  });

  test("accepts manifest and icon of exactly their limits", () => {
    const manifest = member({ name: "manifest.json" }, new Uint8Array(MANIFEST_LIMIT_BYTES));
    const icon = member({ name: "icon_32.bmp" }, bitmap({ byteLength: ICON_LIMIT_BYTES }));
    expect(readArchive(joined(manifest, MODULE, icon, END))).toHaveLength(3);
  });

  test("unpacks exactly up to its limit", () => {
    const archive = joined(MODULE, MANIFEST, END);
    expect(readArchive(archive, { unpackedLimitBytes: archive.length })).toHaveLength(2);
    const fault = faultOf(() => readArchive(archive, { unpackedLimitBytes: archive.length - 1 }));
    expect(fault?.code).toBe("package_too_large");
  });

  test("gives the same for any split", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 }), (sizes) => {
        expect(readPackage(SAMPLE, { sizes })).toEqual(SAMPLE_MEMBERS);
      }),
      { numRuns: 50 },
    );
  });

  test("rejects what the sink rejects, with the sink's message", () => {
    const full = new Error("storage is full");
    const refuse = (): never => {
      throw full;
    };
    const sink = { begin: () => {}, write: refuse, end: () => {} };
    const reader = new PackageReader({ unpackedLimitBytes: 1 << 20, sandbox, sink });
    expect(() => reader.push(SAMPLE)).toThrow(full);
  });

  test("rejects the sample truncated to any length", () => {
    for (let length = 0; length < SAMPLE.length; length++)
      expect(faultOf(() => readPackage(SAMPLE.subarray(0, length)))?.code).toBe("package_invalid");
  });

  test("rejects the sample with more bytes after it", () => {
    for (const more of [[0], [1, 2], [...SAMPLE.subarray(0, 10)], [...SAMPLE]])
      expect(faultOf(() => readPackage(Uint8Array.from([...SAMPLE, ...more])))?.code).toBe("package_invalid");
  });

  // Bits that may change: RFC 1952 §2.3.1 FTEXT, MTIME, XFL and OS say nothing of the content, and a match
  // within a run of zeros may be taken from elsewhere in it.
  test("rejects the sample with any bit flipped, or reads the same members", () => {
    const taken: number[] = [];
    const codes = new Set<string>();
    const bits = bitsInTier(SAMPLE);
    for (const bit of bits) {
      const flipped = Uint8Array.from(SAMPLE);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const fault = faultOf(() => {
        if (isSample(readPackage(flipped))) taken.push(bit);
        else throw new Error(`Bit ${bit} was flipped, and the members have changed`);
      });
      if (fault) codes.add(fault.code);
    }
    expect([...codes].sort()).toEqual(["icon_invalid", "package_invalid"]);
    const meaningless = [24, ...Array.from({ length: 48 }, (_, bit) => 32 + bit)].filter((bit) =>
      bits.includes(bit),
    );
    expect(taken.slice(0, meaningless.length)).toEqual(meaningless);
    expect(taken.length).toBeLessThan(2 * meaningless.length);
  }, 30_000);
});

/** Whether they are the sample's; faster than toEqual. */
function isSample(members: readonly { member: PackageMember; content: Uint8Array }[]): boolean {
  return (
    members.length === SAMPLE_MEMBERS.length &&
    members.every(({ member, content }, at) => {
      const expected = SAMPLE_MEMBERS[at];
      return member.kind === expected?.member.kind && Buffer.compare(content, expected.content) === 0;
    })
  );
}

describe("a bomb of 1 MiB that unpacks to 1 GiB", () => {
  const limit = 1 << 20;
  const members = joined(MANIFEST, header({ name: "app.wasm", byteLength: limit }));
  // After a full flush nothing reaches back, so the same 32 MiB may follow again and again.
  const part = (content: Uint8Array) => deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  const zeros = part(new Uint8Array(32 << 20));
  const head = gzipSync("").subarray(0, 10);
  const bomb = joined(head, part(members), ...Array.from({ length: 32 }, () => zeros));

  test("is rejected at most a piece after the limit", () => {
    expect(bomb.length).toBeGreaterThan(1_000_000);
    let written = 0;
    const sink = {
      begin: () => {},
      end: () => {},
      write: (bytes: Uint8Array) => {
        written += bytes.length;
      },
    };
    const reader = new PackageReader({ unpackedLimitBytes: limit, sandbox, sink });
    let taken = 0;
    const fault = faultOf(() => {
      while (taken < bomb.length) taken += reader.take(bomb.subarray(taken));
    });
    expect(fault?.code).toBe("package_too_large");
    expect(written).toBeLessThanOrEqual(limit);
    expect(taken).toBeLessThan(3000);
  });
});
