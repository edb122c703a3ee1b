/** The completions that each shell offers on Tab, each with its script of `svc completion`. */
import { spawnSync } from "node:child_process";
import path from "node:path";

/** Words after `svc`, of which the last is being written. */
export type Words = readonly string[];

const ZSH_OFFERS = path.join(import.meta.dirname, "zsh-offers.zsh");

/** By the shells, with the file of their script. Shells may offer options only where a word begins with a dash. */
export const OFFERS_OF = {
  bash(script: string, words: Words): string[] {
    const list = ["svc", ...words].map(quoted).join(" ");
    const completed = `COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _svc`;
    // In a terminal bash does so itself, if set up so, where nothing else is offered.
    const files = `compopt() { [[ "$*" == "-o default" ]] && COMPREPLY=($(compgen -f -- "$current")); }`;
    const call = `source ${quoted(script)}; ${files}; ${completed}; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(output("bash", ["--norc", "-c", call]));
  },
  zsh(script: string, words: Words): string[] {
    const shown = output("zsh", ["-f", ZSH_OFFERS, script, lineOf(words)]);
    return [...new Set([...shown.matchAll(/offer:(\S+)/g)].map(([, word = ""]) => word))];
  },
  fish(script: string, words: Words): string[] {
    const call = `source ${quoted(script)}; complete -C ${quoted(lineOf(words))}`;
    return linesOf(output("fish", ["--no-config", "-c", call])).map((line) => line.split("\t")[0] ?? "");
  },
};

export type Shell = keyof typeof OFFERS_OF;

function output(program: string, args: readonly string[]): string {
  const env = { ...process.env, TERM: "xterm" };
  return spawnSync(program, args, { encoding: "utf8", env, timeout: 30_000 }).stdout;
}

const lineOf = (words: Words) => ["svc", ...words].join(" ");
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");
const quoted = (word: string) => `'${word}'`;
