/** Runs the command that the arguments name, and turns how it ended into output and exit status. */
import { CommanderError, Command as Program } from "commander";
import { COMMANDS, GROUPS } from "./commands.js";

/** @typedef {import("./command.js").Command} Command */

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit status
 */
export async function runCommandLine(args) {
  try {
    await programOf(COMMANDS).parseAsync(args, { from: "user" });
    return DONE;
  } catch (error) {
    // It has said already what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    say(reasonOf(error));
    return FAILED;
  }
}

/** @param {readonly Command[]} commands */
function programOf(commands) {
  const program = new Program("svc")
    .description("Builds for and manages handheld consoles.")
    .exitOverride()
    .showHelpAfterError();
  for (const command of commands) {
    const words = command.name.split(" ");
    const parent = words.slice(0, -1).reduce(groupIn, program);
    define(parent.command(words.at(-1) ?? ""), command);
  }
  return program;
}

/** The group of that name, which is made with its first command. @param {Program} program @param {string} name */
function groupIn(program, name) {
  const group = program.commands.find((command) => command.name() === name);
  return group ?? program.command(name).description(GROUPS[name] ?? "");
}

/** @param {Program} program @param {Command} command */
function define(program, { summary, parameters, options, run }) {
  program.description(summary);
  for (const { name, summary: what, isOptional } of parameters)
    program.argument(isOptional ? `[${name}]` : `<${name}>`, what);
  for (const { name, value, summary: what, isRequired } of options) {
    const flags = `--${name} <${value}>`;
    if (isRequired) program.requiredOption(flags, what);
    else program.option(flags, what);
  }
  program.option("--json", "print the outcome as one line of JSON");
  program.action(async () => {
    const { json: isJson, ...given } = program.opts();
    const named = parameters.map(({ name }, index) => [name, program.args[index]]);
    const { text, json } = await run({ values: { ...given, ...Object.fromEntries(named) }, warn: say });
    process.stdout.write(`${isJson ? JSON.stringify(json) : text}\n`);
  });
}

/** With the code in front, where the error has one of the table of errors. @param {unknown} error */
function reasonOf(error) {
  const { name, code, message } = /** @type {{ name?: string, code?: string, message?: string }} */ (error);
  return name === "Fault" ? `${code}: ${message}` : (message ?? String(error));
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`svc: ${text}\n`);
}
