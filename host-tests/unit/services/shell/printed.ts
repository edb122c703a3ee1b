/** What a command of the shell prints, for tests that do not look at the code beside it. */
import type { Shell, ShellResult } from "../../../../device/services/shell/shell.js";

export function printed(shell: Shell, line: string, transport: "http" | "usb" = "http") {
  const caller = { transport, isOwner: transport === "usb", method: "POST" };
  const result = shell.run(line, caller);
  return result instanceof Promise ? result.then(outputOf) : outputOf(result);
}

const outputOf = ({ output }: ShellResult) => output;
