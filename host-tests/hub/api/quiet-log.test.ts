/** A hub that answers correctly logs no error, since operators watch for those. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { bitmap } from "../../hosts/bitmap.js";
import { appPackage, HubPublisher } from "../catalog/hub-publisher.js";
import { TestPublisher } from "../devices/published.js";
import { bring, nativeBundle, newPublisher } from "../firmware/bringing.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, ended, eventually } from "../push/channel.js";
import { claim, heldDevice, madeAccount, registeredDevice } from "./people.js";

interface Step {
  readonly name: string;
  readonly does: (hub: HubUnderTest) => Promise<readonly number[]>;
  readonly statuses: readonly number[];
}

/** Packages are larger than what one piece of a file holds. */
const NOISE_BYTES = 300_000;

async function publisherOf(hub: HubUnderTest): Promise<HubPublisher> {
  const publisher = await HubPublisher.register(hub);
  const file = await appPackage({ name: "tetris" }, { icon: bitmap({ shade: 3 }), noiseBytes: NOISE_BYTES });
  expect((await publisher.publish(file)).status).toBe(201);
  return publisher;
}

const PACKAGE = "/catalog/tetris/download";

const STEPS: readonly Step[] = [
  {
    name: "packages and icons",
    does: async (hub) => {
      const publisher = await publisherOf(hub);
      const whole = await publisher.get(PACKAGE);
      const answers = [
        whole,
        await publisher.get(PACKAGE, { range: "bytes=100-" }),
        await publisher.get(PACKAGE, { "if-none-match": whole.headers.get("etag") ?? "" }),
        await publisher.request("HEAD", PACKAGE),
        await publisher.get("/catalog/tetris/icon"),
        await publisher.request("DELETE", "/catalog/tetris"),
      ];
      return answers.map(({ status }) => status);
    },
    statuses: [200, 206, 304, 200, 200, 204],
  },
  {
    name: "a client that disconnects during a download",
    does: async (hub) => {
      const publisher = await publisherOf(hub);
      const { hostname, port, host } = new URL(hub.origin);
      const socket = connect(Number(port), hostname);
      socket.write(
        `GET /api/v1${PACKAGE} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${publisher.token}\r\n\r\n`,
      );
      await once(socket, "data");
      socket.destroy();
      return [(await publisher.get("/catalog/tetris")).status];
    },
    statuses: [200],
  },
  {
    name: "clients that disconnect within their bodies",
    does: async (hub) => {
      const { token } = await HubPublisher.register(hub);
      const { hostname, port, host } = new URL(hub.origin);
      const form = "multipart/form-data; boundary=b";
      for (const [place, type] of [
        ["accounts", "application/json"],
        ["catalog/publish", "application/json"],
        ["catalog/publish", form],
        ["publisher/images?arch=native", form],
      ]) {
        const socket = connect(Number(port), hostname);
        const head = [
          `POST /api/v1/${place} HTTP/1.1`,
          ...[`host: ${host}`, `authorization: Bearer ${token}`],
          ...[`content-type: ${type}`, "content-length: 1000", "expect: 100-continue"],
        ];
        socket.write(`${head.join("\r\n")}\r\n\r\n`);
        await once(socket, "data"); // the hub reads the body
        socket.end('--b\r\ncontent-disposition: form-data; name="package"; filename="a"\r\n\r\n{"a"', () =>
          socket.destroy(),
        );
        await once(socket, "close");
      }
      return [(await fetch(`${hub.origin}/health/live`)).status];
    },
    statuses: [200],
  },
  {
    name: "bundles",
    does: async (hub) => {
      const publisher = await newPublisher(hub);
      expect((await bring(hub, publisher, nativeBundle("1.0.0", publisher))).status).toBe(201);
      const ask = (method: string, place: string) =>
        request(hub.origin, method, place, { token: publisher.token });
      const answers = [
        await ask("GET", "/firmware/1.0.0/download?arch=native"),
        await ask("DELETE", "/firmware/1.0.0?arch=native"),
      ];
      return answers.map(({ status }) => status);
    },
    statuses: [200, 204],
  },
  {
    name: "devices and accounts",
    does: async (hub) => {
      const account = await madeAccount(hub);
      const held = await heldDevice(hub, account);
      const other = await registeredDevice(hub);
      const ask = (method: string, place: string, { token }: { readonly token: string }) =>
        request(hub.origin, method, place, { token });
      const answers = [
        await claim(hub, account, other.claimCode),
        await ask("DELETE", `/account/devices/${held.deviceId}`, account),
        await ask("DELETE", `/devices/${other.deviceId}`, account),
        await ask("DELETE", "/account", account),
      ];
      return answers.map(({ status }) => status);
    },
    statuses: [200, 204, 204, 204],
  },
  {
    name: "the web console, metrics and health",
    does: (hub) => {
      const places = ["/", "/console.js", "/metrics", "/health/ready", "/health/live"];
      return Promise.all(places.map(async (place) => (await fetch(hub.origin + place)).status));
    },
    statuses: [200, 200, 200, 200, 200],
  },
  {
    name: "the store, also for what it does not have",
    does: async (hub) => {
      await publisherOf(hub);
      const places = ["", "tetris", "?q=tetris", "feed.xml", "sitemap.xml", "absent", "?page=x", "%ff"];
      return Promise.all(places.map(async (place) => (await fetch(`${hub.origin}/store/${place}`)).status));
    },
    statuses: [200, 200, 200, 200, 200, 404, 400, 400],
  },
];

