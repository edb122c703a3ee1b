/** Builds commander's program from the table of commands. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Argument, InvalidArgumentError, Option, Command as Program } from "commander";
import {
  CONSOLE_OPTIONS,
  type Command,
  OPTIONS_ANYWHERE,
  optionsOf,
  optionText,
  type Parameter,
  parameterText,
  VERSION_OPTION,
} from "./command.js";
import { GROUPS } from "./commands.js";

export interface Given {
  readonly isJson: boolean;
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** @param options.isSilent commander prints no usage errors */
export function programOf(
  commands: readonly Command[],
  { isSilent }: { readonly isSilent: boolean },
  run: (command: Command, given: Given) => Promise<void>,
): Program {
  const program = new Program("svc")
    .description("Manage handheld consoles, and build apps and firmware for them.")
    .version(version(), optionText(VERSION_OPTION), VERSION_OPTION.summary)
    .exitOverride()
    .showHelpAfterError()
    .configureOutput(isSilent ? { writeErr: () => {} } : { outputError: reportError });
  takeOptionsAnywhere(program);
  for (const command of commands) {
    const words = command.name.split(" ");
    const parent = words.slice(0, -1).reduce(groupIn, program);
    define(parent.command(words.at(-1) ?? ""), command, run);
  }
  return program;
}

/**
 * Accepts the common options before the command's words too.
 * @param program `svc`, or a group
 */
function takeOptionsAnywhere(program: Program): void {
  program.enablePositionalOptions().addHelpText("after", ABOUT_OPTIONS);
  for (const option of OPTIONS_ANYWHERE) program.addOption(optionOf(option));
}

const ABOUT_OPTIONS = `
These options go before or after the command; all others go after it.`;

/** @param text of commander's */
function reportError(text: string, write: (text: string) => void): void {
  write(`svc: ${text.replace(/^error: /, "wrong_usage: ")}`);
}

function version() {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "../package.json"), "utf8")).version;
}

/** @returns the group of that name, created with its first command */
function groupIn(program: Program, name: string): Program {
  const known = program.commands.find((command) => command.name() === name);
  if (known) return known;
  const group = program.command(name).description(GROUPS[name] ?? "");
  takeOptionsAnywhere(group);
  return group;
}

function define(
  program: Program,
  command: Command,
  run: (command: Command, given: Given) => Promise<void>,
): void {
  program.description(command.summary);
  for (const parameter of command.parameters) program.addArgument(argumentOf(parameter));
  for (const option of optionsOf(command)) program.addOption(optionOf(option));
  if (command.notes) program.addHelpText("after", `\n${command.notes.join("\n\n")}`);
  program.allowUnknownOption(command.takesUnknownOptions ?? false);
  program.action(() => {
    if (!command.isForConsole) rejectConsoleOptions(program);
    return run(command, givenTo(command, program));
  });
}

/** Rejects console options before a command that uses no console. */
function rejectConsoleOptions(program: Program): void {
  const given = optionsBefore(program);
  for (const { name } of CONSOLE_OPTIONS)
    if (given[name] !== undefined)
      program.error(
        `error: option '--${name}' before '${program.name()}' applies only to commands for a console`,
      );
}

function argumentOf(parameter: Parameter): Argument {
  const argument = new Argument(parameterText(parameter), parameter.summary);
  return parameter.choices ? argument.choices(parameter.choices) : argument;
}

function optionOf(row: import("./command.js").Option): Option {
  const option = new Option(optionText(row), row.summary).makeOptionMandatory(row.isRequired ?? false);
  if (row.choices) option.choices(row.choices);
  if (!row.isRepeatable) return option;
  return option.argParser((value: string, earlier: readonly string[] = []) => [
    ...earlier,
    accepted(value, row.choices),
  ]);
}

/** As commander checks the choices of options that are given once. */
function accepted(value: string, choices: readonly string[] | undefined): string {
  if (choices === undefined || choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
}

/** Options of `svc` and of the groups; the nearest one takes precedence. */
function optionsBefore({ parent }: Program): Record<string, unknown> {
  return parent ? { ...optionsBefore(parent), ...parent.opts() } : {};
}

function givenTo({ parameters }: Command, program: Program): Given {
  const { json, ...options } = { ...optionsBefore(program), ...program.opts() };
  const entries = Object.entries(options);
  const named = parameters.map(({ name }, at) => [name, program.args[at]]);
  const rest = parameters.flatMap(({ name, isRepeatable }, at) =>
    isRepeatable ? [[name, program.args.slice(at)]] : [],
  );
  return {
    isJson: json === true,
    values: Object.fromEntries([...entries.filter(([, value]) => typeof value === "string"), ...named]),
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    lists: Object.fromEntries([...entries.filter(([, value]) => Array.isArray(value)), ...rest]),
  };
}
