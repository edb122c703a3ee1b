/** Contract of every file system of a console, through Directory and File. */
import type { Directory } from "../../device/ports/files.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";
import { DIRECTORY_CASES } from "./directories.js";
import { readFile, writeFile } from "./file-access.js";

const TEXT = ascii("what was written");
const OTHER = ascii("something else, and longer");

/** Bytes of one write while a case fills the medium. */
const FILLING_BYTES = 65536;
/** More than any console has, so that a case ends even on a medium that never fills up. */
const FILLING_LIMIT = 1024;

const FILE_CASES: readonly ContractCase<Directory>[] = [
  {
    name: "a new file returns the bytes that were written",
    run(directory) {
      writeFile(directory, "a", TEXT);
      equalBytes(readFile(directory, "a"), TEXT);
    },
  },
  {
    name: "openFile() throws for a missing file in every mode but w, and creates none",
    run(directory) {
      throws(() => directory.openFile({ path: "a" }), "opening without a mode");
      throws(() => directory.openFile({ path: "a", mode: "r" }), "opening to read");
      throws(() => directory.openFile({ path: "a", mode: "r+" }), "opening to change");
      equal([...directory.scan()].length, 0, "names afterwards");
    },
  },
  {
    name: "a file opened to read rejects write() and setSize()",
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
    name: 'mode "w" truncates the file',
    run(directory) {
      writeFile(directory, "a", TEXT);
      const file = directory.openFile({ path: "a", mode: "w" });
      equal(file.status().size, 0, "size");
      file.close();
      equalBytes(readFile(directory, "a"), new Uint8Array(0));
    },
  },
  {
    name: 'mode "w+" truncates the file and allows reading',
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
    name: 'mode "r+" keeps the content',
    run(directory) {
      writeFile(directory, "a", ascii("0123456789"));
      const file = directory.openFile({ path: "a", mode: "r+" });
      file.write(ascii("AB"), 4);
      file.close();
      equalBytes(readFile(directory, "a"), ascii("0123AB6789"));
    },
  },
  {
    name: "openFile() rejects an unknown mode and creates nothing",
    run(directory) {
      for (const mode of ["a", "rw", "W", ""])
        throws(() => directory.openFile({ path: "a", mode: mode as "r" }), `the mode "${mode}"`);
      equal([...directory.scan()].length, 0, "names afterwards");
    },
  },
  {
    name: "read() stops at the end of the file, and returns 0 behind it",
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
    name: "read() and write() use a view only within its bounds",
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
    name: "write() behind the end fills the gap with zeros",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w" });
      file.write(ascii("end"), 5);
      file.close();
      equalBytes(readFile(directory, "a"), ascii("\0\0\0\0\0end"));
    },
  },
  {
    name: "write() of no bytes changes nothing, at any position",
    run(directory) {
      const file = directory.openFile({ path: "a", mode: "w" });
      file.write(new Uint8Array(0), 100);
      equal(file.status().size, 0, "size");
      file.close();
    },
  },
  {
    name: "setSize() truncates, and extends with zeros",
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
    name: "read(), write() and setSize() reject an invalid position or size and change nothing",
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
    name: "a closed file rejects everything but close()",
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
    name: "a full medium throws storage_full, changes nothing, and accepts data once there is room",
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

/** One suite of contents (this file) and names (directories.ts), since each needs the other. */
export const FILES_CONTRACT: readonly ContractCase<Directory>[] = [...FILE_CASES, ...DIRECTORY_CASES];
