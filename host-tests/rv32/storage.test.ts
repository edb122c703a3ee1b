/**
 * The storage of the console on RV32: what device/hosts/posix/native/storage/storage.h promises. Each test is a dialogue, a
 * command and what comes of it on every line, with storage that is as it was bought.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { COMPILER_FLAGS, compile, LINKER_FLAGS, runInQemu } from "../../boards/rv32/builder/toolchain.js";
import { isMissing } from "../hosts/peers.js";

const root = path.join(import.meta.dirname, "../..");
const build = path.join(root, "build/rv32-tests/storage");
const elf = path.join(build, "storage-test.elf");

const NATIVE = path.join(root, "boards/rv32/native");
const POSIX = path.join(root, "device/hosts/posix/native/storage");
const PARTS = ["contents", "entries", "semihosting", "space", "tree"];

/** Answers are lines of standard error, as all that a program says in QEMU. */
async function play(commands: readonly string[]): Promise<{ answers: string[]; hostFiles: string[] }> {
  const directory = await mkdtemp(path.join(build, "run-"));
  try {
    await writeFile(path.join(directory, "commands"), commands.map((command) => `${command}\n`).join(""));
    const { status, said } = await runInQemu(elf, directory);
    expect(status, said).toBe(0);
    return { answers: said.trimEnd().split("\n"), hostFiles: await readdir(directory) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Lines of `command -> answer`. */
async function replay(dialogue: string): Promise<void> {
  const lines = dialogue.trim().split(/\n\s*/);
  const { answers } = await play(lines.map((line) => line.replace(/ -> .*/, "")));
  expect(answers).toEqual(lines.map((line) => line.replace(/.* -> /, "")));
}

describe.skipIf(isMissing("rv32"))("Storage on RV32", () => {
  beforeAll(async () => {
    await mkdir(build, { recursive: true });
    const sources = [
      path.join(import.meta.dirname, "native/storage-test.c"),
      ...PARTS.map((part) => path.join(NATIVE, `storage-${part}.c`)),
    ];
    const warnings = ["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"];
    const includes = [`-I${NATIVE}`, `-I${POSIX}`];
    // The compiler takes its specs once.
    const flags = [...new Set([...COMPILER_FLAGS, ...LINKER_FLAGS])];
    await compile([...flags, ...warnings, ...includes, ...sources, "-o", elf]);
  });

  const CASES: readonly (readonly [name: string, dialogue: string])[] = [
    [
      "all volumes are empty at power on",
      `list files - -> []
       list settings - -> []
       list slots - -> []
       free -> 1022`,
    ],
    [
      "opening a missing file fails in every mode but w",
      `open 1 r files a -> ENOENT
       open 1 r+ files a -> ENOENT
       open 1 w files a -> ok
       open 2 r files a -> ok
       list files - -> [a]`,
    ],
    [
      "read returns the written bytes up to the end of the file, and none behind it",
      `open 1 w+ files a -> ok
       write 1 0 0123456789 -> ok
       read 1 3 4 -> "3456"
       read 1 8 4 -> "89"
       read 1 10 4 -> ""
       read 1 1000 4 -> ""
       read 1 0 0 -> ""`,
    ],
    [
      "a closed file keeps its content, which can be changed in the middle",
      `open 1 w files a -> ok
       write 1 0 0123456789 -> ok
       flush 1 -> ok
       close 1 -> ok
       open 1 r+ files a -> ok
       write 1 4 AB -> ok
       read 1 0 20 -> "0123AB6789"`,
    ],
    [
      "a mode limits the operations of a file",
      `open 1 w files a -> ok
       read 1 0 1 -> EBADF
       open 2 r files a -> ok
       write 2 0 text -> EBADF
       resize 2 0 -> EBADF`,
    ],
    [
      "a write behind the end fills the gap with zeros",
      `open 1 w+ files a -> ok
       write 1 5 end -> ok
       read 1 0 20 -> ".....end"`,
    ],
    [
      "a write of no bytes changes nothing, at any position",
      `open 1 w+ files a -> ok
       write 1 100 -> ok
       size 1 -> 0`,
    ],
    [
      "bytes that were truncated read as zeros after an extension",
      `open 1 w+ files a -> ok
       write 1 0 0123456789 -> ok
       resize 1 4 -> ok
       size 1 -> 4
       read 1 0 20 -> "0123"
       resize 1 8 -> ok
       read 1 0 20 -> "0123...."
       resize 1 2 -> ok
       write 1 6 end -> ok
       read 1 0 20 -> "01....end"`,
    ],
    [
      "blocks that were truncated read as zeros after an extension",
      `open 1 w+ files a -> ok
       fill 1 0 20000 -> ok
       resize 1 1 -> ok
       resize 1 30000 -> ok
       read 1 0 3 -> "x.."
       read 1 4094 5 -> "....."
       read 1 19996 8 -> "........"`,
    ],
    [
      "truncating a file also truncates it for other open descriptors",
      `open 1 w+ files a -> ok
       write 1 0 text -> ok
       open 2 w+ files a -> ok
       size 1 -> 0
       read 1 0 4 -> ""
       write 2 2 x -> ok
       read 1 0 4 -> "..x"`,
    ],
    [
      "mkdir fails for an existing path, and without a parent directory",
      `mkdir files d -> ok
       mkdir files d -> EEXIST
       mkdir files d/e -> ok
       mkdir files f/g -> ENOENT
       open 1 w files d/a -> ok
       mkdir files d/a -> EEXIST
       mkdir files d/a/b -> ENOTDIR
       list files d -> [a e/]`,
    ],
    [
      "status distinguishes files, directories and missing paths",
      `mkdir files d -> ok
       open 1 w files d/a -> ok
       write 1 0 text -> ok
       status files d -> directory
       status files d/a -> 4
       status files e -> ENOENT
       status files d/a/b -> ENOTDIR
       open 1 r files d -> EISDIR`,
    ],
    [
      "list fails for a file and for a missing path",
      `open 1 w files a -> ok
       list files a -> ENOTDIR
       list files b -> ENOENT
       list files - -> [a]`,
    ],
    [
      "rename replaces an existing file",
      `open 1 w files a -> ok
       write 1 0 new -> ok
       close 1 -> ok
       open 1 w files b -> ok
       write 1 0 former -> ok
       close 1 -> ok
       rename files a b -> ok
       list files - -> [b]
       open 1 r files b -> ok
       read 1 0 20 -> "new"`,
    ],
    [
      "an open descriptor keeps a file that is replaced or deleted",
      `open 1 w+ files a -> ok
       write 1 0 first -> ok
       open 2 w+ files b -> ok
       write 2 0 second -> ok
       rename files b a -> ok
       read 1 0 20 -> "first"
       delete files a -> ok
       open 3 w+ files c -> ok
       write 3 0 third -> ok
       read 1 0 20 -> "first"
       read 2 0 20 -> "second"
       list files - -> [c]`,
    ],
    [
      "renaming a directory takes its content along",
      `mkdir files d -> ok
       mkdir files e -> ok
       open 1 w files d/a -> ok
       rename files d e/f -> ok
       list files - -> [e/]
       status files e/f/a -> 0`,
    ],
    [
      "a failed rename changes nothing",
      `mkdir files d -> ok
       mkdir files d/e -> ok
       open 1 w files a -> ok
       rename files b c -> ENOENT
       rename files a b/c -> ENOENT
       rename files a a/b -> ENOTDIR
       rename files a d -> EEXIST
       rename files d a -> ENOTDIR
       rename files d d/e/f -> EINVAL
       rename files a a -> ok
       rename files d d -> ok
       list files - -> [a d/]
       list files d -> [e/]`,
    ],
    [
      "delete removes only an empty directory",
      `mkdir files d -> ok
       open 1 w files d/a -> ok
       close 1 -> ok
       delete files d -> ENOTEMPTY
       delete files d/a -> ok
       delete files d -> ok
       delete files d -> ENOENT
       list files - -> []`,
    ],
    [
      "a new file under a deleted name is empty",
      `open 1 w files a -> ok
       write 1 0 text -> ok
       close 1 -> ok
       delete files a -> ok
       open 1 w+ files a -> ok
       resize 1 4 -> ok
       read 1 0 4 -> "...."`,
    ],
    [
      "paths that leave the volume or are not canonical are rejected",
      ["-", "/", "/a", "d/", "d//a", ".", "..", "../a", "d/..", "d/./a"]
        .flatMap((name) => [`status files ${name} -> EINVAL`, `open 1 w files ${name} -> EINVAL`])
        .reduce((lines, line) => `${lines}\n${line}`, "mkdir files d -> ok"),
    ],
    [
      "a name has at most 255 characters",
      `open 1 w files ${"n".repeat(255)} -> ok
       open 1 w files ${"n".repeat(256)} -> ENAMETOOLONG
       mkdir files ${"n".repeat(254)} -> ok
       status files ${"n".repeat(254)} -> directory
       status files ${"n".repeat(253)} -> ENOENT`,
    ],
    [
      "the volumes have separate names",
      `open 1 w+ files a -> ok
       write 1 0 file -> ok
       open 2 w+ slots a -> ok
       write 2 0 slot -> ok
       read 1 0 4 -> "file"
       list settings - -> []
       delete slots a -> ok
       status files a -> 4`,
    ],
    [
      "space is counted in whole blocks of files, and two blocks of a directory",
      `open 1 w files a -> ok
       free -> 1022
       write 1 0 x -> ok
       free -> 1021
       fill 1 0 4096 -> ok
       free -> 1021
       write 1 4096 x -> ok
       free -> 1020
       resize 1 1 -> ok
       free -> 1021
       mkdir files d -> ok
       free -> 1019
       rename files a d/a -> ok
       free -> 1019
       close 1 -> ok
       delete files d/a -> ok
       delete files d -> ok
       free -> 1022`,
    ],
    [
      "replacing a file frees its space",
      `open 1 w files a -> ok
       write 1 0 x -> ok
       close 1 -> ok
       open 1 w files b -> ok
       fill 1 0 8192 -> ok
       close 1 -> ok
       free -> 1019
       rename files a b -> ok
       free -> 1021`,
    ],
    [
      "the space of a deleted open file is freed once its last descriptor is closed",
      `open 1 w files a -> ok
       open 2 w files a -> ok
       fill 1 0 8192 -> ok
       delete files a -> ok
       close 1 -> ok
       free -> 1020
       close 2 -> ok
       free -> 1022`,
    ],
    [
      "a full file system fails with ENOSPC, changes nothing, and accepts data once there is room",
      `mkdir files d -> ok
       open 1 w files a -> ok
       resize 1 ${1020 * 4096} -> ok
       free -> 0
       resize 1 ${1020 * 4096 + 1} -> ENOSPC
       write 1 ${1020 * 4096} x -> ENOSPC
       size 1 -> ${1020 * 4096}
       mkdir files e -> ENOSPC
       open 2 w files b -> ok
       write 2 0 text -> ENOSPC
       size 2 -> 0
       write 1 0 text -> ok
       resize 1 ${1019 * 4096} -> ok
       write 2 0 text -> ok
       free -> 0`,
    ],
    [
      "settings and slots use no space of the file system",
      `open 1 w settings a -> ok
       fill 1 0 8192 -> ok
       open 2 w slots a -> ok
       resize 2 ${32 << 20} -> ok
       free -> 1022`,
    ],
  ];
  for (const [name, dialogue] of CASES) test(name, () => replay(dialogue));

  test("a deleted file is removed from the host", async () => {
    const { answers, hostFiles } = await play([
      "open 1 w files a",
      "open 2 w files b",
      "close 1",
      "delete files a",
      "delete files b",
      "close 2",
    ]);
    expect(answers).toEqual(Array(6).fill("ok"));
    expect(hostFiles).toEqual(["commands"]);
  });

  test("a file has at most 2147483647 bytes", () =>
    replay(`
      open 1 w+ slots a -> ok
      resize 1 2147483647 -> ok
      resize 1 2147483648 -> EFBIG
      write 1 2147483647 x -> EFBIG
      size 1 -> 2147483647
      read 1 2147483640 20 -> "......."`));

  test("a volume holds at most 509 names", async () => {
    const names = Array.from({ length: 510 }, (_, index) => `n${index}`);
    const { answers } = await play(names.map((name) => `mkdir settings ${name}`));
    expect(answers.slice(0, 509)).toEqual(Array(509).fill("ok"));
    expect(answers[509]).toBe("ENOSPC");
  });
});
