import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EXTENDED_HEADER_LIMIT_BYTES,
  type TarMember,
  TarReader,
} from "../../../../protocol/package/tar-reader.js";
import { isMissing } from "../../../hosts/peers.js";
import { cut } from "./inflating.js";
import {
  ascii,
  BLOCK,
  END,
  faultOf,
  type HeaderFields,
  header,
  joined,
  member,
  type PaxRecord,
  readArchive,
  records,
} from "./packing.js";

type Read = readonly (TarMember & { readonly content: string })[];

/** All members of an archive, of whatever kind. @throws {Fault} `package_invalid` */
function readTar(archive: Uint8Array, sizes: readonly number[] = []): Read {
  const members: (TarMember & { content: string })[] = [];
  const reader = new TarReader({
    begin: (member) => members.push({ ...member, content: "" }),
    write(bytes) {
      const last = members.at(-1);
      if (last) last.content += String.fromCharCode(...bytes);
    },
    end() {
      expect(members.at(-1)?.content.length).toBe(members.at(-1)?.byteLength);
    },
  });
  for (const chunk of cut(archive, sizes)) reader.push(chunk);
  reader.end();
  return members;
}

const pax = (...pairs: readonly PaxRecord[]) => member({ type: "x", name: "x" }, records(...pairs));
const longName = (name: string) => member({ type: "L", name: "././@LongLink" }, `${name}\0`);
const plain = (name: string, content: string) => ({ name, type: "0", byteLength: content.length, content });

const READ: readonly { name: string; archive: Uint8Array; members: Read }[] = [
  { name: "a file", archive: member({ name: "a" }, "one"), members: [plain("a", "one")] },
  {
    name: "a file of version 7",
    archive: member({ name: "a", type: "\0", magic: "" }, "1"),
    members: [plain("a", "1")],
  },
  {
    name: "a file of GNU tar",
    archive: member({ name: "a", magic: "ustar  \0", prefix: "1234" }, "1"),
    members: [plain("a", "1")],
  },
  { name: "a prefix", archive: member({ name: "a", prefix: "p/q" }), members: [plain("p/q/a", "")] },
  {
    name: "a name that fills its field",
    archive: member({ name: "a".repeat(100) }),
    members: [plain("a".repeat(100), "")],
  },
  {
    name: "a name that is truncated for display",
    archive: member({ name: "b".repeat(100), prefix: "a" }),
    members: [plain(`a/${"b".repeat(98)}\\...`, "")],
  },
  {
    name: "a size with spaces around it",
    archive: member({ name: "a", size: "        3 \0 " }, "abc"),
    members: [plain("a", "abc")],
  },
  {
    name: "a size in binary",
    archive: member({ name: "a", size: "\x80\0\0\0\0\0\0\0\0\0\0\x03" }, "abc"),
    members: [plain("a", "abc")],
  },
  {
    name: "a file that fills its block",
    archive: member({ name: "a" }, "x".repeat(512)),
    members: [plain("a", "x".repeat(512))],
  },
  {
    name: "a link",
    archive: member({ name: "a", type: "1", link: "b" }),
    members: [{ ...plain("a", ""), type: "1" }],
  },
  {
    name: "a long name",
    archive: joined(longName("long"), member({ name: "a" })),
    members: [plain("long", "")],
  },
  {
    name: "the name of a long link",
    archive: joined(member({ type: "K" }, "target\0"), member({ name: "a", type: "2" })),
    members: [{ ...plain("a", ""), type: "2" }],
  },
  {
    name: "a path of pax",
    archive: joined(pax(["mtime", "1.5"], ["path", "p"]), member({ name: "a" }, "1")),
    members: [plain("p", "1")],
  },
  {
    name: "a size of pax",
    archive: joined(pax(["size", "3"]), header({ name: "a" }), ascii("abc".padEnd(BLOCK, "\0"))),
    members: [plain("a", "abc")],
  },
  {
    name: "the last of two paths",
    archive: joined(pax(["path", "p"], ["path", "q"]), member({ name: "a" })),
    members: [plain("q", "")],
  },
  {
    name: "a path that is reset",
    archive: joined(pax(["path", "p"], ["path", ""]), member({ name: "a" })),
    members: [plain("a", "")],
  },
  {
    name: "records for one member only",
    archive: joined(pax(["path", "p"]), member({ name: "a" }), member({ name: "b" })),
    members: [plain("p", ""), plain("b", "")],
  },
  {
    name: "a value with equals signs and line feeds",
    archive: joined(pax(["comment", "a=b\nc=d"], ["path", "p=q"]), member({})),
    members: [plain("p=q", "")],
  },
  {
    name: "an empty extended header",
    archive: joined(pax(), member({ name: "a" })),
    members: [plain("a", "")],
  },
  {
    name: "a global header",
    archive: joined(member({ type: "g" }, records(["comment", "c"])), member({ name: "a" })),
    members: [plain("a", "")],
  },
  { name: "nothing", archive: new Uint8Array(0), members: [] },
];

