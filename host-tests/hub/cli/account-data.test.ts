/** `svc hub account export` and `end` at a hub, as a shell runs them (docs/spec/hub-api.md#export, #account-end). */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { World } from "../api/world.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";

const home = mkdtempSync(path.join(tmpdir(), "svc-"));
let hub: HubUnderTest;
let world: World;
beforeAll(async () => {
  hub = await EMBEDDED_HUB.start();
  world = await World.make(hub);
});
afterAll(async () => {
  await hub?.stop();
  rmSync(home, { recursive: true });
});

const exported = (file: string, token = world.account.token) =>
  runSvcIn({ XDG_CONFIG_HOME: home, SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: token }, [
    ...["hub", "account", "export", file],
  ]);
const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test(
  "svc exports every list of an account, each entry with what it belongs to, and no token",
  async () => {
    const { device, account } = world;
    const member = await world.member();
    const [group, webhook, rollout] = [await world.group(), await world.webhook(), await world.rollout()];
    const command = await world.command();
    await world.crash();
    const audit = async () => (await world.ask(account.token, "GET", "/account/audit")).body.entries;
    await eventually(audit, ({ length }) => length > 0);
    const file = path.join(home, "export.jsonl");
    expect(exported(file)).toMatchObject({ status: 0, stderr: "" });
    const lines = linesOf(file);
    expect(lines[0]).toMatchObject({ account: { account_id: account.accountId } });
    for (const expected of [
      { device: { device_id: device.deviceId } },
      { command: { command_id: command }, device_id: device.deviceId },
      { event: { kind: "crashed" }, device_id: device.deviceId },
      { member: { member_id: member } },
      { group: { group_id: group } },
      { webhook: { webhook_id: webhook } },
      { rollout: { rollout_id: rollout } },
      { rollout_device: { device_id: device.deviceId }, rollout_id: rollout },
      { audit: { action: "POST /rollouts" } },
    ])
      expect(lines).toContainEqual(expect.objectContaining(matching(expected)));
    const text = readFileSync(file, "utf8");
    for (const token of Object.values(world.tokens)) if (token) expect(text).not.toContain(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  },
  SVC_TIMEOUT_MS,
);

test(
  "svc exports over no file, and leaves none of an export that is refused",
  () => {
    const file = path.join(home, "kept");
    writeFileSync(file, "mine");
    expect(exported(file).status).not.toBe(0);
    expect(readFileSync(file, "utf8")).toBe("mine");
    const other = path.join(home, "refused");
    const refused = exported(other, world.tokens.viewer);
    expect(refused.status).toBe(1);
    expect(() => statSync(other)).toThrow("ENOENT");
  },
  SVC_TIMEOUT_MS,
);

/** Each member as an object that may have more. */
function matching(expected: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [
      name,
      typeof value === "object" && value !== null ? expect.objectContaining(value) : value,
    ]),
  );
}

test(
  "svc ends the account that it is told, no other, and forgets its token",
  async () => {
    const { account_id, account_token } = (await request(hub.origin, "POST", "/accounts")).body;
    const svc = (...words: readonly string[]) => runSvcIn({ XDG_CONFIG_HOME: home }, ["hub", ...words]);
    expect(svc("login", "--url", hub.origin, "--token", account_token).status).toBe(0);
    const refused = svc("account", "end", world.account.accountId);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain(account_id);
    const account = async () =>
      (await request(hub.origin, "GET", "/account", { token: account_token })).status;
    expect(await account()).toBe(200);
    expect(svc("account", "end", account_id)).toMatchObject({
      status: 0,
      stdout: `ended the account ${account_id}\n`,
    });
    expect(await account()).toBe(401);
    expect(svc("devices").stderr).toContain("Not logged in");
  },
  SVC_TIMEOUT_MS,
);
