/**
 * The console in the Moddable SDK's simulator, as tests start it. `host-tests/moddable/run.ts` builds it, says where it
 * is, and gives it a display.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";

/** Set to run the tests on this console instead of our own simulator's. */
export const isModdable = process.env["SVC_TEST_HOST"] === "moddable";

/** Its board name. */
export const BOARD = isModdable ? "moddable-simulator" : "simulator";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Its command line is in the environment, since the simulator's own is not the console's; the simulator keeps a copy of
 * what it loads below a directory that all of a user's would share.
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
      // One simulator shows everything that a session of a desktop opens; it is to be this one.
      DBUS_SESSION_BUS_ADDRESS: "disabled:",
    },
  };
}

/** As a word of a shell. */
const quoted = (flag: string) => `'${flag.replaceAll("'", "'\\''")}'`;

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: use npm run test:moddable`);
  return value;
}
