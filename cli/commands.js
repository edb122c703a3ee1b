/** The one table of commands, in the order of the help. */
import { firmwarePack } from "./commands/firmware-pack.js";

/** @type {readonly import("./command.js").Command[]} */
export const COMMANDS = Object.freeze([firmwarePack]);

/** What commands that share their first word are about. @type {Readonly<Record<string, string>>} */
export const GROUPS = Object.freeze({
  firmware: "Firmware of consoles",
});
