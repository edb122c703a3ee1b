/**
 * Lists of revoked keys: the operator gives one, and every console is sent it until its result is in
 * (docs/spec/hub-push.md#revocations-to-all).
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { writeRevocationList } from "../../../protocol/keys/revocation-list.js";
import { Publisher } from "../../hosts/publisher.js";
import { registeredDevice } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { Channel } from "./channel.js";

const signer = new Publisher();
const publicKey = Uint8Array.from(Buffer.from(signer.pem.split("\n")[1] ?? "", "base64").subarray(-32));
const listOf = (number: number) =>
  writeRevocationList({
    ...{ number, keys: [new Uint8Array(32).fill(7)], signer: publicKey },
    sign: (message) => signer.signBytes(message),
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Revoked keys on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub?.stop());

    const give = (list: Uint8Array) => withPublishers(hub.environment, (all) => all.pushRevocations(list));
    const opened = async (token: string) => {
      const channel = await Channel.open(hub.origin, token);
      onTestFinished(() => channel.cut());
      return channel;
    };

    test("reach consoles that are connected, and each that connects until its result is in", async () => {
      const device = await registeredDevice(hub);
      const channel = await opened(device.token);
      const list = listOf(1);
      expect(await give(list)).toEqual({ number: 1, keys: 1 });
      const told = await channel.next("keys.revoke"); // within the interval of a sweep
      expect(Buffer.from(told.list, "base64")).toEqual(Buffer.from(list));
      channel.cut();
      const again = await opened(device.token);
      expect((await again.next("keys.revoke")).command_id).toBe(told.command_id);
      again.send({ type: "keys.revoke.result", command_id: told.command_id, success: true, error: null });
      await again.close();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const quiet = await opened(device.token);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(quiet.messages.map(({ type }) => type)).not.toContain("keys.revoke");
      // A newer list takes its place.
      await give(listOf(2));
      const newer = await quiet.next("keys.revoke");
      expect(newer.command_id).not.toBe(told.command_id);
      expect(Buffer.from(newer.list, "base64")).toEqual(Buffer.from(listOf(2)));
    });

    test("are lists with higher numbers, whose signature holds", async () => {
      await give(listOf(10));
      await expect(give(listOf(10))).rejects.toMatchObject({ code: "revocations_older" });
      await expect(give(listOf(9))).rejects.toMatchObject({ code: "revocations_older" });
      const forged = listOf(11);
      forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
      await expect(give(forged)).rejects.toMatchObject({ code: "revocations_invalid" });
      await expect(give(new Uint8Array(10))).rejects.toMatchObject({ code: "revocations_invalid" });
    });
  });
