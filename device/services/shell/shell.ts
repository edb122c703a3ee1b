/**
 * The console's shell (docs/spec/shell.md#run): runs one command line and returns its output. A failed command's
 * message is output, with its code beside it. A line over the limits, or a stranger's GET that would change something,
 * is a fault.
 */

import { Fault, type FaultCode } from "../../../protocol/fault.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer, Request } from "../api/request.js";
import { requireRight } from "../auth/rights.js";
import type { Config } from "../config/options.js";
import type { Caller, Command, ShellContext } from "./command.js";
import { COMMANDS } from "./commands.js";
import { splitWords } from "./words.js";

/** A command's output, each line ended by LF. */
export interface ShellResult {
  readonly output: string;
  /** Code of the failure; left out on success. */
  readonly error?: FaultCode;
}

/** The default caller: any client on the network, with POST. */
const ANYONE: ShellCaller = Object.freeze({ transport: "http", isOwner: false, method: "POST" });

/** The part of a line's request that the shell uses. */
type ShellCaller = Caller & Pick<Request, "method" | "isHead">;

/**
 * Runs one command. Returns a promise if the command is asynchronous.
 * @throws {Fault} `needs_post` for a GET with a command that changes something, unless the owner sends it;
 *   `bad_parameter` for a line that {@link splitWords} rejects
 */
export function runLine(
  context: ShellContext,
  line: string,
  caller: ShellCaller = ANYONE,
): ShellResult | Promise<ShellResult> {
  const words = splitWords(line);
  if (!words) return { output: "A quote is not closed.\n", error: "bad_request" };
  if (words.length === 0) return { output: "" };
  const command = COMMANDS.find((candidate) => isNamed(candidate, words));
  if (!command)
    return { output: `There is no command "${words.join(" ")}". Try "help".\n`, error: "not_found" };
  const rest = words.slice(nameWords(command).length);
  if (caller.method === "GET" && !isReading(command, rest)) requireOwnersGet(caller, command);
  if (rest.length < command.least || rest.length > command.most)
    return { output: `Usage: ${command.usage}\n`, error: "bad_request" };
  try {
    requireRight(caller, command.right);
    const output = command.run(context, rest, caller);
    return typeof output === "string" ? { output } : output.then((text) => ({ output: text }), resultOf);
  } catch (error) {
    return resultOf(error);
  }
}

/** No page can make a browser send the bearer token, or use the cable. */
function requireOwnersGet({ isOwner, isHead = false }: ShellCaller, { name }: Command): void {
  if (!isOwner || isHead) throw new Fault("needs_post", `"${name}" changes the console: use POST /api/cmd`);
}

function isReading({ isReading }: Command, words: readonly string[]): boolean {
  return isReading === "bare" ? words.length === 0 : isReading;
}

/** Turns a fault into output; rethrows any other error, which is a bug. */
function resultOf(error: unknown): ShellResult {
  if (error instanceof Fault) return { output: `${error.message}\n`, error: error.code };
  throw error;
}

function isNamed(command: Command, words: readonly string[]): boolean {
  return nameWords(command).every((word, index) => words[index] === word);
}

function nameWords(command: Command): string[] {
  return command.name.split(" ");
}

// `GET` and `POST /api/cmd`: the GET of who is not the owner runs only commands that read (docs/spec/shell.md#reading).

interface Needed extends ShellContext {
  readonly config: Pick<Config, "CONFIG_SVC_SHELL_WEB_CMD_ENABLE">;
}

/** @throws {Fault} `shell_disabled`, `needs_post` */
export async function runCommand(services: Needed, { parameters, request }: Call): Promise<JsonAnswer> {
  const { config, restart } = services;
  if (!config.CONFIG_SVC_SHELL_WEB_CMD_ENABLE)
    throw new Fault("shell_disabled", "This build does not run shell commands over the network");
  const { output, error } = await runLine(services, parameters.text("c") ?? "", request);
  const answer = { status: 200, body: { output, ...(error && { error }) } };
  return restart.isRequested ? restart.after(answer) : answer;
}
