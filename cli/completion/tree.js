/** The tree of possible command lines, from the table of commands: a node for each word of a command's name. */
import { OPTIONS_ANYWHERE, optionsOf, VERSION_OPTION } from "../command.js";

/** @typedef {import("../command.js").Command} Command */
/** @typedef {import("../command.js").Option} Option */

/**
 * @typedef {object} Node
 * @property {string} path `""`, `/ota`, `/ota/upload`
 * @property {{ readonly name: string, readonly summary: string }[]} children the words that may come next
 * @property {readonly Option[]} options
 * @property {boolean} takesFile what comes next may be a file
 * @property {readonly string[]} choices what comes next may be one of these
 */

/**
 * @param {readonly Command[]} commands
 * @param {Readonly<Record<string, string>>} groups what words are about that several commands begin with
 * @returns {Node[]} the root first, parents before their children
 */
export function completionTree(commands, groups) {
  /** @type {Map<string, Node>} */
  const nodes = new Map([["", { ...groupNode(""), options: [...OPTIONS_ANYWHERE, VERSION_OPTION] }]]);
  for (const command of commands) {
    let path = "";
    for (const word of command.name.split(" ")) path = child(nodes, path, word, groups[word] ?? "");
    Object.assign(nodes.get(path) ?? {}, detailsOf(command));
    nameIn(nodes, path, command.summary);
  }
  return [...nodes.values()];
}

/** Where no command is complete yet. @param {string} path @returns {Node} */
function groupNode(path) {
  return { path, children: [], options: OPTIONS_ANYWHERE, takesFile: false, choices: [] };
}

/** @param {Map<string, Node>} nodes @param {string} parent @param {string} name @param {string} summary */
function child(nodes, parent, name, summary) {
  const path = `${parent}/${name}`;
  if (nodes.has(path)) return path;
  nodes.get(parent)?.children.push({ name, summary });
  nodes.set(path, groupNode(path));
  return path;
}

/** The command's own summary takes the place of its group's. */
/** @param {Map<string, Node>} nodes @param {string} path @param {string} summary */
function nameIn(nodes, path, summary) {
  const at = path.lastIndexOf("/");
  const siblings = nodes.get(path.slice(0, at))?.children ?? [];
  const name = path.slice(at + 1);
  siblings.splice(
    siblings.findIndex((sibling) => sibling.name === name),
    1,
    { name, summary },
  );
}

/** @param {Command} command */
function detailsOf(command) {
  const { parameters } = command;
  return {
    options: optionsOf(command),
    takesFile: parameters.some(({ isFile }) => isFile),
    choices: parameters.flatMap(({ choices = [] }) => choices),
  };
}
