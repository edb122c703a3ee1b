/** Runs the command that the arguments name, and converts its result to output and exit status. */
import { CommanderError } from "commander";
import type { Call, Command } from "./command.js";
import { COMMANDS } from "./commands.js";
import { CommandDevice } from "./device/command-device.js";
import { Lifetime } from "./lifetime.js";
import { type Given, programOf } from "./program.js";
import { SvcError } from "./svc-error.js";
import { Output, OutputWatch } from "./terminal/output.js";

const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** @returns exit status */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const isJson = args.includes("--json");
  const watch = new OutputWatch();
  const status = await interpret(args, isJson, watch);
  await watch.settle();
  if (!watch.error) return status;
  new Output({ isJson }).fail(watch.error);
  return FAILED;
}

async function interpret(args: readonly string[], isJson: boolean, watch: OutputWatch): Promise<number> {
  let status = DONE;
  const program = programOf(COMMANDS, { isSilent: isJson }, async (command, given) => {
    status = await runCommand(command, given, watch);
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return DONE; // commander has printed the requested help
    const isUnreported = error.code === "commander.help"; // commander has printed only the help
    if (isJson || isUnreported) new Output({ isJson }).fail(wrongUsage(error, isJson));
    return WRONG_USAGE;
  }
}

/** Converts an error of commander. */
function wrongUsage({ code, message }: CommanderError, isJson: boolean): SvcError {
  const text = code === "commander.help" ? "No command given" : message.replace(/^error: /, "");
  const advice = "`svc --help` lists the commands, `svc COMMAND --help` shows the usage of one.";
  return new SvcError("wrong_usage", text, isJson ? { advice } : {});
}

/** @returns exit status */
async function runCommand(
  command: Command,
  { isJson, ...given }: Given,
  watch: OutputWatch,
): Promise<number> {
  const output = new Output({ isJson });
  const lifetime = new Lifetime();
  watch.onFailure = () => {
    if (watch.error) output.fail(watch.error);
    lifetime.end(watch.error ? FAILED : DONE);
  };
  const console = new CommandDevice({ values: given.values, output, lifetime });
  const call: Call = {
    ...given,
    output,
    warn: (text) => output.warn(text),
    signal: lifetime.signal,
    defer: (close) => lifetime.defer(close),
    device: () => console.device(),
    way: () => console.way(),
  };
  try {
    const interruption = await lifetime.span(perform(command, call));
    if (interruption !== undefined) process.exit(interruption); // even if something still waits
    return DONE;
  } catch (error) {
    output.fail(error);
    return error instanceof SvcError && error.code === "wrong_usage" ? WRONG_USAGE : FAILED;
  } finally {
    watch.onFailure = () => {};
  }
}

async function perform({ run }: Command, call: Call): Promise<void> {
  const outcome = await run(call);
  if (outcome && !call.signal.aborted) call.output.print(outcome);
}
