import assert from "node:assert/strict";
import { describe, onTestFinished, test } from "vitest";
import type { HubProcess } from "../hosts/hub-process.js";
import { BOTH_HUBS, CLUSTERED_HUB, type HubKind, type HubUnderTest } from "../hosts/hub-under-test.js";
import { Console, NEVER_ANSWERS, SUCCEEDS } from "./fleet.js";
import { Fleet, newApp } from "./rolling.js";

async function started({ start }: HubKind): Promise<HubUnderTest> {
  const hub = await start();
  onTestFinished(() => hub.stop());
  return hub;
}

/** A device gets one command of a rollout, however often it is sent. */
function requireOneCommandEach(consoles: readonly Console[]): void {
  for (const { commands } of consoles)
    assert.equal(new Set(commands.map(({ command_id }) => command_id)).size, 1);
}

for (const kind of BOTH_HUBS)
  test.skipIf(kind.missing)(
    `A rollout on ${kind.name} continues after all its processes were killed`,
    async () => {
      const hub = await started(kind);
      const app = await newApp(hub);
      const fleet = await Fleet.connect(hub, 4, NEVER_ANSWERS);
      const made = await fleet.rollOut({
        kind: "app",
        app_id: app.app_id,
        steps: [{ percent: 50 }, { percent: 100 }],
      });
      const told = await fleet.untilTold(2);
      const devices = fleet.consoles.map(({ device }) => device);
      await fleet.close();
      await Promise.all(hub.processes.map((process) => process.kill()));
      await Promise.all(hub.processes.map((process) => process.restart()));
      const consoles = devices.map((device) => Console.connect(device, SUCCEEDS, () => hub.origins));
      const again = await Promise.all(consoles);
      const done = await fleet.untilState(made, "completed");
      assert.equal(done.total.succeeded, 4);
      requireOneCommandEach(again);
      for (const { commands, device } of told) {
        const repeated = again.find((console) => console.device === device);
        assert.equal(repeated?.commands[0].command_id, commands[0].command_id);
      }
      await Promise.all(again.map((console) => console.close()));
    },
  );

describe.skipIf(CLUSTERED_HUB.missing)("A rollout over three processes", () => {
  test("loses nothing when one is killed in the middle of a step", async () => {
    const hub = await started(CLUSTERED_HUB);
    const app = await newApp(hub);
    const fleet = await Fleet.connect(hub, 12, NEVER_ANSWERS);
    const steps = [{ percent: 50 }, { percent: 100 }];
    const made = await fleet.rollOut({ kind: "app", app_id: app.app_id, steps });
    const told = await fleet.untilTold(6);
    for (const console of told.slice(0, 3)) console.answer({ success: true });
    for (const console of fleet.consoles) console.behaviour = SUCCEEDS;
    const [killed, other] = hub.processes as [HubProcess, HubProcess];
    await killed.kill();
    // Consoles on other processes, which have their command, answer now; the others get it again.
    for (const console of told.slice(3)) if (console.isConnected) console.answer({ success: true });
    const done = await fleet.at(other).untilState(made, "completed");
    assert.equal(done.total.succeeded, 12);
    requireOneCommandEach(fleet.consoles);
    await fleet.close();
  });

  test("sends to each device once, whichever process works on it", async () => {
    const hub = await started(CLUSTERED_HUB);
    const app = await newApp(hub);
    const fleet = await Fleet.connect(hub, 24, SUCCEEDS);
    const steps = [10, 25, 50, 75, 100].map((percent) => ({ percent, success_percent: 50 }));
    const made = await fleet.rollOut({ kind: "app", app_id: app.app_id, steps });
    const nudges = async () => {
      // Pauses and resumes from everywhere, some of which come too late or too early.
      for (let count = 0; count < 10; count++)
        await Promise.all([
          fleet.ask("POST", `/rollouts/${made.rollout_id}/pause`),
          fleet.ask("POST", `/rollouts/${made.rollout_id}/resume`),
          fleet.ask("POST", `/rollouts/${made.rollout_id}/resume`),
        ]);
    };
    await nudges();
    await fleet.ask("POST", `/rollouts/${made.rollout_id}/resume`);
    const done = await fleet.untilState(made, "completed");
    assert.equal(done.total.succeeded, 24);
    for (const { commands } of fleet.consoles) assert.equal(commands.length, 1);
    await fleet.close();
  });
});
