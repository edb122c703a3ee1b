/** `svc hub account export`: what the hub keeps of your account (docs/spec/hub-api.md#export), one JSON text a line. */
import { type FileHandle, open, rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { exportedEntries } from "../../protocol/account/exported-entries.js";
import { ACCOUNT } from "../../protocol/hub/answers/team.js";
import { mapOf } from "../../protocol/schema.js";
import type { Command } from "../command.js";
import { askAccount } from "../hub/account-request.js";

/** Pause once the token's requests are used up, of which a fleet takes many. */
const PAUSE_MS = 5000;

export const hubExport: Command = Object.freeze<Command>({
  name: "hub account export",
  summary:
    "Write everything that the hub keeps of your account, except tokens and secrets, to a file: one JSON text a line.",
  parameters: [{ name: "FILE", summary: "file, which must not exist", isFile: true }],
  options: [],
  async run({ values: { FILE: file = "" }, signal }) {
    const handle = await open(file, "wx", 0o600);
    try {
      const lines = await writeAll(handle, signal);
      await handle.sync();
      return { text: `exported ${lines} entries to ${file}`, json: { file, entries: lines } };
    } catch (error) {
      await rm(file); // half of it would pass for the whole
      throw error;
    } finally {
      await handle.close();
    }
  },
});

/** @returns the number of lines */
async function writeAll(handle: FileHandle, signal: AbortSignal): Promise<number> {
  let lines = 0;
  const entries = exportedEntries({
    read: (path) => askAccount<object>(path === "/account" ? ACCOUNT : mapOf(undefined), "GET", path),
    pause: () => setTimeout(PAUSE_MS, undefined, { signal }),
  });
  for await (const entry of entries) {
    signal.throwIfAborted();
    await handle.write(`${JSON.stringify(entry)}\n`);
    lines++;
  }
  return lines;
}