const AS_TAR = "Cannot read the package as tar: ";
const AS_RECORDS = "Cannot read an extended header of the package: ";
const SIZE_IS_NO_NUMBER = `${AS_TAR}the size of a header is not an octal number`;

const REFUSED: readonly { name: string; archive: Uint8Array; says: string }[] = [
  {
    name: "a wrong checksum",
    archive: header({ checksum: "000000\0 " }),
    says: `${AS_TAR}the checksum of a header is wrong`,
  },
  {
    name: "a checksum of signed bytes",
    archive: withChecksum({ name: "\xff" }, -256),
    says: `${AS_TAR}the checksum of a header is wrong`,
  },
  {
    name: "an empty checksum",
    archive: header({ checksum: "        " }),
    says: `${AS_TAR}the checksum of a header is not an octal number`,
  },
  { name: "an empty size", archive: header({ size: "\0".repeat(12) }), says: SIZE_IS_NO_NUMBER },
  {
    name: "a size with a character after it",
    archive: header({ size: "0000000001x\0" }),
    says: SIZE_IS_NO_NUMBER,
  },
  {
    name: "a size with a digit that is not octal",
    archive: header({ size: "00000000008\0" }),
    says: SIZE_IS_NO_NUMBER,
  },
  { name: "a size with a sign", archive: header({ size: "-0000000001\0" }), says: SIZE_IS_NO_NUMBER },
  {
    name: "a negative size in binary",
    archive: header({ size: "\xff".repeat(12) }),
    says: `${AS_TAR}the size of a header is negative`,
  },
  {
    name: "a size in binary beyond safe integers",
    archive: header({ size: `\x80${"\xff".repeat(11)}` }),
    says: `${AS_TAR}the size of a header is not a size`,
  },
  {
    name: "an unknown magic",
    archive: header({ magic: "USTAR\x0000" }),
    says: `${AS_TAR}a header is of an unknown format`,
  },
  {
    name: "a name in a global header",
    archive: member({ type: "g" }, records(["path", "p"])),
    says: `${AS_TAR}a global header names a member or its size`,
  },
  {
    name: "a size in a global header",
    archive: member({ type: "g" }, records(["size", "0"])),
    says: `${AS_TAR}a global header names a member or its size`,
  },
  {
    name: "two names for one member",
    archive: joined(longName("a"), pax(["path", "a"]), member({})),
    says: `${AS_TAR}a member is named "a" and "a"`,
  },
  {
    name: "two long names for one member",
    archive: joined(longName("a"), longName("a"), member({})),
    says: `${AS_TAR}a member is named "a" and "a"`,
  },
  {
    name: "an extended header without a member",
    archive: pax(["path", "p"]),
    says: `${AS_TAR}an extended header has no member`,
  },
  {
    name: "a long name without a member",
    archive: longName("a"),
    says: `${AS_TAR}an extended header has no member`,
  },
  {
    name: "an extended header over the limit",
    archive: member({ type: "x" }, "x".repeat(EXTENDED_HEADER_LIMIT_BYTES + 1)),
    says: `${AS_TAR}an extended header has ${EXTENDED_HEADER_LIMIT_BYTES + 1} bytes, and ${EXTENDED_HEADER_LIMIT_BYTES} are taken`,
  },
  {
    name: "a long name over the limit",
    archive: longName("x".repeat(EXTENDED_HEADER_LIMIT_BYTES)),
    says: `${AS_TAR}an extended header has ${EXTENDED_HEADER_LIMIT_BYTES + 1} bytes, and ${EXTENDED_HEADER_LIMIT_BYTES} are taken`,
  },
  {
    name: "records of a sparse file",
    archive: joined(pax(["GNU.sparse.major", "1"]), member({})),
    says: `${AS_RECORDS}it describes a sparse file`,
  },
  ...(
    [
      ["x", "length of a record"],
      ["5 a=b", undefined],
      ["8 path=b\n", undefined],
      ["7 path=b\n", undefined],
      ["11 path=b\n", undefined],
      ["path=b\n", "length of a record"],
      ["5 a\n\n\n", undefined],
      ["0 a=b\n", undefined],
      ["-9 path=b\n", "length of a record"],
      [" 10 path=b\n", "length of a record"],
      ["0000000000000024 path=b\n", "length of a record"],
      ["/ a=b\n", "length of a record"],
      [": a=b\n", "length of a record"],
      ["11 size=1x\n", "size"],
      ["11 size=-1\n", "size"],
    ] as const
  ).map(([record, number]) => ({
    name: `the record ${JSON.stringify(record)}`,
    archive: joined(member({ type: "x" }, record), member({})),
    says: `${AS_RECORDS}${number ? `the ${number} is not a number` : "a record is not what its length says"}`,
  })),
];

