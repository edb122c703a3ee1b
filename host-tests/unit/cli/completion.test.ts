/** The completion scripts, by the shells that are here: bash is. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../cli/commands.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";
import { OFFERS_OF, type Shell, type Words } from "./shell-offers.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const SHELLS: readonly { shell: Shell; isHere: boolean }[] = [
  { shell: "bash", isHere: true },
  { shell: "zsh", isHere: !isMissing("zsh") },
  { shell: "fish", isHere: !isMissing("fish") },
];

const FIRST_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0]))];

const OFFERED: readonly { words: Words; offers: readonly (string | undefined)[] }[] = [
  { words: [""], offers: FIRST_WORDS },
  { words: ["sta"], offers: ["status", "start"] },
  { words: ["--"], offers: ["--device", "--token", "--json", "--version", "--help"] },
  { words: ["--device", ""], offers: [] },
  { words: ["--device", "usb", ""], offers: FIRST_WORDS },
  { words: ["ota", ""], offers: ["upload", "status", "confirm"] },
  { words: ["ota", "--"], offers: ["--device", "--token", "--json", "--help"] },
  { words: ["ota", "--device", ""], offers: [] },
  { words: ["ota", "upload", "--re"], offers: ["--reboot"] },
  { words: ["logs", "--follow", "--le"], offers: ["--level"] },
  { words: ["logs", "--level", ""], offers: ["debug", "info", "warning", "error"] },
  { words: ["completion", "f"], offers: ["fish"] },
  { words: ["hub", "publisher", "a"], offers: ["add"] },
];

function nameOf(offers: readonly (string | undefined)[]): string {
  return offers === FIRST_WORDS ? "the first words of all commands" : offers.join(", ") || "nothing";
}

for (const { shell, isHere } of SHELLS)
  describe.skipIf(!isHere)(`svc completion ${shell}`, { timeout: SVC_TIMEOUT_MS }, () => {
    const script = path.join(temporary.path, `svc.${shell}`);
    beforeAll(() => writeFileSync(script, runSvc("completion", shell).stdout));
    const offered = (words: Words) => OFFERS_OF[shell](script, words);

    test("prints a script that the shell accepts", () => {
      const read = spawnSync(shell, ["-n", script], { encoding: "utf8" }); // fish takes no pipe
      expect(read).toMatchObject({ status: 0, stderr: "" });
    });

    for (const { words, offers } of OFFERED)
      test(`offers ${nameOf(offers)} after "svc ${words.join(" ")}"`, () => {
        const isOption = words.at(-1)?.startsWith("-");
        const comparable = offered(words).filter((word) => isOption || !word.startsWith("-"));
        expect(comparable.sort()).toEqual([...offers].sort());
      });

    const file = path.join(import.meta.dirname, "completion.test");
    for (const words of [["install"], ["install", "--key"], ["firmware", "pack", "--out"]])
      test(`offers files after "svc ${words.join(" ")} "`, () => {
        expect(offered([...words, file]).map((name) => path.basename(name))).toContain("completion.test.ts");
      });
  });

test("Exactly the parameters and options whose values are files or directories are completed as files", () => {
  const namesFile = ({ name, value = name }: { name: string; value?: string }) =>
    /^(FILE|IMAGE|DIR|LIST|NAMES|PEM|PNG|PUB)\b/.test(value);
  const taken = COMMANDS.flatMap(({ parameters, options }) => [
    ...parameters,
    ...options.filter(({ value }) => value !== undefined),
  ]);
  expect(taken.filter((row) => namesFile(row) !== (row.isFile ?? false))).toEqual([]);
});
