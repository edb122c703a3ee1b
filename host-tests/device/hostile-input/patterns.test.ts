/**
 * No regular expression of the console takes long for a text that almost matches. XS tries all divisions of a text
 * between adjacent repetitions, in particular in an optional group, and the watchdog resets a console whose match takes
 * long.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startConsole } from "../../hosts/simulator.js";
import { program } from "../native/programs.js";

const root = path.join(import.meta.dirname, "../../..");
const FOLDERS = ["device", "protocol", "hub-client"];
const LITERAL = /(?:= |\(|: )\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)(?=[;,).])/g;
const COMMENTS = /^\s*(?:\*|\/\/|\/\*).*$/gm;

function patternsIn(folder: string): RegExp[] {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.(?:ts|js)$/.test(file))
    .flatMap((file) => {
      const code = readFileSync(path.join(root, folder, file), "utf8").replace(COMMENTS, "");
      return [...code.matchAll(LITERAL)].map(([, source = "", flags]) => new RegExp(source, flags));
    });
}

const BEGINNINGS = [
  "",
  "http://",
  "http://h/",
  "http://h:",
  "[",
  '"',
  "/",
  "bytes 1-",
  " : ",
  "HTTP/1.1 200",
  "-",
  "h:",
];
const REPEATED = [
  "a",
  "A",
  "0",
  "9",
  ":",
  "/",
  ".",
  "-",
  " ",
  "~",
  "[",
  "a.",
  "a/",
  "0:",
  "a-",
  ".pem",
  "key/",
];
const ENDS = ["!", "\u0000", " ", '"', "g", "]"];
const LENGTH = 120;

const NEAR_MISSES = BEGINNINGS.flatMap((start) =>
  REPEATED.flatMap((piece) => ENDS.map((end) => start + piece.repeat(LENGTH / piece.length) + end)),
);

test("no regular expression of the console takes long for a text that almost matches", async () => {
  const patterns = FOLDERS.flatMap(patternsIn).map(({ source, flags }) => ({ source, flags }));
  expect(patterns.length).toBeGreaterThan(30);
  const console = await startConsole({
    image: program(`
      const texts = ${JSON.stringify(NEAR_MISSES)};
      const patterns = ${JSON.stringify(patterns)};
      function next() {
        const { source, flags } = patterns.shift() ?? {};
        say(source ?? "end");
        if (source === undefined) return;
        const pattern = new RegExp(source, flags);
        for (const text of texts) pattern.test(text);
        timer.set(next, 0); // in its own callback, since the watchdog times each one
      }
      timer.set(next, 0);
    `),
  });
  await Promise.race([console.waitForLine(/^end$/), console.exited]);
  expect(console.stderr.join("\n")).toMatch(/\nend$/);
  await console.stop();
});
