import { expect, test } from "vitest";
import type { TokenRotated } from "../../../../protocol/hub/push-messages.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { HubRun } from "./emulated-hub.js";

const ROTATE = { type: "token.rotate", command_id: "one" } as const;
const ACCEPTED = { type: "token.accepted", command_id: "one" } as const;

const start = () => new HubRun(flashedStorage()).connect();
const tokenOf = (run: HubRun) => run.link.options.identity().deviceToken;

async function rotate(run: HubRun, command_id = "one"): Promise<string> {
  const [answer, ...others] = await run.say({ ...ROTATE, command_id });
  expect(others).toEqual([]);
  expect(answer).toMatchObject({ type: "token.rotated", command_id });
  return (answer as TokenRotated).device_token;
}

test("The answer is the same each time, also after a restart, until accepted", async () => {
  const run = start();
  const token = await rotate(run);
  expect(await rotate(run)).toBe(token);
  expect(await rotate(run.again())).toBe(token);
});

test("token.rotate is answered if its id, which the answer repeats, has at most 64 characters", async () => {
  const run = start();
  expect(await run.say({ ...ROTATE, command_id: "x".repeat(65) })).toEqual([]);
  expect(run.settings.read("svc/hub/tokens") ?? "").not.toContain("x");
  await rotate(run, "x".repeat(64));
});

test("A token without a rotation cannot be accepted", async () => {
  const run = start();
  const old = tokenOf(run);
  await run.say(ACCEPTED);
  expect([tokenOf(run), run.links.length]).toEqual([old, 1]);
});

test("A claim code that the hub gives only after the rotation is requested then", async () => {
  const run = start();
  run.link.options.onRegistered({ deviceId: "device-1" });
  run.link.options.onMessage({ type: "device.claimed", claimed: false });
  run.link.options.onRegistered({ deviceId: "device-1" });
  run.link.options.onMessage({ type: "device.claimed", claimed: false });
  expect(run.link.registrations).toBe(1);
  await rotate(run);
  await run.say(ACCEPTED);
  run.link.open();
  run.link.options.onMessage({ type: "device.claimed", claimed: false });
  expect(run.link.registrations).toBe(1); // of the new link
});

test("A hub that requests rotations continuously gets one every ten seconds", async () => {
  const run = start();
  await rotate(run);
  await run.say(ACCEPTED);
  run.link.open();
  const second = tokenOf(run);
  expect(await run.say({ ...ROTATE, command_id: "two" })).toEqual([]);
  expect(await run.say({ ...ACCEPTED, command_id: "two" })).toEqual([]);
  expect([tokenOf(run), run.links.length]).toEqual([second, 2]);
  run.clock.advance(10_000);
  expect(run.link.takeResults()).toMatchObject([{ type: "token.rotated", command_id: "two" }]);
});
