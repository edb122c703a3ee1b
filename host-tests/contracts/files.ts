/** What every file system of a console does, seen through its Directory and File. */
import type { Directory } from "../../device/ports/files.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";

const TEXT = ascii("what was written");
const OTHER = ascii("something else, and longer");

/** Bytes of one write when the medium is being filled. */
const FILLING_BYTES = 65536;
/** No console has this much; a medium that never fills up must not go on forever. */
const FILLING_LIMIT = 1024;

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

export const FILES_CONTRACT: readonly ContractCase<Directory>[] = [
  {
    name: "what was written to a new file is read from it",
    run(directory) {
      writeFile(directory, "a", TEXT);
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
  {
    name: "a file opened to read is there, and no other can be",
    run(directory) {
      throws(() => directory.openFile({ path: "a" }), "opening without a mode");
      throws(() => directory.openFile({ path: "a", mode: "r" }), "opening to read");
      throws(() => directory.openFile({ path: "a", mode: "r+" }), "opening to change");
      equal([...directory.scan()].length, 0, "names afterwards");
    },
  },
  {
    name: "a file opened to read cannot be changed",
    run(directory) {
      writeFile(directory, "a", TEXT);
      const file = directory.openFile({ path: "a", mode: "r" });
      throws(() => file.write(OTHER, 0), "write");
      throws(() => file.setSize(0), "setSize");
      file.close();
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
  {
    name: 'opening with "w" makes a file empty',
    run(directory) {
      writeFile(directory, "a", TEXT);
      const file = directory.openFile({ path: "a", mode: "w" });
      equal(file.status().size, 0, "size");
      file.close();
      equalBytes(readFile(directory, "a"), new Uint8Array(0));
    },
  },
  {
    name: 'opening with "w+" makes a file empty, and lets it be read',
    run(directory) {
      writeFile(directory, "a", OTHER);
      const file = directory.openFile({ path: "a", mode: "w+" });
      file.write(TEXT, 0);
      const read = new Uint8Array(TEXT.length);
      equal(file.read(read, 0), TEXT.length, "bytes read");
      file.close();
      equalBytes(read, TEXT);
    },
  },
  {
    name: 'opening with "r+" keeps what is there',
    run(directory) {
      writeFile(directory, "a", ascii("0123456789"));
      const file = directory.openFile({ path: "a", mode: "r+" });
      file.write(ascii("AB"), 4);
      file.close();
      equalBytes(readFile(directory, "a"), ascii("0123AB6789"));
    },
  },
  {
    name: "an unknown mode is refused, and makes nothing",
    run(directory) {
      for (const mode of ["a", "rw", "W", ""])
        throws(() => directory.openFile({ path: "a", mode: mode as "r" }), `the mode "${mode}"`);
      equal([...directory.scan()].length, 0, "names afterwards");
    },
  },
  {
    name: "reading ends at the end of the file, and finds nothing behind it",
    run(directory) {
      writeFile(directory, "a", ascii("0123456789"));
      const file = directory.openFile({ path: "a" });
      const into = new Uint8Array(4);
      equal(file.read(into, 8), 2, "bytes at 8");
      equalBytes(into.subarray(0, 2), ascii("89"));
      equal(file.read(into, 10), 0, "bytes at the end");
      equal(file.read(into, 1000), 0, "bytes behind the end");
      equal(file.read(new Uint8Array(0), 0), 0, "no bytes wanted");
      file.close();
    },
  },
  {
    name: "a view is read into and written from as far as it shows",
    run(directory) {
      writeFile(directory, "a", ascii("xxshownxx").subarray(2, 7));
      const bytes = ascii("..........");
      const file = directory.openFile({ path: "a" });
      file.read(bytes.subarray(2, 5), 1);
      file.close();
      equalBytes(bytes, ascii("..how....."));
    },
  },
  {
    name: "a gap that a write leaves is zeros",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w" });
      file.write(ascii("end"), 5);
      file.close();
      equalBytes(readFile(directory, "a"), ascii("\0\0\0\0\0end"));
    },
  },
  {
    name: "writing nothing changes nothing, wherever",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w" });
      file.write(new Uint8Array(0), 100);
      equal(file.status().size, 0, "size");
      file.close();
    },
  },
  {
    name: "setSize cuts off, and adds zeros",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w" });
      file.write(ascii("0123456789"), 0);
      file.setSize(4);
      file.setSize(6);
      equal(file.status().size, 6, "size");
      file.close();
      equalBytes(readFile(directory, "a"), ascii("0123\0\0"));
    },
  },
  {
    name: "positions and sizes that are none are refused and change nothing",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w+" });
      file.write(TEXT, 0);
      for (const position of [-1, Number.NaN, Infinity, 2 ** 31, 2 ** 53]) {
        throws(() => file.read(new Uint8Array(1), position), `a read at ${position}`);
        throws(() => file.write(TEXT, position), `a write at ${position}`);
        throws(() => file.setSize(position), `the size ${position}`);
      }
      file.close();
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
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
    name: "a closed file can be closed again and nothing else",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w+" });
      file.close();
      file.close();
      throws(() => file.read(new Uint8Array(1), 0), "read");
      throws(() => file.write(TEXT, 0), "write");
      throws(() => file.setSize(0), "setSize");
      throws(() => file.flush(), "flush");
      throws(() => file.status(), "status");
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
  {
    name: "a medium that is full says so, changes nothing, and takes more once there is room",
    run(directory) {
      const bytes = new Uint8Array(FILLING_BYTES).fill(0x55);
      const file = directory.openFile({ path: "a", mode: "w" });
      let count = 0;
      const error = throws(() => {
        for (; count < FILLING_LIMIT; count++) file.write(bytes, count * FILLING_BYTES);
      }, "filling the medium");
      equal((error as { code?: unknown }).code, "storage_full", "code of the error");
      equal(file.status().size, count * FILLING_BYTES, "size");
      throws(() => file.setSize((count + 1) * FILLING_BYTES), "a size that does not fit");
      file.write(TEXT, 0);
      file.close();
      directory.delete("a");
      writeFile(directory, "b", bytes);
      equal(directory.status("b").size, FILLING_BYTES, "size of the next file");
    },
  },
];

function writeFile(directory: Directory, path: string, bytes: Uint8Array): void {
  const file = directory.openFile({ path, mode: "w" });
  file.write(bytes, 0);
  file.flush();
  file.close();
}

function readFile(directory: Directory, path: string): Uint8Array {
  const file = directory.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  equal(file.read(bytes, 0), bytes.length, `bytes of "${path}"`);
  file.close();
  return bytes;
}
