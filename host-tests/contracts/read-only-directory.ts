/**
 * Contract of every drive, and of reading every `Directory`. The port cannot write to a drive, so the host prepares
 * one with {@link DRIVE_CONTENT}.
 */
import type { ReadOnlyDirectory } from "../../device/ports/drives.js";
import { ascii, type ContractCase, equal, equalBytes, throws } from "./assert.js";

/** Every file of the drive, by its path, with the files of a directory after those of its parent. */
export const DRIVE_CONTENT: Readonly<Record<string, string>> = Object.freeze({
  ten: "0123456789",
  empty: "",
  "apps/clock.wasm": "a clock",
  "apps/.hidden": "not so hidden",
  "apps/deep/down": "deep",
  "größer 日本 🎮": "any name in UTF-8",
});

const BAD_PATHS = ["", "/", "/ten", "ten/", "apps//clock.wasm", ".", "..", "../ten", "apps/../ten", "./ten"];

export const READ_ONLY_DIRECTORY_CONTRACT: readonly ContractCase<ReadOnlyDirectory>[] = [
  {
    name: "scan() lists the names in a directory, and resumes after the last one",
    run(drive) {
      equal([...drive.scan()].sort().join(), "apps,empty,größer 日本 🎮,ten", "names");
      equal([...drive.scan("apps")].sort().join(), ".hidden,clock.wasm,deep", "names in apps");
      const names = drive.scan("apps");
      const first = names.next().value;
      equal([first, ...names].sort().join(), ".hidden,clock.wasm,deep", "names in two goes");
      equal(names.next().done, true, "over is over");
      throws(() => [...drive.scan("nothing")], "scanning nothing");
      throws(() => [...drive.scan("ten")], "scanning a file");
    },
  },
  {
    name: "a loop over scan() may stop at any name",
    run(drive) {
      for (const name of drive.scan("apps")) {
        equal(name.length > 0, true, "a name");
        break;
      }
      equal([...drive.scan("apps")].length, 3, "names of the next one");
    },
  },
  {
    name: "status() distinguishes files from directories, and throws for a missing path",
    run(drive) {
      const file = drive.status("apps/clock.wasm");
      equal(file.size, 7, "size");
      equal(file.isFile(), true, "a file is a file");
      equal(file.isDirectory(), false, "a file is a directory");
      equal(drive.status("apps").isDirectory(), true, "a directory is a directory");
      equal(drive.status("apps").isFile(), false, "a directory is a file");
      equal(drive.status("empty").size, 0, "size of nothing");
      for (const path of ["nothing", "apps/nothing", "ten/nothing"])
        throws(() => drive.status(path), `the status of "${path}"`);
    },
  },
  {
    name: "read() starts at any position, stops at the end, and rejects an invalid position",
    run(drive) {
      const file = drive.openFile({ path: "ten" });
      const into = ascii("....");
      equal(file.status().size, 10, "size");
      equal(file.read(into, 3), 4, "bytes at 3");
      equalBytes(into, ascii("3456"));
      equal(file.read(into, 8), 2, "bytes at 8");
      equalBytes(into, ascii("8956"));
      equal(file.read(into, 10), 0, "bytes at the end");
      equal(file.read(into, 1000), 0, "bytes behind the end");
      for (const position of [-1, Number.NaN, Infinity, 2 ** 31])
        throws(() => file.read(into, position), `a read at ${position}`);
      file.close();
    },
  },
  {
    name: "every file is readable by its name, whatever characters it has",
    run(drive) {
      for (const [path, content] of Object.entries(DRIVE_CONTENT)) {
        const file = drive.openFile({ path, mode: "r" });
        const bytes = new Uint8Array(file.status().size + 1);
        equal(file.read(bytes, 0), content.length, `bytes of "${path}"`);
        equalBytes(bytes.subarray(0, content.length), ascii(content), `content of "${path}"`);
        file.close();
      }
    },
  },
  {
    name: "openDirectory() opens a subdirectory only, and its paths are relative to it",
    run(drive) {
      const apps = drive.openDirectory({ path: "apps" });
      equal([...apps.scan()].sort().join(), ".hidden,clock.wasm,deep", "names");
      equal(apps.status("clock.wasm").size, 7, "size");
      equal(apps.openDirectory({ path: "deep" }).status("down").size, 4, "size further down");
      apps.openFile({ path: "deep/down" }).close();
      throws(() => apps.status("ten"), "what is above it");
      throws(() => drive.openDirectory({ path: "ten" }), "a file as a directory");
      throws(() => drive.openDirectory({ path: "nothing" }), "nothing as a directory");
    },
  },
  {
    name: "openFile() throws for a directory and for a missing path",
    run(drive) {
      for (const path of ["nothing", "apps", "apps/nothing", "ten/nothing"])
        throws(() => drive.openFile({ path }), `opening "${path}"`);
    },
  },
  {
    name: "every method rejects an invalid path, or one that leaves the drive",
    run(drive) {
      for (const path of BAD_PATHS) {
        throws(() => drive.openFile({ path }), `opening "${path}"`);
        throws(() => drive.openDirectory({ path }), `entering "${path}"`);
        throws(() => drive.status(path), `the status of "${path}"`);
        throws(() => [...drive.scan(path)], `scanning "${path}"`);
      }
    },
  },
  {
    name: "a closed file or directory rejects everything but close()",
    run(drive) {
      const file = drive.openFile({ path: "ten" });
      file.close();
      file.close();
      throws(() => file.read(new Uint8Array(1), 0), "read");
      throws(() => file.status(), "status of a file");
      const apps = drive.openDirectory({ path: "apps" });
      apps.close();
      apps.close();
      throws(() => apps.scan(), "scan");
      throws(() => apps.status("clock.wasm"), "status");
      throws(() => apps.openFile({ path: "clock.wasm" }), "openFile");
    },
  },
];
