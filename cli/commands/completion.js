/** `svc completion`: prints the completion script for a shell. */
import { bashCompletion } from "../completion/bash.js";
import { fishCompletion } from "../completion/fish.js";
import { completionTree } from "../completion/tree.js";
import { zshCompletion } from "../completion/zsh.js";

const SCRIPTS = Object.freeze({ bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion });

/** @type {import("../command.js").Command} */
export const completion = Object.freeze({
  name: "completion",
  summary: "Prints a script with which a shell completes commands and options of svc.",
  parameters: [{ name: "SHELL", summary: "the shell that reads it", choices: Object.keys(SCRIPTS) }],
  options: [],
  notes: ["bash and zsh: source <(svc completion bash). fish: svc completion fish | source."],
  async run({ values: { SHELL: shell = "" } }) {
    // The table has this command in it.
    const { COMMANDS, GROUPS } = await import("../commands.js");
    const make = SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (shell)];
    const script = make(completionTree(COMMANDS, GROUPS));
    return { text: script.trimEnd(), json: { shell, script } };
  },
});
