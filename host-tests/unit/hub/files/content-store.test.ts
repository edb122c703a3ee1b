/** Files by their content: whole when they are found, once each, and nothing else in their directory. */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, assert, beforeEach, expect, test } from "vitest";
import { ContentStore } from "../../../../hub/files/content-store.js";

let storage: string;
let store: ContentStore;
beforeEach(async () => {
  storage = mkdtempSync(path.join(tmpdir(), "hub-files-"));
  store = await ContentStore.open(storage);
});
afterEach(() => rmSync(storage, { recursive: true }));

const content = new Uint8Array(70_000).fill(7);
const sha256 = createHash("sha256").update(content).digest("hex");
const names = () => readdirSync(path.join(storage, "files"));

test("a file is named by its SHA-256, and read as stored", async () => {
  assert.equal(await store.put(content), sha256);
  const { path: file, end } = await store.part(sha256);
  assert.equal(end, content.length);
  assert.deepEqual(new Uint8Array(readFileSync(file)), content);
});

test("an existing file is not written again", async () => {
  await store.put(content);
  const { path: file } = await store.part(sha256);
  const before = statSync(file).ino;
  await store.put(content);
  assert.equal(statSync(file).ino, before);
  assert.deepEqual(names(), [sha256]);
});

test("concurrent writes of the same bytes leave one file", async () => {
  await Promise.all(Array.from({ length: 10 }, () => store.put(content)));
  assert.deepEqual(names(), [sha256]);
});

test("a truncated file is repaired when it is stored again", async () => {
  await store.put(content);
  const { path: file } = await store.part(sha256);
  truncateSync(file, 100);
  await store.put(content);
  assert.deepEqual(new Uint8Array(readFileSync(file)), content);
});

test("a file is read whole", async () => {
  await store.put(content);
  assert.deepEqual(new Uint8Array(await store.read(sha256)), content);
  await store.delete(sha256);
  await expect(store.read(sha256)).rejects.toMatchObject({ code: "file_damaged" });
});

test("an empty file can be stored", async () => {
  const name = await store.put(new Uint8Array(0));
  assert.equal((await store.part(name)).end, 0);
});

test("a missing file gives file_damaged", async () => {
  await expect(store.part(sha256)).rejects.toMatchObject({ code: "file_damaged" });
});

test("a file is deleted, and deleting it again succeeds", async () => {
  await store.put(content);
  await store.delete(sha256);
  await store.delete(sha256);
  assert.deepEqual(names(), []);
});

for (const name of ["", "../secret", sha256.toUpperCase(), `${sha256}/`, sha256.slice(1)])
  test(`"${name}" names no file`, async () => {
    await expect(store.part(name)).rejects.toThrow(RangeError);
    await expect(store.delete(name)).rejects.toThrow(RangeError);
  });

test("a file that cannot be renamed into place leaves no temporary file", async () => {
  mkdirSync(path.join(storage, "files", sha256)); // which nothing can be renamed to
  await expect(store.put(content)).rejects.toThrow();
  assert.deepEqual(names(), [sha256]);
});

test("a start deletes files that a crash left unfinished, once no process can be writing them", async () => {
  const [old, young] = ["old.new", "young.new"].map((name) => path.join(storage, "files", name));
  await store.put(content);
  for (const file of [old, young]) writeFileSync(`${file}`, "half");
  const before = (Date.now() - 7_200_000) / 1000;
  for (const file of [`${old}`, (await store.part(sha256)).path]) utimesSync(file, before, before);
  await ContentStore.open(storage);
  assert.deepEqual(names().sort(), [sha256, "young.new"].sort());
});

test("belongs to the hub that used it first, also where many processes ask at once", async () => {
  const owners = await Promise.all(Array.from({ length: 50 }, (_, at) => store.owner(`hub-${at}`)));
  assert.equal(new Set(owners).size, 1);
  assert.equal(await store.owner("hub-late"), owners[0]);
  assert.deepEqual(readdirSync(storage).sort(), ["files", "files.hub"]);
});

test("a health check leaves no file", async () => {
  await store.check();
  assert.deepEqual(names(), []);
});

test("a health check fails if nothing can be written", async () => {
  rmSync(path.join(storage, "files"), { recursive: true });
  await expect(store.check()).rejects.toThrow("cannot write to its storage");
});
