/**
 * `keys.revoke`: the hub brings a list of revoked keys, and hears what has become of it
 * (docs/spec/hub-push.md#keys-revoke).
 */
import { beforeEach, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import type { HubMessage } from "../../../../protocol/hub/push-messages.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HubRun } from "./emulated-hub.js";

const REVOKE = { type: "keys.revoke", command_id: "one", list: "AQID" } as const satisfies HubMessage;
const result = (error: string | null, command_id = "one") => ({
  type: "keys.revoke.result",
  command_id,
  success: error === null,
  error,
});

const taken: number[][] = [];
let refusal: Fault | undefined;
beforeEach(() => {
  taken.length = 0;
  refusal = undefined;
});
const accept = async (bytes: Uint8Array) => {
  taken.push([...bytes]);
  if (refusal) throw refusal;
  return { number: 1, revoked: 1 };
};
const start = () => new HubRun(flashedStorage(), { revocations: { accept } }).connect();

test("A list is passed on as bytes, each time it arrives", async () => {
  const run = start();
  expect(await run.say(REVOKE)).toEqual([result(null)]);
  expect(await run.say(REVOKE)).toEqual([result(null)]);
  expect(taken).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test("A rejected list has its code as the result", async () => {
  refusal = new Fault("revocations_older", "There is a newer one");
  expect(await start().say(REVOKE)).toEqual([result("revocations_older")]);
});

test("Data that is not base64 is not a list", async () => {
  expect(await start().say({ ...REVOKE, list: "***" })).toEqual([result("revocations_invalid")]);
  expect(taken).toEqual([]);
});

test("A list that cannot be accepted now is accepted later, and a newer one replaces it", async () => {
  const run = start();
  refusal = new Fault("busy", "Not now");
  expect(await run.say(REVOKE)).toEqual([]);
  refusal = undefined;
  expect(await run.say({ ...REVOKE, command_id: "two", list: "BAUG" })).toEqual([
    result("superseded"),
    result(null, "two"),
  ]);
  run.clock.advance(600_000);
  expect(await run.settle()).toEqual([]);
});
