/** Files and directories that may or may not be there. */
import type { Directory, FileStatus } from "../../ports/files.js";

/** `undefined` where there is nothing of that name. */
export function statusOf(files: Pick<Directory, "status">, path: string): FileStatus | undefined {
  try {
    return files.status(path);
  } catch {
    return undefined; // the port has no other way to say that there is nothing
  }
}

/** The names in a directory, none where there is no directory. */
export function namesIn(files: Directory, path: string): string[] {
  return statusOf(files, path)?.isDirectory() ? [...files.scan(path)] : [];
}

/** Deletes a file, or a directory with all that is in it. Nothing happens where there is nothing. */
export function deleteTree(files: Directory, path: string): void {
  const status = statusOf(files, path);
  if (!status) return;
  if (status.isDirectory()) deleteEntries(files, path);
  files.delete(path);
}

/** A scan does not give all names where they are many. */
function deleteEntries(files: Directory, path: string): void {
  for (let names = [...files.scan(path)]; names.length > 0; names = [...files.scan(path)])
    for (const name of names) deleteTree(files, `${path}/${name}`);
}

/** Makes a directory and those above it, where they are not there. */
export function makeDirectories(files: Directory, path: string): void {
  const names = path.split("/");
  for (let depth = 1; depth <= names.length; depth++) {
    const directory = names.slice(0, depth).join("/");
    if (!statusOf(files, directory)) files.createDirectory(directory);
  }
}
