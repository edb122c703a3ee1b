/** What apps read on the SD card (docs/spec/app-abi-and-quotas.md#card-own). */
import { expect, test } from "vitest";
import type { Card } from "../../../../device/ports/drives.js";
import type { Directory } from "../../../../device/ports/files.js";
import { CardFiles } from "../../../../device/services/apps/card-files.js";
import { makeDirectories, statusOf } from "../../../../device/services/storage/stored-files.js";
import { EmulatedStorage, type EmulatedStorageOptions } from "../../../hosts/emulated-storage.js";
import { emulatedApps } from "./emulated-apps.js";
import { stage } from "./staged-apps.js";

/** As the port says: creates what is missing, and changes nothing if it fails, but for an empty file. */
function writable(files: Directory): Directory & Card {
  const write = (path: string, bytes: Uint8Array, position: number) => {
    makeDirectories(files, path.slice(0, path.lastIndexOf("/")));
    const mode = statusOf(files, path) ? "r+" : "w";
    const file = files.openFile({ path, mode });
    expect(position).toBeLessThanOrEqual(file.status().size);
    file.write(bytes, position);
    file.close();
  };
  return Object.assign(files, { write });
}

/** A card with those files, which can be removed, also in the middle of a call. */
function inserted(content: Readonly<Record<string, string>>, options: EmulatedStorageOptions = {}) {
  const files = writable(new EmulatedStorage(options).files);
  for (const [path, text] of Object.entries(content)) {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) files.createDirectory(names.slice(0, depth).join("/"));
    const file = files.openFile({ path, mode: "w" });
    file.write(new TextEncoder().encode(text), 0);
    file.close();
  }
  let isThere = true;
  const drives = {
    slots: ["sd"] as const,
    get sd() {
      return isThere ? files : undefined;
    },
    usb: undefined,
  };
  const pull = () => {
    isThere = false;
  };
  return { files, drives, card: new CardFiles(drives, "tetris"), pull };
}

const CONTENT = {
  "apps/tetris/level-1.txt": "first",
  "apps/tetris/größer 日本.txt": "any name",
  "apps/tetris/maps/a/b/deep.bin": "deep",
  "apps/tetris/.hidden": "hidden",
  "apps/tetris.wasm": "a module",
  "apps/snake/secret": "of another app",
  "inbox/key.pem": "a key",
};

function listOf(card: CardFiles, path: string): readonly string[] | number {
  const names: string[] = [];
  return (
    card.list(
      path,
      (name) => names.push(name),
      () => names.push("(more)"),
    ) || names.sort()
  );
}

function source(text: string) {
  const bytes = new TextEncoder().encode(text);
  const read = (into: Uint8Array, offset: number) => {
    const piece = bytes.subarray(offset, offset + into.length);
    into.set(piece);
    return piece.length;
  };
  return { byteLength: bytes.length, read };
}

function contentOf(card: CardFiles, path: string): string | number {
  const file = card.open(path);
  if (typeof file === "number") return file;
  const bytes = new Uint8Array(100);
  const text = new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0)));
  file.close();
  return text;
}

for (const path of [
  ...["..", ".", "../snake/secret", "maps/../../snake/secret", "../../inbox/key.pem", "./level-1.txt"],
  ...["/level-1.txt", "/", "maps/", "maps//a", ".hidden", "maps\\a", "a\0b", "a\nb"],
  ...["a".repeat(65), "a/b/c/d/e"],
  // Names that FAT does not keep as they are, or that a computer cannot open.
  ...["a.", "a ", "maps./a", "con", "NUL.txt", "maps/com1", "a:b", "a*", "what?", 'a"', "a<b", "a>b", "a|b"],
])
  test(`A path ${JSON.stringify(path)} is an invalid argument, with a card and without`, () => {
    const { card, pull } = inserted(CONTENT);
    const results = () => [
      ...[card.size(path), card.open(path), listOf(card, path)],
      ...[card.write(path, 0, source("x")), card.delete(path)],
    ];
    expect(results()).toEqual([-22, -22, -22, -22, -22]);
    pull();
    expect(results()).toEqual([-22, -22, -22, -22, -22]);
  });

test("An empty path is the directory, and no file", () => {
  const { card } = inserted(CONTENT);
  expect([card.size(""), card.open("")]).toEqual([-22, -22]);
});

test("A missing file, a directory as a file, and a file as a directory are not found", () => {
  const { card } = inserted(CONTENT);
  for (const path of ["nothing", "maps", "level-1.txt/inside"])
    expect([card.size(path), card.open(path)]).toEqual([-2, -2]);
  expect([listOf(card, "nothing"), listOf(card, "level-1.txt")]).toEqual([-2, -2]);
  expect(listOf(new CardFiles(inserted({ other: "" }).drives, "tetris"), "")).toBe(-2);
});

test("Without a card there is no such hardware", () => {
  const { card, pull } = inserted(CONTENT);
  pull();
  expect([card.size("level-1.txt"), card.open("level-1.txt"), listOf(card, "")]).toEqual([-19, -19, -19]);
  expect([card.write("level-1.txt", 0, source("x")), card.delete("level-1.txt")]).toEqual([-19, -19]);
});

