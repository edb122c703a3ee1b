/**
 * The console's shell (section 11 of the decisions): one line in, its output out. Whatever goes wrong in
 * a command is part of the output; the shell itself never throws.
 */
import { Fault } from "../../../protocol/fault.js";
import type { Transport } from "../api/request.js";
import { COMMANDS, type Command, type ShellContext } from "./commands.js";
import { splitWords } from "./words.js";

export class Shell {
  readonly #context: ShellContext;

  constructor(context: ShellContext) {
    this.#context = context;
  }

  /**
   * Runs one command and returns what it printed, each line ended by LF; later, where the command waits for
   * something.
   *
   * @param transport over which the line came; left out: one that anybody may use
   */
  run(line: string, transport: Transport = "http"): string | Promise<string> {
    const words = splitWords(line);
    if (!words) return "A quote is not closed.\n";
    if (words.length === 0) return "";
    const command = COMMANDS.find((candidate) => isNamed(candidate, words));
    if (!command) return `There is no command "${words.join(" ")}". Try "help".\n`;
    return this.#runCommand(command, words.slice(nameWords(command).length), transport);
  }

  #runCommand(command: Command, words: readonly string[], transport: Transport): string | Promise<string> {
    if (words.length < command.least || words.length > command.most) return `Usage: ${command.usage}\n`;
    try {
      const output = command.run(this.#context, words, transport);
      return typeof output === "string" ? output : output.catch(outputOf);
    } catch (error) {
      return outputOf(error);
    }
  }
}

/** A refusal is output; anything else is a bug, and goes on. */
function outputOf(error: unknown): string {
  if (error instanceof Fault) return `${error.message}\n`;
  throw error;
}

function isNamed(command: Command, words: readonly string[]): boolean {
  return nameWords(command).every((word, index) => words[index] === word);
}

function nameWords(command: Command): string[] {
  return command.name.split(" ");
}
