/** Limits of requests by token and address (docs/spec/hub-api.md#request-budget). */
import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { madeAccount, registeredDevice } from "./people.js";
import { addMember, World } from "./world.js";

async function started(environment: Record<string, string>): Promise<HubUnderTest> {
  const hub = await EMBEDDED_HUB.start({ environment });
  onTestFinished(() => hub.stop());
  return hub;
}

async function statuses(times: number, ask: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < times; at++) found.push((await ask()).status);
  return found;
}

describe("A token", () => {
  test("has a budget, however it is written, and others have theirs", async () => {
    const hub = await started({ SVC_HUB_REQUESTS_PER_MINUTE: "20" });
    const { token } = await madeAccount(hub);
    const member = await addMember(hub, token, "viewer"); // the first of the account's requests
    const ask = (authorization: string) =>
      request(hub.origin, "GET", "/account/devices", { headers: { authorization } });
    const passed = await statuses(7, () => ask(`Bearer ${token}`));
    expect(new Set(passed)).toEqual(new Set([200]));
    const half = await ask(`bearer  ${token}`);
    expect(half.headers.get("ratelimit-limit")).toBeNull();
    await statuses(4, () => ask(`Bearer ${token}`));
    const next = await ask(`Bearer ${token} `);
    expect(next.headers.get("ratelimit-limit")).toBe("20");
    expect(Number(next.headers.get("ratelimit-remaining"))).toBeLessThan(10);
    expect(Number(next.headers.get("ratelimit-reset"))).toBeGreaterThan(30);
    await statuses(20, () => ask(`Bearer ${token}`));
    const refused = await ask(`Bearer ${token}`);
    expect([refused.status, refused.body.error]).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBe(refused.body.retry_after_s);
    expect(refused.body.retry_after_s).toBeGreaterThan(0);
    expect((await ask(`Bearer ${member.token}`)).status).toBe(200);
    const device = await registeredDevice(hub);
    expect((await request(hub.origin, "GET", "/devices/me", { token: device.token })).status).toBe(200);
  });
});

describe("An address", () => {
  test("has a budget for everything but health and metrics, with any token", async () => {
    const hub = await started({ SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE: "30", SVC_HUB_TRUST_PROXY: "1" });
    const from = (address: string, path = "/devices/me", token: string = randomUUID()) =>
      request(hub.origin, "GET", path, { token, headers: { "x-forwarded-for": address } });
    const answers = await statuses(60, () => from("192.0.2.1"));
    expect(answers.slice(0, 30)).toEqual(Array(30).fill(401));
    expect(answers.at(-1)).toBe(429);
    expect((await from("192.0.2.1", "/nothing")).status).toBe(429);
    expect((await from("192.0.2.1", "//")).status).toBe(429);
    for (const path of ["//health/ready", "/health/live", "//metrics", "/metrics"])
      expect((await from("192.0.2.1", path)).status).toBe(200);
    expect((await from("192.0.2.2")).status).toBe(401);
    // Addresses of one IPv6 network are one.
    const last = await statuses(60, () => from(`2001:db8::${Math.floor(Math.random() * 9999)}`));
    expect(last.at(-1)).toBe(429);
  });
});

describe("An expensive endpoint", () => {
  test("has a smaller budget of its own for each publisher", async () => {
    const hub = await started({});
    const world = await World.make(hub);
    const [name, other] = [await world.appWithLines(), await world.app()];
    const tell = (token: string) =>
      world.ask(token, "POST", `/catalog/${name}/trap`, {
        json: { message: `"${name}" ended: trap: unreachable in main@5` },
      });
    const answers = await statuses(70, () => tell(world.publisher.token));
    expect(answers[0]).toBe(200);
    expect(answers.at(-1)).toBe(429);
    expect((await world.ask(world.publisher.token, "GET", `/catalog/${other}`)).status).toBe(200);
    expect((await tell(world.otherPublisher.token)).status).toBe(403);
  });
});
