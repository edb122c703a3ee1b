/**
 * Where apps are in the file system:
 *
 * ```
 * apps/NAME/app.json       what is installed; an app is there when this file is
 * apps/NAME/7.wasm         its module, prepared; 7 counts installs of this app
 * apps/NAME/7.bmp          its icon
 * apps/NAME/8.xtensa.aot   a variant that was added later
 * apps/NAME/last-exit.json
 * apps/NAME/data/KEY       what it has stored
 * apps/.staging/           the install under way
 * ```
 */
export const APPS = "apps";
export const STAGING = `${APPS}/.staging`;

export function appDirectory(name: string): string {
  return `${APPS}/${name}`;
}

export function recordPath(name: string): string {
  return `${APPS}/${name}/app.json`;
}

export function lastExitPath(name: string): string {
  return `${APPS}/${name}/last-exit.json`;
}

export function dataDirectory(name: string): string {
  return `${APPS}/${name}/data`;
}

/** The value that is being written; no key can be named so. */
export const UNFINISHED_VALUE = ".next";

export function unfinishedValuePath(name: string): string {
  return `${dataDirectory(name)}/${UNFINISHED_VALUE}`;
}

/** Names in an app's directory that belong to it regardless of its record. */
export const KEPT_NAMES: readonly string[] = Object.freeze(["app.json", "last-exit.json", "data"]);
