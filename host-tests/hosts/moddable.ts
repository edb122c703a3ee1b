/**
 * Starts the console in the Moddable SDK's simulator for tests. `host-tests/moddable/run.ts` builds the console, sets
 * the environment variables that locate it, and provides a display.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { boardUnderTest } from "./board.js";

/** True if the tests run against this console instead of our own simulator. */
export const isModdable = process.env["SVC_TEST_HOST"] === "moddable";

/** Board name of the console under test. */
export const BOARD = boardUnderTest?.board ?? (isModdable ? "moddable-simulator" : "simulator");

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the command that starts the console. The console's flags are in the environment, since the command line
 * belongs to the SDK's simulator. `XDG_CONFIG_HOME` is in the state directory, since the simulator copies the
 * libraries that it loads to a directory that all simulators of a user would share.
 */
export function moddableLaunch(flags: readonly string[], state: string): Launch {
  const copies = path.join(state, "mcsim");
  mkdirSync(copies, { recursive: true });
  return {
    command: required("SVC_TEST_MCSIM"),
    args: [required("SVC_TEST_MODDABLE_LIBRARY")],
    environment: {
      SVC_MODDABLE_FLAGS: flags.map(quoted).join(" "),
      XDG_CONFIG_HOME: copies,
      // Within a desktop session, one simulator process opens the consoles of all launches; without D-Bus, each
      // launch is a process.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
    },
  };
}

/** Quotes a flag as one shell word. */
const quoted = (flag: string) => `'${flag.replaceAll("'", "'\\''")}'`;

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: use npm run test:moddable`);
  return value;
}
