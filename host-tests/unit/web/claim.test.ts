/** Taking the connected console into an account. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { HubStatus } from "../../../protocol/device/answers.js";
import type { DeviceRecord } from "../../../protocol/hub/answers/devices.js";
import { claimConsole, isSameHub } from "../../../web/hub/claim.js";

const HUB = "http://hub.test:9090";
const DEVICE: DeviceRecord = {
  device_id: "d1",
  name: "Console-1A2B",
  mac: "02:00:00:00:1A:2B",
  arch: "native",
  firmware_version: "0.2.0",
  online: true,
  claimed: true,
  last_seen_at: null,
  status: null,
};

/** A console that has answered these when it is asked for its hub; the last is repeated. */
function scene(...answers: readonly HubStatus[]) {
  const told: string[] = [];
  const claimed: string[] = [];
  const steps: string[] = [];
  let asked = 0;
  const status = () => answers[Math.min(asked++, answers.length - 1)] as HubStatus;
  const claim = () =>
    claimConsole({
      device: {
        hub: async () => status(),
        setHub: async (url) => {
          told.push(url);
          return { url, connected: false };
        },
      },
      client: {
        address: HUB,
        claim: async (code) => {
          claimed.push(code);
          return DEVICE;
        },
      },
      onStep: (step) => steps.push(step),
      pause: async () => {},
    });
  return { claim, claimed, steps, told, askedTimes: () => asked };
}

test("a console without a hub gets its address, registers, and is claimed", async () => {
  const { claim, claimed, steps, told } = scene(
    { url: "", connected: false },
    { url: HUB, connected: false },
    { url: HUB, connected: true, claim_code: "ABCD" },
  );
  assert.equal(await claim(), DEVICE);
  assert.deepEqual(told, [HUB]);
  assert.deepEqual(claimed, ["ABCD"]);
  assert.equal(steps.length, 4);
});

test("a console that already has the hub is claimed at once, however its address is written", async () => {
  const { claim, claimed, told } = scene({
    url: "http://HUB.test:9090/api/v1/",
    connected: true,
    claim_code: "ABCD",
  });
  await claim();
  assert.deepEqual(told, []);
  assert.deepEqual(claimed, ["ABCD"]);
});

test("a console of another hub is not changed", async () => {
  const { claim, told } = scene({ url: "http://other.test", connected: true, claim_code: "ABCD" });
  await assert.rejects(claim(), { code: "hub_differs", message: /other\.test/ });
  assert.deepEqual(told, []);
});

test("a connected console without a code is reported as belonging to an account", async () => {
  await assert.rejects(scene({ url: HUB, connected: true, device_id: "d1" }).claim(), {
    code: "console_claimed",
  });
});

test("a console that never registers is reported, with what to check", async () => {
  const { claim, askedTimes } = scene({ url: HUB, connected: false });
  await assert.rejects(claim(), { code: "console_not_registered", message: /reaches the hub/ });
  assert.equal(askedTimes(), 61);
});

test("addresses of one hub are equal with and without the path of its API", () => {
  assert.equal(isSameHub("http://hub.test", "http://hub.test:80/api/v1"), true);
  assert.equal(isSameHub("http://hub.test", "https://hub.test"), false);
});
