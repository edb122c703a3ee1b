/**
 * Factory reset (docs/spec/home.md#factory-reset): deletes apps, their data, the owner's keys, networks, the hub and tokens. It is recorded,
 * and done at the next start before anything is read, so that a loss of power only puts it off.
 */
import type { Directory } from "../../ports/files.js";
import type { JsonAnswer } from "../api/request.js";
import { PERSONAL_SETTINGS, RESET_SETTING, type Settings } from "../settings/settings.js";
import { deleteTree } from "../storage/stored-files.js";
import { OWNER_KEYS } from "../trust/owner-keys-file.js";
import type { Restart } from "./restart.js";

/** Other keys are no user's: what a device trusts, and what it does not trust any more, survives. */
const PERSONAL_FILES = Object.freeze(["apps", OWNER_KEYS]);

const DONE = "reset to factory settings: apps, keys of the owner, networks, hub and tokens are deleted";

/**
 * Does a reset that was requested. To be called before services read anything.
 * @returns a line for the log if there was one; a reset that fails is tried again at the next start
 */
export function performFactoryReset(settings: Settings, files: Directory): string | undefined {
  if (settings.read(RESET_SETTING) === undefined) return undefined;
  try {
    for (const path of PERSONAL_FILES) deleteTree(files, path);
    for (const path of PERSONAL_SETTINGS) settings.delete(path);
    settings.delete(RESET_SETTING); // the last step: until then it is done again
    return DONE;
  } catch (error) {
    return `the reset to factory settings is not complete: ${String(error)}`;
  }
}

interface RequiredServices {
  readonly restart: Restart;
  readonly settings: Settings;
}

/** @throws {Fault} `storage_full` */
export function resetToFactory({ restart, settings }: RequiredServices): JsonAnswer {
  settings.write(RESET_SETTING, "requested");
  return restart.after({ status: 200, body: { resetting: true } });
}