test("A list has at most 64 names of at most 1024 entries", () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`apps/tetris/${at}`, ""]));
  expect(listOf(inserted(many).card, "")).toHaveLength(65);
  expect(listOf(inserted(many).card, "")).toContain("(more)");
  const { files } = inserted({ "apps/tetris/a": "" });
  let taken = 0;
  function* endless() {
    for (;;) {
      taken++;
      yield ".hidden";
    }
  }
  files.scan = endless;
  expect(listOf(new CardFiles({ slots: ["sd"], sd: files, usb: undefined }, "tetris"), "")).toEqual([
    "(more)",
  ]);
  expect(taken).toBeLessThanOrEqual(1025);
});

test("A file of 2 GiB has no size that fits a result", () => {
  const { files } = inserted(CONTENT);
  files.status = () => ({ size: 2 ** 31, isFile: () => true, isDirectory: () => false });
  expect(new CardFiles({ slots: ["sd"], sd: files, usb: undefined }, "tetris").size("level-1.txt")).toBe(-22);
});

async function running(drives: ReturnType<typeof inserted>["drives"]) {
  const storage = new EmulatedStorage();
  const { apps, guest } = emulatedApps({ storage, drives });
  await apps.install(stage(storage));
  apps.start("tetris");
  return guest();
}

test("A card that is removed during a call is an error of input and output, and then no hardware", async () => {
  const { drives, files, pull } = inserted(CONTENT);
  const app = await running(drives);
  const gone = () => {
    pull();
    throw Object.assign(new Error("No such device"), { code: "drive_gone" });
  };
  const { openFile } = files;
  Object.assign(files, {
    openFile: (options: { path: string }) => Object.assign(openFile.call(files, options), { read: gone }),
  });
  Object.defineProperty(drives, "sd", { get: () => files, configurable: true });
  expect(await app.call("card_read", [0, 11, 0, 64, 9], ["level-1.txt"], 9)).toMatchObject({ result: -5 });
  files.scan = gone;
  expect(await app.call("card_list", [0, 0, 0, 9], [""], 9)).toMatchObject({ result: -5 });
  Object.defineProperty(drives, "sd", { value: undefined });
  expect(await app.call("card_list", [0, 0, 0, 9], [""], 9)).toMatchObject({ result: -19 });
});

test("What is a directory cannot be written to, and nothing below a file", () => {
  const { card } = inserted(CONTENT);
  expect([card.write("maps", 0, source("x")), card.write("level-1.txt/x", 0, source("x"))]).toEqual([-2, -2]);
  expect(contentOf(card, "level-1.txt")).toBe("first");
  expect(inserted({ "apps/tetris": "a file" }).card.write("x", 0, source("x"))).toBe(-2);
});

test("A directory has at most 64 entries of an app's making, and a file 16 MiB", () => {
  const { card, files } = inserted({});
  for (let number = 0; number < 64; number++) expect(card.write(`${number}`, 0, source(""))).toBe(0);
  for (const path of ["one-more", "directory/file"]) expect(card.write(path, 0, source("x"))).toBe(-28);
  expect(card.write("63", 0, source("x"))).toBe(1);
  expect(card.delete("0")).toBe(0);
  expect(card.write("directory/file", 0, source("x"))).toBe(1);
  files.status = () => ({ size: 16 * 1024 * 1024 - 1, isFile: () => true, isDirectory: () => false });
  expect([card.write("63", -1, source("xy")), card.write("63", 0, source("xy"))]).toEqual([-28, 2]);
});

test("Hidden files of a directory take no place of an app's", () => {
  const hidden = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`apps/tetris/._${at}`, ""]));
  expect(inserted(hidden).card.write("new", 0, source("x"))).toBe(1);
});

test("On a full card nothing is written, and no empty file is left", () => {
  const { card } = inserted({ "apps/tetris/old": "old" }, { capacityBytes: 10 * 4096 });
  const filling = Array.from({ length: 20 }, () => card.write("big", -1, source("x".repeat(2048))));
  expect(filling.filter((result) => result === 2048).length).toBeGreaterThan(2);
  expect(filling.at(-1)).toBe(-28);
  expect([card.write("new", 0, source("x")), card.size("new")]).toEqual([-28, -2]);
  expect([card.size("old"), contentOf(card, "old")]).toEqual([3, "old"]);
});

test("A card that is removed while it is written to is an error of input and output", async () => {
  const { drives, files } = inserted(CONTENT);
  const app = await running(drives);
  const write = (path: string, offset: number) =>
    app.call("card_write", [0, path.length, offset, 64, 3], [path, "abc"]);
  expect(await write("mine", -1)).toMatchObject({ result: 3 });
  expect(await app.call("card_delete", [0, 4], ["mine"])).toMatchObject({ result: 0 });
  files.write = () => {
    throw Object.assign(new Error("No such device"), { code: "drive_gone" });
  };
  expect(await write("mine", -1)).toMatchObject({ result: -5 });
});