const ENVIRONMENT = { SVC_HUB_PUBLIC_CATALOG: "on" };

for (const { name, does, statuses } of STEPS)
  test(`The log has no error after requests for ${name}`, async () => {
    const hub = await EMBEDDED_HUB.start({ environment: ENVIRONMENT });
    try {
      expect(await does(hub)).toEqual(statuses);
    } finally {
      await hub.stop();
    }
    expect(hub.errors).toEqual([]);
  });

for (const { name, missing, start } of HUBS)
  test.skipIf(missing)(`The log has no error after a console's whole story on ${name}`, async () => {
    const hub = await start();
    try {
      await wholeStory(hub);
    } finally {
      await hub.stop();
    }
    expect(hub.errors).toEqual([]);
  });

/** Publish, register, claim, push, download, report, roll out, withdraw. */
async function wholeStory(hub: HubUnderTest): Promise<void> {
  const publisher = await TestPublisher.on(hub);
  const app = await publisher.publishApp();
  const account = await madeAccount(hub);
  const device = await heldDevice(hub, account);
  const ask = async (method: string, place: string, json?: unknown) => {
    const options = { token: account.token, ...(json !== undefined && { json }) };
    const { status, body } = await request(hub.origin, method, place, options);
    expect(status).toBeLessThan(300);
    return body;
  };
  const channel = await Channel.open(hub.origin, device.token);
  const carryOut = async (type: string, result: object) => {
    const command = await channel.next(type);
    const { status } = await fetch(command.download_url, {
      headers: { authorization: `Bearer ${device.token}` },
    });
    expect(status).toBe(200);
    channel.send({ type: `${type}.result`, command_id: command.command_id, error: null, ...result });
  };
  const { command_id } = await ask("POST", `/devices/${device.deviceId}/apps/${app}/install`);
  await carryOut("app.install", { app_id: app, success: true });
  expect((await ended(() => hub.origin, device, command_id)).state).toBe("done");
  await publisher.publishFirmware("2.0.0");
  const { rollout_id } = await ask("POST", "/rollouts", { kind: "firmware", arch: "native" });
  await carryOut("firmware.update", { version: "2.0.0", state: "confirmed", success: true });
  await eventually(
    () => ask("GET", `/rollouts/${rollout_id}`),
    ({ state }) => state === "completed",
  );
  await publisher.withdrawFirmware("2.0.0");
  await publisher.retractApp(app);
  await ask("DELETE", `/account/devices/${device.deviceId}`);
  await channel.close();
}
