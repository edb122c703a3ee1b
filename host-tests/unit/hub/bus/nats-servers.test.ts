import { assert, test } from "vitest";
import { natsServers } from "../../../../hub/bus/nats-bus.js";

const ADDRESSES = [
  { url: "nats://h", options: { servers: ["h"] } },
  { url: "nats://h:4333", options: { servers: ["h:4333"] } },
  { url: "nats://[::1]:4222", options: { servers: ["[::1]:4222"] } },
  { url: "nats://a:1, nats://b:2", options: { servers: ["a:1", "b:2"] } },
  { url: "nats://u:p%40ss@h", options: { servers: ["h"], user: "u", pass: "p@ss" } },
  { url: "nats://t0k%20en@h", options: { servers: ["h"], token: "t0k en" } },
  { url: "tls://h", options: { servers: ["h"], tls: {} } },
];
for (const { url, options } of ADDRESSES)
  test(`the client of NATS understands ${url}`, () => assert.deepEqual(natsServers(url), options));
