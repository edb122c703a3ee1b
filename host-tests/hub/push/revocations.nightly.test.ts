/**
 * Lists of revoked keys: the operator gives one, and every console is sent it until it has it
 * (docs/spec/hub-push.md#revocations-to-all).
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { withPublishers } from "../../../hub/operator.js";
import { writeRevocationList } from "../../../protocol/keys/revocation-list.js";
import { Publisher } from "../../hosts/publisher.js";
import { registeredDevice } from "../api/people.js";
import { BOTH_HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { Channel, type Message } from "./channel.js";

/** A sweep of the hub (hub/push/push-channel.ts) and a little more. */
const SWEEP_MS = 5300;
/** For what is on its way. */
const SETTLED_MS = 300;

const signer = new Publisher();
const publicKey = Uint8Array.from(Buffer.from(signer.pem.split("\n")[1] ?? "", "base64").subarray(-32));
const listOf = (number: number) =>
  writeRevocationList({
    number,
    keys: [new Uint8Array(32).fill(7)],
    signer: publicKey,
    sign: (message) => signer.signBytes(message),
  });

for (const { name, missing, start } of BOTH_HUBS)
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

    /** Waits until a new connection is not sent the list: another process may store the answer of the one before it. */
    const isSettled = (token: string) =>
      expect
        .poll(async () => {
          const channel = await opened(token);
          await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
          await channel.close();
          return channel.messages.every(({ type }) => type !== "keys.revoke");
        })
        .toBe(true);

    test("are sent to connected consoles, and at each connection until accepted", async () => {
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
      await isSettled(device.token);
      const quiet = await opened(device.token);
      // A newer list takes its place.
      await give(listOf(2));
      const newer = await quiet.next("keys.revoke");
      expect(newer.command_id).not.toBe(told.command_id);
      expect(Buffer.from(newer.list, "base64")).toEqual(Buffer.from(listOf(2)));
    });

    const status = (firmware_version: string) => ({ type: "device.status", firmware_version });
    /** Waits for a list, past those before it, and answers it. @returns how often it has come `waitMs` later */
    const answered = async (channel: Channel, number: number, error: string | null, waitMs = SETTLED_MS) => {
      const list = Buffer.from(listOf(number)).toString("base64");
      const isIt = (message: Message) => message.type === "keys.revoke" && message.list === list;
      let told = await channel.next("keys.revoke");
      while (!isIt(told)) told = await channel.next("keys.revoke");
      const { command_id } = told;
      channel.send({ type: "keys.revoke.result", command_id, success: error === null, error });
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return channel.messages.filter(isIt).length;
    };
    test("are sent again at the next connection to a console that rejected them, until accepted", async () => {
      await give(listOf(3));
      const refuse = async (error: string) => {
        const device = await registeredDevice(hub);
        const first = await opened(device.token);
        expect(await answered(first, 3, error, SWEEP_MS)).toBe(1); // once over one connection
        await first.close();
        const second = await opened(device.token);
        expect(await answered(second, 3, null)).toBe(1);
        await second.close();
        await isSettled(device.token);
      };
      await Promise.all(["storage_full", "signature_invalid"].map(refuse));
    });

    test("are not sent to a console that has newer ones", async () => {
      const device = await registeredDevice(hub);
      await give(listOf(5));
      const channel = await opened(device.token);
      expect(await answered(channel, 5, "revocations_older")).toBe(1);
      await channel.close();
      await isSettled(device.token);
    });

    test("that were rejected are sent again when the console reports other firmware", async () => {
      const device = await registeredDevice(hub);
      await give(listOf(6));
      const channel = await opened(device.token);
      channel.send(status("1.0.0"));
      expect(await answered(channel, 6, "signature_invalid")).toBe(1);
      channel.send(status("1.0.0"));
      channel.send(status("1.1.0"));
      expect(await answered(channel, 6, "signature_invalid")).toBe(2);
      channel.send(status("1.1.0"));
      channel.send(status("1.2.0"));
      expect(await answered(channel, 6, null)).toBe(3);
      const { length } = channel.messages;
      channel.send(status("1.3.0"));
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      expect(channel.messages.length).toBe(length);
    });

    test("must have rising numbers and a valid signature", async () => {
      await give(listOf(10));
      await expect(give(listOf(10))).rejects.toMatchObject({ code: "revocations_older" });
      await expect(give(listOf(9))).rejects.toMatchObject({ code: "revocations_older" });
      const forged = listOf(11);
      forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
      await expect(give(forged)).rejects.toMatchObject({ code: "revocations_invalid" });
      await expect(give(new Uint8Array(10))).rejects.toMatchObject({ code: "revocations_invalid" });
    });
  });
