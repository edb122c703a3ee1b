/** The part of the file contract that is about names: what there is, where, and what moves. */
import type { Directory } from "../../device/ports/files.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";
import { readFile, writeFile } from "./file-access.js";

const TEXT = ascii("what was written");
const OTHER = ascii("something else, and longer");

const BAD_PATHS = [
  "",
  "/",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "../a",
  "a/..",
  "a/../b",
  "./a",
  "a/.",
  "a\u0000b",
];

export const DIRECTORY_CASES: readonly ContractCase<Directory>[] = [
  {
    name: "status tells files from directories, and throws where there is neither",
    run(directory) {
      writeFile(directory, "a", TEXT);
      directory.createDirectory("b");
      const file = directory.status("a");
      equal(file.size, TEXT.length, "size");
      equal(file.isFile(), true, "a file is a file");
      equal(file.isDirectory(), false, "a file is a directory");
      equal(directory.status("b").isFile(), false, "a directory is a file");
      equal(directory.status("b").isDirectory(), true, "a directory is a directory");
      throws(() => directory.status("c"), "the status of nothing");
      throws(() => directory.status("b/c"), "the status of nothing in a directory");
      throws(() => directory.status("a/c"), "the status of what is in a file");
    },
  },
  {
    name: "directories are made once, where there is one to make them in",
    run(directory) {
      equal(directory.createDirectory("a"), true, "made");
      equal(directory.createDirectory("a"), false, "made again");
      equal(directory.createDirectory("a/b"), true, "made inside");
      throws(() => directory.createDirectory("c/d"), "making one in nothing");
    },
  },
  {
    name: "scan gives the names in a directory",
    run(directory) {
      directory.createDirectory("b");
      writeFile(directory, "a", TEXT);
      writeFile(directory, "b/c", TEXT);
      writeFile(directory, "b/.d", TEXT);
      equal([...directory.scan()].sort().join(), "a,b", "names");
      equal([...directory.scan("b")].sort().join(), ".d,c", "names in b");
      throws(() => [...directory.scan("c")], "scanning nothing");
      throws(() => [...directory.scan("a")], "scanning a file");
    },
  },
  {
    name: "names may be long, and need not be ASCII",
    run(directory) {
      const names = ["n".repeat(64), "äöü", "a b", "-", "...", "日本"];
      for (const name of names) writeFile(directory, name, ascii(String(name.length)));
      equal([...directory.scan()].sort().join(), names.sort().join(), "names");
      for (const name of names) equalBytes(readFile(directory, name), ascii(String(name.length)));
    },
  },
  {
    name: "openDirectory leads to the same files",
    run(directory) {
      directory.createDirectory("a");
      const inner = directory.openDirectory({ path: "a" });
      writeFile(inner, "b", TEXT);
      equalBytes(readFile(directory, "a/b"), TEXT);
      equal([...inner.scan()].join(), "b", "names");
      inner.close();
      inner.close();
      throws(() => inner.status("b"), "a closed directory");
      throws(() => inner.openFile({ path: "b" }), "opening in a closed directory");
    },
  },
  {
    name: "openDirectory needs a directory",
    run(directory) {
      writeFile(directory, "a", TEXT);
      throws(() => directory.openDirectory({ path: "a" }), "a file");
      throws(() => directory.openDirectory({ path: "b" }), "nothing");
    },
  },
  {
    name: "delete says whether there was something",
    run(directory) {
      writeFile(directory, "a", TEXT);
      equal(directory.delete("a"), true, "a file");
      equal(directory.delete("a"), false, "nothing");
      throws(() => directory.status("a"), "the status of what was deleted");
    },
  },
  {
    name: "directories are deleted when they are empty, and not before",
    run(directory) {
      directory.createDirectory("a");
      writeFile(directory, "a/b", TEXT);
      throws(() => directory.delete("a"), "deleting what is not empty");
      equalBytes(readFile(directory, "a/b"), TEXT);
      directory.delete("a/b");
      equal(directory.delete("a"), true, "an empty one");
      equal([...directory.scan()].length, 0, "names afterwards");
    },
  },
  {
    name: "move gives a file another name",
    run(directory) {
      directory.createDirectory("d");
      writeFile(directory, "a", TEXT);
      directory.move("a", "d/b");
      equalBytes(readFile(directory, "d/b"), TEXT);
      throws(() => directory.status("a"), "the old name");
    },
  },
  {
    name: "move replaces a file",
    run(directory) {
      writeFile(directory, "a", TEXT);
      writeFile(directory, "b", OTHER);
      directory.move("a", "b");
      equalBytes(readFile(directory, "b"), TEXT);
      equal([...directory.scan()].join(), "b", "names");
    },
  },
  {
    name: "move onto itself keeps the file",
    run(directory) {
      writeFile(directory, "a", TEXT);
      directory.move("a", "a");
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
  {
    name: "move takes a directory along with what is in it",
    run(directory) {
      directory.createDirectory("a");
      writeFile(directory, "a/b", TEXT);
      directory.move("a", "c");
      equalBytes(readFile(directory, "c/b"), TEXT);
      equal([...directory.scan()].join(), "c", "names");
    },
  },
  {
    name: "what cannot be moved stays where it is",
    run(directory) {
      writeFile(directory, "a", TEXT);
      throws(() => directory.move("b", "c"), "moving nothing");
      throws(() => directory.move("a", "b/c"), "moving into nothing");
      equalBytes(readFile(directory, "a"), TEXT);
      equal([...directory.scan()].join(), "a", "names");
    },
  },
  {
    name: "no path leads out of the directory, or is written in two ways",
    run(directory) {
      directory.createDirectory("a");
      for (const path of BAD_PATHS) {
        const what = JSON.stringify(path);
        throws(() => directory.openFile({ path, mode: "w" }), `opening ${what}`);
        throws(() => directory.openDirectory({ path }), `opening the directory ${what}`);
        throws(() => directory.createDirectory(path), `making ${what}`);
        throws(() => directory.status(path), `the status of ${what}`);
        throws(() => directory.delete(path), `deleting ${what}`);
        throws(() => directory.move(path, "b"), `moving ${what}`);
        throws(() => directory.move("a", path), `moving to ${what}`);
        throws(() => [...directory.scan(path)], `scanning ${what}`);
      }
      equal([...directory.scan()].join(), "a", "names");
    },
  },
];
