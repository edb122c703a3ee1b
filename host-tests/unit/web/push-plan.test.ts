/** What the hub's push of an app would do, as it is shown before it is agreed to. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { planPush } from "../../../web/panels/store/push-plan.js";

const versionOf = (version: string, ...capabilities: readonly string[]) => {
  const published_at = "2026-01-01T00:00:00.000Z";
  return { version, size_bytes: 9, sha256: "", published_at, capabilities, target_arch: "generic" };
};
const OLD = versionOf("1.0.0", "display.write", "network.use");
const NEW = versionOf("2.0.0", "display.write");
const ONLINE = { name: "Console-1A2B", online: true };
const CONTEXT = { versions: [NEW, OLD], device: ONLINE, app: undefined } as const;

test("a push shows the capabilities of the chosen version, not of the newest", () => {
  const { version, capabilities } = planPush(OLD, CONTEXT);
  assert.equal(version, "1.0.0");
  assert.deepEqual(
    capabilities.map(({ name, isNew }) => [name, isNew]),
    [
      ["display.write", false],
      ["network.use", false],
    ],
  );
});

test("capabilities that the installed version lacks are marked, and an older version is reported", () => {
  const { capabilities, installed, notes } = planPush(OLD, {
    ...CONTEXT,
    app: { state: "installed", version: "2.0.0" },
  });
  assert.equal(installed?.version, "2.0.0");
  assert.deepEqual(
    capabilities.map(({ name, isNew }) => [name, isNew]),
    [
      ["display.write", false],
      ["network.use", true],
    ],
  );
  assert.match(notes.join(" "), /data stays.*older than the installed version \(2\.0\.0\)/);
});

for (const state of ["requested", "failed", "removing"] as const)
  test(`an app that is ${state} is not replaced`, () => {
    const plan = planPush(NEW, { ...CONTEXT, app: { state, version: "1.0.0" } });
    assert.equal(plan.installed, undefined);
    assert.deepEqual(plan.notes, []);
  });

test("for a console that is offline the page shows that the push waits for it", () => {
  const { notes } = planPush(NEW, { ...CONTEXT, device: { ...ONLINE, online: false } });
  assert.deepEqual(notes, ["Console-1A2B is offline, and installs it when it connects."]);
});
