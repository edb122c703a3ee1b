/** The completion scripts, by the shells that are here: bash is. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../../cli/commands.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const SHELLS = ["bash", "zsh", "fish"];

const isThere = (program: string) => spawnSync(program, ["-c", "true"]).status === 0;
const scriptFor = (shell: string) => runSvc("completion", shell).stdout;

/** What bash would offer after these words, the last of which is being written. */
function offered(...words: readonly string[]): string[] {
  const list = ["svc", ...words].map((word) => `'${word}'`).join(" ");
  const call = `${scriptFor("bash")}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["--norc", "-c", call], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("svc completion", { timeout: SVC_TIMEOUT_MS }, () => {
  for (const shell of SHELLS)
    test.skipIf(!isThere(shell))(`prints a script that ${shell} can read`, () => {
      const script = scriptFor(shell);
      expect(script).toContain("ota");
      const file = path.join(temporary.path, `svc.${shell}`);
      writeFileSync(file, script);
      const read = spawnSync(shell, ["-n", file], { encoding: "utf8" }); // fish takes no pipe
      expect(read).toMatchObject({ status: 0, stderr: "" });
    });

  test("offers the first word of each command", () => {
    const first = new Set(COMMANDS.map(({ name }) => name.split(" ")[0]));
    expect(new Set(offered(""))).toEqual(new Set([...first, "--help"]));
  });

  const OFFERED = [
    { words: ["sta"], offers: ["status", "start"] },
    { words: ["ota", ""], offers: ["upload", "status", "confirm", "--help"] },
    { words: ["ota", "upload", "--re"], offers: ["--reboot"] },
    { words: ["logs", "--follow", "--l"], offers: ["--level"] },
    { words: ["logs", "--level", ""], offers: ["debug", "info", "warning", "error"] },
    { words: ["completion", "f"], offers: ["fish"] },
    { words: ["hub", "publisher", "a"], offers: ["add"] },
  ];
  for (const { words, offers } of OFFERED)
    test(`after "svc ${words.join(" ")}" offers ${offers.join(", ")}`, () => {
      expect(offered(...words).sort()).toEqual([...offers].sort());
    });

  test.skipIf(!isThere("fish"))("offers the same in fish, with what each does", () => {
    const call = `${scriptFor("fish")}\ncomplete -C "svc ota "`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", call], { encoding: "utf8" });
    const offers = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0]);
    expect(offers.sort()).toEqual(["confirm", "status", "upload"]);
  });

  test("leaves to the shell whatever names a file or a directory", () => {
    const namesFile = ({ name, value = name }: { name: string; value?: string }) =>
      /^(FILE|IMAGE|DIR|PEM|PNG|PUB)\b/.test(value);
    const taken = COMMANDS.flatMap(({ parameters, options }) => [
      ...parameters,
      ...options.filter(({ value }) => value !== undefined),
    ]);
    expect(taken.filter((row) => namesFile(row) !== (row.isFile ?? false))).toEqual([]);
  });

  test("leaves files to the shell, where a file is taken", () => {
    expect([offered("install", ""), offered("install", "--key", "")]).toEqual([[], []]);
    expect(scriptFor("bash")).toContain("compopt -o default");
  });
});
