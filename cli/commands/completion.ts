/** `svc completion`: prints the completion script for a shell. */
import type { Command } from "../command.js";
import { bashCompletion } from "../completion/bash.js";
import { fishCompletion } from "../completion/fish.js";
import { completionTree } from "../completion/tree.js";
import { zshCompletion } from "../completion/zsh.js";

const SCRIPTS = Object.freeze({ bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion });

export const completion: Command = Object.freeze<Command>({
  name: "completion",
  summary: "Print the script that lets a shell complete svc commands and options.",
  parameters: [{ name: "SHELL", summary: "name of the shell", choices: Object.keys(SCRIPTS) }],
  options: [],
  notes: [
    "bash: source <(svc completion bash). zsh: source <(svc completion zsh). fish: svc completion fish | source.",
  ],
  async run({ values: { SHELL: shell = "" } }) {
    // The table has this command in it.
    const { COMMANDS, GROUPS } = await import("../commands.js");
    const make = SCRIPTS[shell as keyof typeof SCRIPTS];
    const script = make(completionTree(COMMANDS, GROUPS));
    return { text: script.trimEnd(), json: { shell, script } };
  },
});
