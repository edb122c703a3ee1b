/** Receivers of webhooks that a hub must not reach or cannot trust, and processes that die while one has not answered. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CertificateMaker } from "../../hosts/certificates.js";
import { isMissing } from "../../hosts/peers.js";
import { claim, madeAccount, registeredDevice } from "../api/people.js";
import { EMBEDDED_HUB } from "../hosts/hub-under-test.js";
import { eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { asking, attempted, PRIVATE } from "./asking.js";
import { answering, Receiver } from "./receiver.js";

describe("Webhooks of a hub that strangers use", () => {
  test("reach no private address, by a name or by what the row says", async () => {
    const hub = await EMBEDDED_HUB.start();
    onTestFinished(() => hub.stop());
    const receiver = await Receiver.start();
    const account = await madeAccount(hub);
    const api = asking(hub, account.token);
    for (const url of [receiver.url, `https://127.0.0.1:${receiver.port}/`, "https://[::1]/"])
      expect((await api.ask("POST", "", { url, events: ["device.claimed"] })).status).toBe(400);
    const named = await api.add(`https://localhost:${receiver.port}/`);
    const literal = await api.add("https://hooks.invalid/");
    await withDatabase(hub, (database) =>
      database
        .updateTable("webhooks")
        .set({ url: receiver.url })
        .where("id", "=", literal.webhook_id)
        .execute(),
    );
    for (const webhook of [named, literal]) {
      await api.test(webhook);
      const [delivery] = await attempted(api, webhook, 1);
      expect(["address_refused", "connection_failed"]).toContain(delivery?.error);
    }
    expect((await api.deliveries(literal))[0]?.error).toBe("address_refused");
    expect(receiver.connections).toBe(0);
  });
});

describe.skipIf(isMissing("openssl"))("Webhooks over TLS", () => {
  test("reach a receiver whose certificate is right, and no other", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "webhooks-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const maker = new CertificateMaker(directory);
    const issuer = maker.make({ commonName: "Authority", isAuthority: true });
    const certificate = (name: string) => maker.make({ commonName: name, names: [`DNS:${name}`], issuer });
    const hub = await EMBEDDED_HUB.start({
      environment: { ...PRIVATE, NODE_EXTRA_CA_CERTS: maker.save(issuer) },
    });
    onTestFinished(() => hub.stop());
    const api = asking(hub, (await madeAccount(hub)).token);
    const right = await Receiver.start(answering(204), certificate("localhost"));
    const wrong = await Receiver.start(answering(204), certificate("other.example"));
    const outcome = async ({ port }: Receiver) => {
      const webhook = await api.add(`https://localhost:${port}/`);
      await api.test(webhook);
      const [delivery] = await attempted(api, webhook, 1);
      return delivery?.error ?? delivery?.status;
    };
    expect([await outcome(right), await outcome(wrong)]).toEqual([204, "certificate_invalid"]);
    expect(wrong.received).toEqual([]);
  });
});

describe("Webhooks of a process that dies", () => {
  test("get what happened before, once their turn's lease has ended", async () => {
    const hub = await EMBEDDED_HUB.start({ environment: PRIVATE });
    onTestFinished(() => hub.stop());
    const [process] = hub.processes;
    const receiver = await Receiver.start(() => {}); // the process dies while it waits for the answer
    const account = await madeAccount(hub);
    const api = asking(hub, account.token);
    const webhook = await api.add(receiver.url, ["device.claimed"]);
    const device = await registeredDevice(hub);
    await claim(hub, account, device.claimCode);
    await eventually(
      async () => receiver.received.length,
      (count) => count > 0,
    );
    await process?.kill();
    await withDatabase(hub, (database) => database.updateTable("webhooks").set({ lease_until: 1 }).execute());
    receiver.answer = answering(204);
    await process?.restart();
    const [delivery] = await eventually(
      () => api.deliveries(webhook),
      ([first]) => first?.state === "delivered",
    );
    expect(delivery).toMatchObject({ attempts: 1, status: 204 });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  test("are sent again soon after a process that ends in order", async () => {
    const hub = await EMBEDDED_HUB.start({ environment: PRIVATE });
    onTestFinished(() => hub.stop());
    const [process] = hub.processes;
    const receiver = await Receiver.start(() => {});
    const api = asking(hub, (await madeAccount(hub)).token);
    const webhook = await api.add(receiver.url);
    await api.test(webhook);
    await eventually(
      async () => receiver.received.length,
      (count) => count > 0,
    );
    expect(await process?.stop()).toBe(0);
    receiver.answer = answering(204);
    await process?.restart();
    const [delivery] = await eventually(
      () => api.deliveries(webhook),
      ([first]) => first?.state === "delivered",
    );
    expect(delivery).toMatchObject({ attempts: 1 }); // it has not waited for the answer to the other one
    expect(receiver.received).toHaveLength(2);
  });
});
