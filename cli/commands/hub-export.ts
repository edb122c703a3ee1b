/**
 * `svc hub account export`: what the hub keeps of your account (docs/spec/hub-api.md#export), one JSON text a line. It reads the
 * lists that any program may read, so that nothing has a second way out of the hub.
 */
import { type FileHandle, open, rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Command } from "../command.js";
import { askAccount, newestEntries, pathId } from "../hub/account-request.js";
import { HubRefusal } from "../hub/request.js";

/** More than any list of an account has. */
const ALL = Object.freeze({ limit: "999999" });

/** Lists of the account, by the kind of their entries. */
const LISTS = Object.freeze({
  member: { path: "/account/members", member: "members" },
  token: { path: "/account/tokens", member: "tokens" },
  group: { path: "/account/groups", member: "groups" },
  webhook: { path: "/account/webhooks", member: "webhooks" },
  audit: { path: "/account/audit", member: "entries" },
});

/** Lists of each console. */
const OF_DEVICE = Object.freeze({
  app: { path: "apps", member: "apps" },
  command: { path: "commands", member: "commands" },
  event: { path: "history", member: "events" },
});

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
  const patiently = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    for (;;)
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof HubRefusal && error.code === "too_many_attempts")) throw error;
        await setTimeout(PAUSE_MS, undefined, { signal });
      }
  };
  const write = async (kind: string, entry: object, of: object = {}) => {
    signal.throwIfAborted();
    await handle.write(`${JSON.stringify({ [kind]: entry, ...of })}\n`);
    lines++;
  };
  const list = (path: string, member: string) =>
    patiently(async () => (await newestEntries<object>(path, member, ALL)).entries);
  await write("account", await patiently(() => askAccount<object>("GET", "/account")));
  for (const [kind, { path, member }] of Object.entries(LISTS))
    for (const entry of await list(path, member)) await write(kind, entry);
  const devices = (await list("/account/devices", "devices")) as readonly { readonly device_id: string }[];
  for (const device of devices) {
    const { device_id } = device;
    await write("device", device);
    for (const [kind, { path, member }] of Object.entries(OF_DEVICE))
      for (const entry of await list(`/devices/${pathId(device_id)}/${path}`, member))
        await write(kind, entry, { device_id });
  }
  const rollouts = (await list("/rollouts", "rollouts")) as readonly { readonly rollout_id: string }[];
  for (const rollout of rollouts) {
    const { rollout_id } = rollout;
    await write("rollout", rollout);
    for (const entry of await list(`/rollouts/${pathId(rollout_id)}/devices`, "devices"))
      await write("rollout_device", entry, { rollout_id });
  }
  return lines;
}
