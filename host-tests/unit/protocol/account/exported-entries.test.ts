/** The export of an account (docs/spec/hub-api.md#export), from answers that a hub gives. */
import { expect, test } from "vitest";
import { exportedEntries } from "../../../../protocol/account/exported-entries.js";

class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A hub that has these answers by path, without the number of entries of a page, and no entries in all other lists. */
class Answers {
  readonly asked: string[] = [];
  readonly #answers: Readonly<Record<string, object>>;
  constructor(answers: Readonly<Record<string, object>>) {
    this.#answers = answers;
  }
  readonly read = async (path: string): Promise<object> => {
    const place = path.replace(/\?per_page=100$/, "").replace("?per_page=100&", "?");
    this.asked.push(place);
    const answer = this.#answers[place] ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

const NO_PAUSE = async () => {
  throw new Error("There is nothing to wait for");
};

async function all(entries: AsyncIterable<object>): Promise<readonly object[]> {
  const found: object[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

test("each entry is of its kind, with what it belongs to", async () => {
  const { read } = new Answers({
    "/account": { account_id: "a" },
    "/account/members": { members: [{ member_id: "m" }] },
    "/account/devices": { devices: [{ device_id: "d" }] },
    "/devices/d/commands": { commands: [{ command_id: "c" }] },
    "/rollouts": { rollouts: [{ rollout_id: "r" }] },
    "/rollouts/r/devices": { devices: [{ device_id: "d", state: "failed" }] },
  });
  expect(await all(exportedEntries({ read, pause: NO_PAUSE }))).toEqual([
    { account: { account_id: "a" } },
    { member: { member_id: "m" } },
    { device: { device_id: "d" } },
    { command: { command_id: "c" }, device_id: "d" },
    { rollout: { rollout_id: "r" } },
    { rollout_device: { device_id: "d", state: "failed" }, rollout_id: "r" },
  ]);
});

test("the next page of a list is read once all entries of the page before are taken", async () => {
  const hub = new Answers({
    "/account/audit": { entries: [{ at: 1 }, { at: 2 }], next: "a b" },
    "/account/audit?after=a%20b": { entries: [{ at: 3 }] },
  });
  const entries = exportedEntries({ read: hub.read, pause: NO_PAUSE });
  const taken: unknown[] = [];
  for await (const entry of entries) {
    taken.push(entry);
    if (taken.length === 3) expect(hub.asked.at(-1)).toBe("/account/audit");
    if (taken.length === 4) expect(hub.asked.at(-1)).toBe("/account/audit?after=a%20b");
  }
  expect(taken.slice(1)).toEqual([{ audit: { at: 1 } }, { audit: { at: 2 } }, { audit: { at: 3 } }]);
});

test("requests that are used up are waited for, and no entry is missed or repeated", async () => {
  let refusals = 0;
  let pauses = 0;
  const { read } = new Answers({ "/account/members": { members: [{ member_id: "m" }] } });
  const strict = async (path: string) => {
    if (path.startsWith("/account/members") && refusals++ < 2) throw new Refusal("too_many_attempts");
    return read(path);
  };
  const pause = async () => {
    pauses++;
  };
  expect(await all(exportedEntries({ read: strict, pause }))).toEqual([
    { account: {} },
    { member: { member_id: "m" } },
  ]);
  expect(pauses).toBe(2);
});

test("a console that is released meanwhile is left with what was read of it", async () => {
  const { read } = new Answers({
    "/account/devices": { devices: [{ device_id: "d" }, { device_id: "e" }] },
    "/devices/d/apps": { apps: [{ app_id: "bricks" }] },
    "/devices/d/commands": new Refusal("device_not_found"),
    "/devices/d/history": new Refusal("device_not_found"),
    "/rollouts": { rollouts: [{ rollout_id: "r" }] },
    "/rollouts/r/devices": new Refusal("rollout_not_found"),
  });
  expect(await all(exportedEntries({ read, pause: NO_PAUSE }))).toEqual([
    { account: {} },
    { device: { device_id: "d" } },
    { app: { app_id: "bricks" }, device_id: "d" },
    { device: { device_id: "e" } },
    { rollout: { rollout_id: "r" } },
  ]);
});

test("any other refusal ends the export", async () => {
  const { read } = new Answers({ "/account/groups": new Refusal("forbidden") });
  await expect(all(exportedEntries({ read, pause: NO_PAUSE }))).rejects.toThrow("forbidden");
});

test.each(["..", "a/b", "a?b", "", 7])("no request goes to an id such as %j", async (device_id) => {
  const hub = new Answers({ "/account/devices": { devices: [{ device_id }] } });
  await expect(all(exportedEntries({ read: hub.read, pause: NO_PAUSE }))).rejects.toThrow("no device_id");
  expect(hub.asked.at(-1)).toBe("/account/devices");
});
