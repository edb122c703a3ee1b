/**
 * `svc completion`: prints the completion script for a shell. The scripts are generated from a tree of possible
 * command lines, with a node for each word of a command's name.
 */
import { type Command, OPTIONS_ANYWHERE, type Option, optionsOf, VERSION_OPTION } from "../command.js";
import { bashCompletion, fishCompletion, zshCompletion } from "../completion-scripts.js";

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
    // The table contains this command, so a static import would be circular.
    const { COMMANDS, GROUPS } = await import("../commands.js");
    const make = SCRIPTS[shell as keyof typeof SCRIPTS];
    const script = make(completionTree(COMMANDS, GROUPS));
    return { text: script.trimEnd(), json: { shell, script } };
  },
});

export interface Node {
  /** `""`, `/ota`, `/ota/upload`. */
  readonly path: string;
  /** Possible next words. */
  readonly children: { readonly name: string; readonly summary: string }[];
  readonly options: readonly Option[];
  /** Whether the next word may be a file. */
  readonly takesFile: boolean;
  /** Possible values of the next word. */
  readonly choices: readonly string[];
}

/**
 * @param groups summaries of the words that several commands begin with
 * @returns nodes, parents before their children
 */
function completionTree(commands: readonly Command[], groups: Readonly<Record<string, string>>): Node[] {
  const nodes: Map<string, Node> = new Map([
    ["", { ...groupNode(""), options: [...OPTIONS_ANYWHERE, VERSION_OPTION] }],
  ]);
  for (const command of commands) {
    let path = "";
    for (const word of command.name.split(" ")) path = child(nodes, path, word, groups[word] ?? "");
    Object.assign(nodes.get(path) ?? {}, detailsOf(command));
    nameIn(nodes, path, command.summary);
  }
  return [...nodes.values()];
}

/** A node before a complete command. */
function groupNode(path: string): Node {
  return { path, children: [], options: OPTIONS_ANYWHERE, takesFile: false, choices: [] };
}

function child(nodes: Map<string, Node>, parent: string, name: string, summary: string): string {
  const path = `${parent}/${name}`;
  if (nodes.has(path)) return path;
  nodes.get(parent)?.children.push({ name, summary });
  nodes.set(path, groupNode(path));
  return path;
}

/** Replaces the group's summary by the command's. */
function nameIn(nodes: Map<string, Node>, path: string, summary: string): void {
  const at = path.lastIndexOf("/");
  const siblings = nodes.get(path.slice(0, at))?.children ?? [];
  const name = path.slice(at + 1);
  siblings.splice(
    siblings.findIndex((sibling) => sibling.name === name),
    1,
    { name, summary },
  );
}

function detailsOf(command: Command) {
  const { parameters } = command;
  return {
    options: optionsOf(command),
    takesFile: parameters.some(({ isFile }) => isFile),
    choices: parameters.flatMap(({ choices = [] }) => choices),
  };
}