/** A header whose checksum is wrong by that difference. */
function withChecksum(fields: HeaderFields, difference: number): Uint8Array {
  const sum = Number.parseInt(String.fromCharCode(...header(fields).subarray(148, 154)), 8);
  return header({ ...fields, checksum: `${(sum + difference).toString(8).padStart(6, "0")}\0 ` });
}

describe("TarReader", () => {
  for (const { name, archive, members } of READ)
    test(`reads ${name}, however it is split`, () => {
      for (const sizes of [[], [1], [511, 2, 700]])
        expect(readTar(joined(archive, END), sizes)).toEqual(members);
    });

  for (const { name, archive, says } of REFUSED)
    test(`rejects ${name}`, () => {
      for (const sizes of [[], [1]]) {
        const fault = faultOf(() => readTar(joined(archive, END), sizes));
        expect(fault?.code).toBe("package_invalid");
        expect(fault?.message).toBe(says);
      }
    });

  test("says what follows the end, and where an archive ends too early", () => {
    const file = member({ name: "a" }, "content");
    const messageOf = (archive: Uint8Array) => faultOf(() => readTar(archive))?.message;
    expect(messageOf(joined(file, END, ascii("x")))).toBe(`${AS_TAR}it goes on after its end`);
    expect(messageOf(joined(file, new Uint8Array(BLOCK), file))).toBe(
      `${AS_TAR}it goes on after a block of zeros`,
    );
    for (const length of [0, 1, BLOCK, BLOCK + 3, 2 * BLOCK, 3 * BLOCK])
      expect(messageOf(joined(file, END).subarray(0, length))).toBe(`${AS_TAR}it ends too early`);
  });

  test("accepts lengths and sizes of 15 digits, and no more", () => {
    const path = (digits: string) => joined(member({ type: "x" }, `${digits} path=b\n`), member({}), END);
    expect(readTar(path("000000000000023"))).toEqual([plain("b", "")]);
    const size = (digits: string) =>
      joined(pax(["size", digits]), header({ name: "a" }), ascii("abc".padEnd(BLOCK, "\0")), END);
    expect(readTar(size("000000000000003"))).toEqual([plain("a", "abc")]);
    expect(faultOf(() => readTar(size("0000000000000003")))?.message).toBe(
      `${AS_RECORDS}the size is not a number`,
    );
  });

  test("accepts extended headers up to the limit", () => {
    const comment = records(["comment", "c".repeat(EXTENDED_HEADER_LIMIT_BYTES - 14)]);
    expect(comment.length).toBe(EXTENDED_HEADER_LIMIT_BYTES);
    expect(readTar(joined(member({ type: "x" }, comment), member({ name: "a" }), END))).toEqual([
      plain("a", ""),
    ]);
  });

  test("shows bytes of a name that are not plain by their number", () => {
    const shown = (name: string) => readTar(joined(member({ name }), END))[0]?.name;
    expect(shown("\x1f\x20\x7e\x7f\x80\xff")).toBe("\\x1f ~\\x7f\\x80\\xff");
    expect(shown('a"b\\c')).toBe("a\\x22b\\x5cc");
    expect(shown("\x01")).toBe("\\x01");
  });

  test("accepts only zeros after the end", () => {
    const archive = joined(member({ name: "a" }), END, new Uint8Array(9000));
    expect(readTar(archive)).toEqual([plain("a", "")]);
    for (const at of [2 * BLOCK, archive.length - 1])
      expect(faultOf(() => readTar(changedAt(archive, at)))?.code).toBe("package_invalid");
  });

  test("rejects an archive truncated to any length", () => {
    const archive = joined(pax(["path", "p"]), member({ name: "a" }, "content"), END);
    for (let length = 0; length < archive.length; length++)
      expect(faultOf(() => readTar(archive.subarray(0, length)))?.code).toBe("package_invalid");
  });

  test("throws only faults, whatever its input", () => {
    const archive = joined(
      pax(["path", "p"], ["size", "7"]),
      member({ name: "a" }, "content"),
      longName("b"),
      member({}),
      END,
    );
    const changes = fc.array(fc.tuple(fc.nat(archive.length - 1), fc.integer({ min: 0, max: 255 })), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(changes, fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1 }), (changes, sizes) => {
        const changed = archive.slice();
        for (const [at, byte] of changes) changed[at] = byte;
        // The sum of a header is put right, so that what else is wrong with it is seen.
        for (const at of [0, 2, 4, 6].map((block) => block * BLOCK))
          repairChecksum(changed.subarray(at, at + BLOCK));
        const whole = resultOf(() => readTar(changed));
        expect(resultOf(() => readTar(changed, sizes))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});

function changedAt(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at] = 1;
  return changed;
}

function repairChecksum(block: Uint8Array): void {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(ascii(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
}

/** The members, or the message of the fault. */
function resultOf(read: () => Read): Read | string {
  let members: Read = [];
  const fault = faultOf(() => {
    members = read();
  });
  return fault?.message ?? members;
}

const SHARED = path.join(import.meta.dirname, "../../../../../shared/testdata");
const ARCHIVES = isMissing("testdata")
  ? []
  : ["tar-rs/tests/archives", "node-tar/test/fixtures", "node-tar/test/fixtures/tars"].flatMap((folder) =>
      readdirSync(path.join(SHARED, folder))
        .filter((name) => name.endsWith(".tar"))
        .map((name) => path.join(SHARED, folder, name)),
    );

describe.skipIf(ARCHIVES.length === 0)(
  "archives of other projects (skipped where testdata is not there)",
  () => {
    for (const file of ARCHIVES)
      test(`${path.basename(file)} is not a package, and gives a fault however it is split`, () => {
        const archive = Uint8Array.from(readFileSync(file));
        const fault = faultOf(() => readArchive(archive, { unpackedLimitBytes: 1 << 24 }));
        expect(fault?.code).toBe("package_invalid");
        expect(
          faultOf(() => readArchive(archive, { unpackedLimitBytes: 1 << 24, sizes: [37] }))?.message,
        ).toBe(fault?.message);
        const tar = resultOf(() => readTar(archive));
        expect(resultOf(() => readTar(archive, [511, 3]))).toEqual(tar);
      });
  },
);
