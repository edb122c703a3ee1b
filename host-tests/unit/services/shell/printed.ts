/** What a command of the shell prints, for tests that do not look at the code beside it. */
import type { ShellContext } from "../../../../device/services/shell/command.js";
import { runLine, type ShellResult } from "../../../../device/services/shell/shell.js";

export function printed(
  context: Partial<ShellContext>,
  line: string,
  transport: "http" | "usb" = "http",
): string | Promise<string> {
  const caller = { transport, isOwner: transport === "usb", method: "POST" };
  const result = runLine(context as ShellContext, line, caller);
  return result instanceof Promise ? result.then(outputOf) : outputOf(result);
}

const outputOf = ({ output }: ShellResult) => output;
