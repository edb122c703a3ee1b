/**
 * Where `svc` keeps files of its user, by the XDG Base Directory Specification ("Basics"): a relative path in a variable is ignored.
 * Nothing is ever kept in, or read from, the current directory (docs/spec/cli.md#user-files).
 */
import { homedir, userInfo } from "node:os";
import path from "node:path";

/** @returns `undefined` if the user has no home directory */
export function configDirectory(): string | undefined {
  return userDirectory("XDG_CONFIG_HOME", ".config");
}

/** @returns `undefined` if the user has no home directory */
export function stateDirectory(): string | undefined {
  return userDirectory("XDG_STATE_HOME", path.join(".local", "state"));
}

function userDirectory(variable: string, belowHome: string): string | undefined {
  const named = process.env[variable];
  if (named && path.isAbsolute(named)) return path.join(named, "svc");
  const home = [homedir, () => userInfo().homedir].map(directoryOf).find(path.isAbsolute);
  return home && path.join(home, belowHome, "svc");
}

/** `homedir` believes HOME, also where it is empty or relative; `userInfo` asks the database of users. */
function directoryOf(ask: () => string): string {
  try {
    return ask();
  } catch {
    return ""; // a user who is not in the database, as in a container
  }
}
