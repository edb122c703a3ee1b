/** The part of the file contract about names: status, directories, scan, delete and move. */
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
    name: "status() distinguishes files from directories, and throws for a missing path",
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
    name: "createDirectory() returns false for an existing directory, and throws without a parent",
    run(directory) {
      equal(directory.createDirectory("a"), true, "made");
      equal(directory.createDirectory("a"), false, "made again");
      equal(directory.createDirectory("a/b"), true, "made inside");
      throws(() => directory.createDirectory("c/d"), "making one in nothing");
    },
  },
  {
    name: "scan() lists the names in a directory, and throws for a file or a missing path",
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
    name: "a name of 64 characters, and one outside ASCII, works",
    run(directory) {
      const names = ["n".repeat(64), "äöü", "a b", "-", "...", "日本"];
      for (const name of names) writeFile(directory, name, ascii(String(name.length)));
      equal([...directory.scan()].sort().join(), names.sort().join(), "names");
      for (const name of names) equalBytes(readFile(directory, name), ascii(String(name.length)));
    },
  },
  {
    name: "openDirectory() gives access to the same files, and throws once it is closed",
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
    name: "openDirectory() throws for a file and for a missing path",
    run(directory) {
      writeFile(directory, "a", TEXT);
      throws(() => directory.openDirectory({ path: "a" }), "a file");
      throws(() => directory.openDirectory({ path: "b" }), "nothing");
    },
  },
  {
    name: "delete() returns whether the file existed",
    run(directory) {
      writeFile(directory, "a", TEXT);
      equal(directory.delete("a"), true, "a file");
      equal(directory.delete("a"), false, "nothing");
      throws(() => directory.status("a"), "the status of what was deleted");
    },
  },
  {
    name: "delete() removes only an empty directory",
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
    name: "move() renames a file into another directory",
    run(directory) {
      directory.createDirectory("d");
      writeFile(directory, "a", TEXT);
      directory.move("a", "d/b");
      equalBytes(readFile(directory, "d/b"), TEXT);
      throws(() => directory.status("a"), "the old name");
    },
  },
  {
    name: "move() replaces an existing file",
    run(directory) {
      writeFile(directory, "a", TEXT);
      writeFile(directory, "b", OTHER);
      directory.move("a", "b");
      equalBytes(readFile(directory, "b"), TEXT);
      equal([...directory.scan()].join(), "b", "names");
    },
  },
  {
    name: "move() of a file onto itself keeps it",
    run(directory) {
      writeFile(directory, "a", TEXT);
      directory.move("a", "a");
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
  {
    name: "move() of a directory takes its content along",
    run(directory) {
      directory.createDirectory("a");
      writeFile(directory, "a/b", TEXT);
      directory.move("a", "c");
      equalBytes(readFile(directory, "c/b"), TEXT);
      equal([...directory.scan()].join(), "c", "names");
    },
  },
  {
    name: "move() of a missing file, or into a missing directory, throws and changes nothing",
    run(directory) {
      writeFile(directory, "a", TEXT);
      throws(() => directory.move("b", "c"), "moving nothing");
      throws(() => directory.move("a", "b/c"), "moving into nothing");
      equalBytes(readFile(directory, "a"), TEXT);
      equal([...directory.scan()].join(), "a", "names");
    },
  },
  {
    name: "every method rejects a path that leaves the directory or is not canonical",
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
