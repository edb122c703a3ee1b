/** The shell commands `app …` (docs/reference/shell.md). */
import type { LastExit } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { MORE_FILES, type ScanResult } from "../apps/drive-install.js";
import type { Caller, ShellContext } from "./command.js";
import { LIST_LIMIT_CHARACTERS, locate, requireReadable } from "./file-commands.js";

/** List one app per line, as many as fit the limit: a line may have the message of a trap. */
export function listApps({ apps }: ShellContext): string {
  const { names } = apps;
  if (names.length === 0) return "No app is installed.\n";
  let [nameWidth, versionWidth] = [0, 0];
  for (const name of names) {
    nameWidth = Math.max(nameWidth, name.length);
    versionWidth = Math.max(versionWidth, apps.summary(name).version.length);
  }
  let output = "";
  for (let index = 0; index < names.length; index++) {
    const { name, version, state, last_exit } = apps.entry(names[index] as string);
    const exit = last_exit ? `  last exit: ${describeExit(last_exit)}` : "";
    const line = `${name.padEnd(nameWidth)}  ${version.padEnd(versionWidth)}  ${state}${exit}\n`;
    if (output.length + line.length > LIST_LIMIT_CHARACTERS)
      return `${output}(and ${names.length - index} more)\n`;
    output += line;
  }
  return output;
}

/** Show the running apps. */
export function showAppStatus({ apps }: ShellContext): string {
  const rows = apps.names
    .filter((name) => apps.isRunning(name))
    .map((each) => {
      const { name, version, engine = "", foreground, suspended } = apps.entry(each);
      return [name, version, engine, foreground ? "in front" : suspended ? "suspended" : ""];
    });
  return table(rows, "No app is running.\n");
}

/** @throws {Fault} also `unauthorized`: what a file is refused for tells what is in it, and that it is there */
export async function installApp(
  { files, hardware, installs }: ShellContext,
  [path = ""]: readonly string[],
  caller: Caller,
): Promise<string> {
  const { root, rest } = locate(path);
  if (root === "lfs") requireReadable(caller, rest);
  const drive = root === "lfs" ? files : hardware.drives[root];
  if (!drive) throw new Fault("file_not_found", `No drive is at "/${root}".`);
  const { name, version } = await installs.installFile(drive, rest);
  return `Installed ${name} ${version}.\n`;
}

export function startApp({ apps }: ShellContext, [name = ""]: readonly string[]): string {
  apps.start(name);
  return `Started ${name}.\n`;
}

export function bringAppToFront({ apps }: ShellContext, [name = ""]: readonly string[]): string {
  apps.bringToFront(name);
  return `${name} is in front.\n`;
}

/** Let an app run in the background, or no longer. */
export function allowBackground({ apps }: ShellContext, [name = "", choice]: readonly string[]): string {
  if (choice !== "on" && choice !== "off")
    throw new Fault("bad_parameter", `"${choice}" is neither "on" nor "off".`);
  apps.allowBehind(name, choice === "on");
  return choice === "on" ? `${name} may run in the background.\n` : `${name} runs only in front.\n`;
}

export async function stopApp({ apps }: ShellContext, [name = ""]: readonly string[]): Promise<string> {
  await apps.stop(name);
  return `Stopped ${name}.\n`;
}

export async function uninstallApp({ apps }: ShellContext, [name = ""]: readonly string[]): Promise<string> {
  await apps.uninstall(name);
  return `Uninstalled ${name}.\n`;
}

export async function scanUsb({ hardware, installs }: ShellContext): Promise<string> {
  const { usb } = hardware.drives;
  if (!usb) return "No USB drive is attached.\n";
  let output = "";
  let left = 0;
  const hasMore = await installs.scan(usb, (result) => {
    const line = describeResult(result);
    if (left > 0 || output.length + line.length > LIST_LIMIT_CHARACTERS) left++;
    else output += line;
  });
  if (left > 0) output += `(and ${left} more, which the log has)\n`;
  if (hasMore) output += `${MORE_FILES}\n`;
  return output === "" ? "The USB drive has no apps.\n" : output;
}

function describeResult({ file, entry, refusal }: ScanResult): string {
  const what = entry ? `installed ${entry.name} ${entry.version}` : refusal?.message;
  return `${file}: ${what}\n`;
}

function describeExit({ reason, code, message }: LastExit): string {
  return [reason, code, message].filter((part) => part !== undefined).join(" ");
}

/** @param none the output without rows */
function table(rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none;
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
