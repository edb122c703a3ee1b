/** Builds commander's program from the table of commands. */
import { readFileSync } from "node:fs";
import { Argument, Option, Command as Program } from "commander";
import {
  CONSOLE_OPTIONS,
  OPTIONS_ANYWHERE,
  optionsOf,
  optionText,
  parameterText,
  VERSION_OPTION,
} from "./command.js";
import { GROUPS } from "./commands.js";

/** @typedef {import("./command.js").Command} Command */

/**
 * @typedef {object} Given
 * @property {boolean} isJson
 * @property {Readonly<Record<string, string | undefined>>} values
 * @property {ReadonlySet<string>} flags
 * @property {Readonly<Record<string, readonly string[]>>} lists
 */

/**
 * @param {readonly Command[]} commands
 * @param {{ readonly isSilent: boolean }} options silent: says nothing of wrong usage by itself
 * @param {(command: Command, given: Given) => Promise<void>} run
 */
export function programOf(commands, { isSilent }, run) {
  const program = new Program("svc")
    .description("Builds for and manages handheld consoles.")
    .version(version(), optionText(VERSION_OPTION), VERSION_OPTION.summary)
    .exitOverride()
    .showHelpAfterError()
    .configureOutput(isSilent ? { writeErr: () => {} } : { outputError: tellError });
  takeOptionsAnywhere(program);
  for (const command of commands) {
    const words = command.name.split(" ");
    const parent = words.slice(0, -1).reduce(groupIn, program);
    define(parent.command(words.at(-1) ?? ""), command, run);
  }
  return program;
}

/** Before the words that follow it. @param {Program} program `svc`, or a group */
function takeOptionsAnywhere(program) {
  program.enablePositionalOptions().addHelpText("after", ABOUT_OPTIONS);
  for (const option of OPTIONS_ANYWHERE) program.addOption(optionOf(option));
}

const ABOUT_OPTIONS = `
These options may stand before a command or after it; all others stand after it.`;

/** @param {string} text of commander's @param {(text: string) => void} write */
function tellError(text, write) {
  write(`svc: ${text.replace(/^error: /, "wrong_usage: ")}`);
}

function version() {
  return JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
}

/** The group of that name, which is made with its first command. @param {Program} program @param {string} name */
function groupIn(program, name) {
  const known = program.commands.find((command) => command.name() === name);
  if (known) return known;
  const group = program.command(name).description(GROUPS[name] ?? "");
  takeOptionsAnywhere(group);
  return group;
}

/** @param {Program} program @param {Command} command @param {(command: Command, given: Given) => Promise<void>} run */
function define(program, command, run) {
  program.description(command.summary);
  for (const parameter of command.parameters) program.addArgument(argumentOf(parameter));
  for (const option of optionsOf(command)) program.addOption(optionOf(option));
  if (command.notes) program.addHelpText("after", `\n${command.notes.join("\n\n")}`);
  program.allowUnknownOption(command.takesUnknownOptions ?? false);
  program.action(() => {
    if (!command.isForConsole) refuseConsoleOptions(program);
    return run(command, givenTo(command, program));
  });
}

/** That stand before a command which is for no console. @param {Program} program */
function refuseConsoleOptions(program) {
  const given = optionsBefore(program);
  for (const { name } of CONSOLE_OPTIONS)
    if (given[name] !== undefined)
      program.error(`error: option '--${name}' before '${program.name()}' is for a console, and this is not`);
}

/** @param {import("./command.js").Parameter} parameter */
function argumentOf(parameter) {
  const argument = new Argument(parameterText(parameter), parameter.summary);
  return parameter.choices ? argument.choices(parameter.choices) : argument;
}

/** @param {import("./command.js").Option} row */
function optionOf(row) {
  const option = new Option(optionText(row), row.summary).makeOptionMandatory(row.isRequired ?? false);
  return row.choices ? option.choices(row.choices) : option;
}

/** What `svc` and the groups have been given, of which the nearest counts. @param {Program} program @returns {Record<string, unknown>} */
function optionsBefore({ parent }) {
  return parent ? { ...optionsBefore(parent), ...parent.opts() } : {};
}

/** @param {Command} command @param {Program} program @returns {Given} */
function givenTo({ parameters }, program) {
  const { json, ...options } = { ...optionsBefore(program), ...program.opts() };
  const entries = Object.entries(options);
  const named = parameters.map(({ name }, at) => [name, program.args[at]]);
  const rest = parameters.flatMap(({ name, isRepeatable }, at) =>
    isRepeatable ? [[name, program.args.slice(at)]] : [],
  );
  return {
    isJson: json === true,
    values: Object.fromEntries([...entries.filter(([, value]) => value !== true), ...named]),
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    lists: Object.fromEntries(rest),
  };
}
