/** The push channel (docs/spec/hub-push.md#channel): whom it accepts and disconnects, and what it stores. */
import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, madeAccount, registeredDevice } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually, recordOf } from "./channel.js";
import { withDatabase } from "./database-of.js";

const STATUS = {
  type: "device.status",
  firmware_version: "1.4.0",
  free_heap_bytes: 123456,
  running_apps: ["tetris"],
  wifi_rssi: -51,
};

/** The answer to a request for a WebSocket that is refused. */
function refusal(origin: string, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: unknown }>(
    (resolve, reject) => {
      const asking = httpRequest(`${origin}${path}`, {
        headers: {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
          ...headers,
        },
      });
      asking.on("upgrade", () => reject(new Error("It was let in")));
      asking.on("error", reject);
      asking.on("response", async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const body = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      asking.end();
    },
  );
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The push channel on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_LOG_LEVEL: "debug" } });
    });
    afterAll(() => hub.stop());

    for (const token of ["", "nonsense", randomUUID(), randomUUID().toUpperCase(), "%00"])
      test(`rejects the token ${JSON.stringify(token)} before it opens`, async () => {
        const { status, headers, body } = await refusal(hub.origin, `/ws/device/${token}`);
        expect(status).toBe(401);
        expect(headers["content-type"]).toBe("application/json");
        expect(headers["www-authenticate"]).toBe("Bearer");
        expect(body).toEqual({ error: "unauthorized", message: expect.any(String) });
      });

    test("rejects an account's token", async () => {
      const { token } = await madeAccount(hub);
      expect((await refusal(hub.origin, `/ws/device/${token}`)).status).toBe(401);
    });

    test("exists at no other path", async () => {
      const { token } = await registeredDevice(hub);
      for (const path of [
        "/ws",
        "/",
        `/ws/device/${token}/`,
        `/ws/device/${token}/more`,
        `/x/ws/device/${token}`,
      ]) {
        const { status, body } = await refusal(hub.origin, path);
        expect([status, (body as { error: string }).error]).toEqual([404, "not_found"]);
      }
    });

    for (const prefix of ["", "/api/v1"])
      test(`exists at ${prefix}/ws/device/{token}, and first reports whether the device is claimed`, async () => {
        const { token } = await registeredDevice(hub);
        const channel = await Channel.open(hub.origin, token, { prefix });
        expect(channel.messages).toEqual([{ type: "device.claimed", claimed: false }]);
        await channel.close();
      });

    // docs/spec/hub-push.md#channel-bearer
    for (const prefix of ["", "/api/v1"])
      test(`exists at ${prefix}/ws/device with the token in Authorization, as a registration offers`, async () => {
        const { token } = await registeredDevice(hub);
        const channel = await Channel.open(hub.origin, token, { prefix, isInField: true });
        expect(channel.messages).toEqual([{ type: "device.claimed", claimed: false }]);
        await channel.close();
      });

    for (const authorization of [undefined, "Bearer", "Basic eDp5", `Bearer ${randomUUID()}`])
      test(`rejects Authorization ${authorization} before it opens`, async () => {
        const { status, headers } = await refusal(
          hub.origin,
          "/ws/device",
          authorization === undefined ? {} : { authorization },
        );
        expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
      });

    test("reports a claim and a release, whichever process handles it", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      const account = await madeAccount(hub);
      await claim(hub, account, device.claimCode);
      expect(await channel.next("device.claimed")).toEqual({ type: "device.claimed", claimed: true });
      await request(hub.origin, "DELETE", `/account/devices/${device.deviceId}`, account);
      expect(await channel.next("device.claimed")).toEqual({ type: "device.claimed", claimed: false });
      await channel.close();
    });

    test("stores the last status, and its firmware version", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      channel.send({ ...STATUS, free_heap_bytes: 1 });
      channel.send({ ...STATUS, unknown: "member" });
      const { type: _, ...status } = STATUS;
      const record = await eventually(
        () => recordOf(hub.origin, device),
        (found) => found.status?.free_heap_bytes === STATUS.free_heap_bytes,
      );
      expect(record.status).toEqual(status);
      expect(record.firmware_version).toBe("1.4.0");
      await channel.close();
    });

    const MALFORMED: readonly (readonly [string, string | Uint8Array])[] = [
      ["a message that is not JSON", "{"],
      ["a binary message", new Uint8Array([1, 2, 3])],
      ["deeply nested JSON", `${"[".repeat(1000)}${"]".repeat(1000)}`],
      ["an invalid status", JSON.stringify({ ...STATUS, firmware_version: "1.0" })],
      [
        "a result with neither success nor failure",
        JSON.stringify({ type: "app.install.result", app_id: "a", error: "busy" }),
      ],
    ];
    for (const [what, data] of MALFORMED)
      test(`tolerates ${what} once, and closes (1008) after repetitions`, async () => {
        const device = await registeredDevice(hub);
        const channel = await Channel.open(hub.origin, device.token);
        channel.sendRaw(data);
        channel.send(STATUS);
        await eventually(
          () => recordOf(hub.origin, device),
          ({ status }) => status !== null,
        );
        expect(channel.isOpen).toBe(true);
        for (let times = 0; times < 5; times++) channel.sendRaw(data);
        expect(await channel.closed).toBe(1008);
      });

    test("ignores messages of unknown types", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      for (let times = 0; times < 20; times++) channel.send({ type: "device.mood", mood: "good" });
      channel.send(STATUS);
      await eventually(
        () => recordOf(hub.origin, device),
        ({ status }) => status !== null,
      );
      expect(channel.isOpen).toBe(true);
      await channel.close();
    });

    test("accepts a message of 64 KiB, and closes (1009) on a longer one", async () => {
      const { token } = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, token);
      const message = (bytes: number) => JSON.stringify({ type: "x".repeat(bytes - '{"type":""}'.length) });
      channel.sendRaw(message(64 * 1024));
      channel.sendRaw(message(64 * 1024 + 1));
      expect(await channel.closed).toBe(1009);
    });

    test("closes (1008) on a device that sends without a pause", async () => {
      const { token } = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, token);
      for (let times = 0; times < 6000; times++) channel.send({ type: "a" });
      expect(await channel.closed).toBe(1008);
    });

    test("of a device that connects again replaces the previous one (4000), on any process", async () => {
      const device = await registeredDevice(hub);
      for (const origin of hub.origins) {
        const first = await Channel.open(hub.origins[0] as string, device.token);
        const second = await Channel.open(origin, device.token);
        expect(await first.closed).toBe(4000);
        expect((await recordOf(hub.origin, device)).online).toBe(true);
        expect(second.isOpen).toBe(true);
        await second.close();
      }
    });

    test("is one per device, however many are opened at once", async () => {
      const device = await registeredDevice(hub);
      const channels = await Promise.all(
        Array.from({ length: 12 }, () => Channel.open(hub.origin, device.token)),
      );
      await eventually(
        async () => channels.filter(({ isOpen }) => isOpen),
        (open) => open.length === 1,
      );
      const codes = await Promise.all(channels.filter(({ isOpen }) => !isOpen).map(({ closed }) => closed));
      expect(codes).toEqual(Array(11).fill(4000));
      expect((await recordOf(hub.origin, device)).online).toBe(true);
      await Promise.all(channels.filter(({ isOpen }) => isOpen).map((channel) => channel.close()));
    });

    test("is opened anew if the database has lost its number, and then brings commands", async () => {
      const device = await registeredDevice(hub);
      await (await Channel.open(hub.origin, device.token)).close();
      await eventually(
        () => recordOf(hub.origin, device),
        ({ online }) => !online,
      );
      const deaf = await Channel.open(hub.origin, device.token);
      // As after a failover to a replica that has not got the last connection.
      await withDatabase(hub, (database) =>
        database
          .updateTable("devices")
          .set((row) => ({ connection: row("connection", "-", 1) }))
          .where("id", "=", device.deviceId)
          .execute(),
      );
      await claim(hub, await madeAccount(hub), device.claimCode); // so that its process looks at it now
      expect(await deaf.closed).toBe(1013);
      const heard = await Channel.open(hub.origin, device.token);
      await request(hub.origin, "DELETE", "/devices/me/apps/tetris", device);
      heard.answer(await heard.next("app.uninstall"));
      await heard.close();
    });

    test("never logs the token", async () => {
      const device = await registeredDevice(hub);
      const channel = await Channel.open(hub.origin, device.token);
      channel.sendRaw("garbage");
      await refusal(hub.origin, `/ws/device/${device.token}/`);
      await channel.close();
      for (const process of hub.processes) expect(process.stderr.join("\n")).not.toContain(device.token);
    });
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The end of ${name}`, () => {
    test("closes the channel (1001), and devices are then offline", async () => {
      const hub = await start();
      try {
        const device = await registeredDevice(hub);
        const channel = await Channel.open(hub.origins[0] as string, device.token);
        channel.send(STATUS);
        await hub.processes[0]?.stop();
        expect(await channel.closed).toBe(1001);
        await hub.processes[0]?.restart();
        const record = await recordOf(hub.origins[0] as string, device);
        expect(record).toMatchObject({ online: false, status: { free_heap_bytes: 123456 } });
      } finally {
        await hub.stop();
      }
    });
  });
