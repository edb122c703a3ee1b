/** PostgreSQL or NATS restart during requests: no confirmed change is lost, and the hub recovers. */
import { afterAll, assert, beforeAll, beforeEach, describe, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { heldDevice, madeAccount } from "../api/people.js";
import { TestPublisher } from "../devices/published.js";
import { HubProcess } from "../hosts/hub-process.js";
import { HubUnderTest } from "../hosts/hub-under-test.js";
import { OwnNats } from "../hosts/own-nats.js";
import { OwnPostgres } from "../hosts/own-postgres.js";
import { request } from "../hosts/request.js";
import { Channel, ended, eventually } from "../push/channel.js";

/** Creates accounts, one after the other at every process, until stopped. */
class Load {
  readonly tokens: string[] = [];
  readonly statuses: number[] = [];
  #isEnding = false;
  readonly #running: Promise<unknown>;

  constructor(origins: readonly string[]) {
    this.#running = Promise.all(origins.map((origin) => this.#load(origin)));
  }

  async #load(origin: string): Promise<void> {
    while (!this.#isEnding) {
      const { status, body } = await request(origin, "POST", "/accounts");
      if (status === 201) this.tokens.push(body.account_token);
      this.statuses.push(status);
    }
  }

  /** Until an answer with this status comes. */
  async answers(status: number): Promise<void> {
    const from = this.statuses.length;
    await eventually(
      async () => this.statuses.indexOf(status, from),
      (at) => at >= 0,
    );
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
  }
}

const missing = isMissing("postgres-server") || isMissing("nats-server");

describe.skipIf(missing)("A hub of three processes", () => {
  let postgres: OwnPostgres;
  let nats: OwnNats;
  let hub: HubUnderTest;
  let pids: readonly number[];
  beforeAll(async () => {
    [postgres, nats] = await Promise.all([OwnPostgres.start(), OwnNats.start()]);
    const { url } = await postgres.createDatabase();
    const environment = { SVC_HUB_DATABASE_URL: url, SVC_HUB_NATS_URL: nats.url };
    hub = await HubUnderTest.start(3, { environment, release: async () => {} });
    pids = hub.processes.map(({ pid }) => pid);
  });
  afterAll(async () => {
    await hub?.stop();
    await Promise.all([postgres?.remove(), nats?.stop()]);
  });

  const isKnown = async (token: string) =>
    (await request(hub.origin, "GET", "/account/devices", { token })).status === 200;
  const isReady = async (origin: string) => (await request(origin, "GET", "//health/ready")).body;

  // Each test ends when its own checks are done: other processes may still be without their database.
  beforeEach(async () => {
    for (const origin of hub.origins)
      await eventually(
        () => isReady(origin),
        ({ status }) => status === "ready",
      );
  });

  for (const end of ["crash", "shutDown"] as const)
    test(`answers busy while PostgreSQL is unavailable (${end}), and keeps every account that it confirmed`, async () => {
      const load = new Load(hub.origins);
      await load.answers(201);
      await postgres[end]();
      await load.answers(503);
      for (const origin of hub.origins) {
        const { status, headers, body } = await request(origin, "POST", "/accounts");
        assert.deepEqual([status, body.error], [503, "busy"]);
        assert.match(headers.get("retry-after") ?? "", /^\d+$/);
        assert.equal((await request(origin, "GET", "//health/live")).status, 200);
        assert.equal((await request(origin, "GET", "//health/ready")).status, 503);
      }
      await postgres.resume();
      for (const origin of hub.origins)
        await eventually(
          () => isReady(origin),
          ({ status }) => status === "ready",
        );
      await load.end();
      for (const status of load.statuses) assert.include([201, 503], status);
      for (const token of load.tokens) assert.isTrue(await isKnown(token));
      assert.deepEqual(
        hub.processes.map(({ pid }) => pid),
        pids,
      );
    });

  test("keeps its consoles connected while PostgreSQL restarts, and sends them their commands afterwards", async () => {
    const account = await madeAccount(hub);
    const device = await heldDevice(hub, account);
    const app = await (await TestPublisher.on(hub)).publishApp();
    const channel = await Channel.open(`${hub.origins[0]}`, device.token);
    await postgres.crash();
    await postgres.resume();
    await eventually(
      () => isReady(`${hub.origins[0]}`),
      ({ status }) => status === "ready",
    );
    const given = await eventually(
      () => request(`${hub.origins[1]}`, "POST", `/devices/me/apps/${app}/install`, { token: device.token }),
      ({ status }) => status !== 503,
    );
    assert.equal(given.status, 202);
    channel.answer(await channel.next("app.install"));
    const { state } = await ended(() => hub.origin, device, given.body.command_id);
    assert.equal(state, "done");
    assert.isTrue(channel.isOpen);
    await channel.close();
  });

  test("disconnects a console that sends a result while PostgreSQL is unavailable, and accepts the result afterwards", async () => {
    const device = await heldDevice(hub, await madeAccount(hub));
    const app = await (await TestPublisher.on(hub)).publishApp();
    const [origin = ""] = hub.origins;
    const channel = await Channel.open(origin, device.token);
    await request(origin, "POST", `/devices/me/apps/${app}/install`, { token: device.token });
    const command = await channel.next("app.install");
    await postgres.crash();
    channel.answer(command);
    assert.equal(await channel.closed, 1013);
    await postgres.resume();
    await eventually(
      () => isReady(origin),
      ({ status }) => status === "ready",
    );
    const again = await Channel.open(origin, device.token);
    assert.equal((await again.next("app.install")).command_id, command.command_id);
    again.answer(command);
    assert.equal((await ended(() => hub.origin, device, command.command_id)).state, "done");
    await again.close();
  });

  test("delivers commands to consoles on other processes while NATS is unavailable, and after its return", async () => {
    const account = await madeAccount(hub);
    const device = await heldDevice(hub, account);
    const publisher = await TestPublisher.on(hub);
    const channel = await Channel.open(`${hub.origins[0]}`, device.token);
    const install = async () => {
      const app = await publisher.publishApp();
      const place = `/devices/me/apps/${app}/install`;
      const { status } = await request(`${hub.origins[1]}`, "POST", place, { token: device.token });
      assert.equal(status, 202);
      const command = await channel.next("app.install");
      assert.equal(command.app_id, app);
      channel.answer(command);
      const { state } = await ended(() => hub.origin, device, command.command_id);
      assert.equal(state, "done");
    };
    await nats.stop();
    for (const origin of hub.origins)
      await eventually(
        () => isReady(origin),
        ({ status }) => status === "degraded",
      );
    await install();
    await nats.resume();
    for (const origin of hub.origins)
      await eventually(
        () => isReady(origin),
        ({ status }) => status === "ready",
      );
    await install();
    await channel.close();
  });

  test("starts while PostgreSQL and NATS are unavailable, and is ready once they are available", async () => {
    await Promise.all([postgres.crash(), nats.stop()]);
    const starting = HubProcess.start(hub.environment);
    await Promise.all([postgres.resume(), nats.resume()]);
    const late = await starting;
    await eventually(
      () => isReady(late.origin),
      ({ status }) => status === "ready",
    );
    assert.equal(await late.stop(), 0);
  });
});
