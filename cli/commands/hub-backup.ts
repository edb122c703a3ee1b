/** `svc hub backup` and `svc hub restore`: the hub in this environment, as a directory (hub/backup). */
import type { BackupDescription } from "../../hub/backup/backup-format.js";
import type { Command } from "../command.js";
import { explained, withOperator } from "./hub-publisher.js";

const DIRECTORY = { name: "DIR", summary: "directory of the backup", isFile: true };

export const hubBackup: Command = Object.freeze<Command>({
  name: "hub backup",
  summary: "Back up the hub, which may run, with its files and tokens; keep the backup as secret as the hub.",
  parameters: [{ ...DIRECTORY, summary: "directory of the backup, which is created" }],
  options: [],
  async run({ values: { DIR: directory = "" } }) {
    return described("backed up", await withOperator(({ backUp }) => backUp(directory)));
  },
});

export const hubRestore: Command = Object.freeze<Command>({
  name: "hub restore",
  summary:
    "Create a hub from a backup, in an environment without one; its database may be of the other kind.",
  parameters: [DIRECTORY],
  options: [],
  async run({ values: { DIR: directory = "" } }) {
    const { restoreHub } = await import("../../hub/backup/restore.js"); // loads the database drivers
    try {
      return described("restored", await restoreHub(process.env, directory));
    } catch (error) {
      throw explained(error);
    }
  },
});

function described(done: string, { hub_id, created_at, tables, files }: BackupDescription) {
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const text = `${done} hub ${hub_id}: ${rows} rows, ${files.length} files, as of ${created_at}`;
  return { text, json: { hub_id, created_at, rows, files: files.length } };
}
