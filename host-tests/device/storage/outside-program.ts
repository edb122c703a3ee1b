/** Tries what is not of the console in its file system, and traces what can be seen and done. */
import files from "embedded:storage/files";

export default function main(): void {
  trace(`${JSON.stringify([...files.scan()].sort())}\n`);
  for (const name of ["link-to-file", "link-to-directory", "link-to-nothing", "link-inside", "pipe"])
    for (const [what, attempt] of Object.entries(attemptsOn(name))) {
      if (succeeds(attempt)) trace(`${JSON.stringify(`${what} ${name}`)}\n`);
    }
  trace("done\n");
}

function attemptsOn(name: string): Record<string, () => unknown> {
  return {
    read: () => files.openFile({ path: name }).read(new Uint8Array(1), 0),
    empty: () => files.openFile({ path: name, mode: "w" }),
    change: () => files.openFile({ path: name, mode: "r+" }).write(Uint8Array.of(1), 0),
    enter: () => files.openDirectory({ path: name }),
    list: () => [...files.scan(name)],
    "look at": () => files.status(name),
    "look into": () => files.status(`${name}/inside`),
    "write into": () => files.openFile({ path: `${name}/new`, mode: "w" }),
    "make in": () => files.createDirectory(`${name}/new`),
    make: () => files.createDirectory(name),
    move: () => files.move(name, "elsewhere"),
    "move into": () => files.move("own", `${name}/own`),
  };
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false; // refused, as it should be
  }
}
