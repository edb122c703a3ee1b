/** `svc hub account members`, `tokens`, `webhooks` and `audit` at a hub, as a shell runs them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EVENT_TYPES } from "../../../protocol/hub/answers/webhooks.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { madeAccount } from "../api/people.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";
import { answering, isSigned, Receiver } from "../webhooks/receiver.js";

const home = mkdtempSync(path.join(tmpdir(), "svc-"));
const ID = /^[0-9a-f-]{36}$/;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

let hub: HubUnderTest;
let token: string;

beforeAll(async () => {
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_WEBHOOKS_PRIVATE: "on" } });
});
afterAll(async () => {
  await hub?.stop();
  rmSync(home, { recursive: true });
});
beforeEach(async () => {
  token = (await madeAccount(hub)).token;
});

/** @param of whose token; by default, the account's own */
const svc = (args: string, of = token) =>
  runSvcIn({ XDG_CONFIG_HOME: home, SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: of }, [
    "hub",
    "account",
    ...args.split(" "),
  ]);
const json = (args: string, of = token) => {
  const { status, stdout, stderr } = svc(`${args} --json`, of);
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
const text = (args: string) => {
  const { status, stdout, stderr } = svc(args);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
};
const expectRefused = (args: string, code: string, of = token) => {
  const { status, stdout, stderr } = svc(args, of);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(new RegExp(`^svc: ${code}: .+\n`));
};
const scopesOf = async (of: string): Promise<readonly string[] | number> => {
  const { status, body } = await request(hub.origin, "GET", "/account", { token: of });
  return status === 200 ? body.scopes : status;
};

describe("svc for a team", { timeout: SVC_TIMEOUT_MS }, () => {
  test("adds a member, whose token is printed once, changes the role, and removes the member", async () => {
    expect(text("members list")).toBe("none\n");
    const [first = "", second = ""] = text("members add Ada --role viewer").trimEnd().split("\n");
    const id = first.replace("member ", "");
    const added = second.replace("token ", "");
    expect([id, added]).toEqual([expect.stringMatching(ID), expect.stringMatching(/^svct_/)]);
    expect(await scopesOf(added)).toEqual(["read"]);
    expect(text("members list")).toBe(`${id}  viewer  token  Ada\n`);
    expect(svc("members list --json").stdout).not.toContain(added);
    expect(text(`members role ${id} operator`)).toBe("Ada is operator\n");
    expect(await scopesOf(added)).toEqual(["read", "orders", "consoles"]);
    const renewed = json(`members token ${id}`).token;
    expect([await scopesOf(added), await scopesOf(renewed)]).toEqual([401, expect.any(Array)]);
    expect(json(`members sign-out ${id}`)).toEqual({ member_id: id, state: "signed_out" });
    expect(json(`members remove ${id}`)).toEqual({ member_id: id, state: "removed" });
    expect(await scopesOf(renewed)).toBe(401);
    expectRefused(`members remove ${id}`, "member_not_found");
  });

  test("invites a member by e-mail address at hubs that have sign-in alone", () => {
    expectRefused("members add Ada --role viewer --email ada@example.org", "sign_in_off");
  });

  test("creates the token of a program with scopes and days, and revokes it", async () => {
    const created = json("tokens create CI --scope orders --scope read --days 30");
    expect(created).toMatchObject({ name: "CI", scopes: ["read", "orders"], token: expect.any(String) });
    const days = (Date.parse(created.expires_at) - Date.parse(created.created_at)) / 86_400_000;
    expect([days, await scopesOf(created.token)]).toEqual([30, ["read", "orders"]]);
    const endless = json("tokens create Display --scope read");
    expect(text("tokens list").split("\n").sort()).toEqual(
      [
        "",
        `${created.token_id}  read,orders  until ${created.expires_at}  CI`,
        `${endless.token_id}  read         ${"does not expire".padEnd(6 + created.expires_at.length)}  Display`,
      ].sort(),
    );
    expect(json(`tokens revoke ${created.token_id}`)).toEqual({
      token_id: created.token_id,
      state: "revoked",
    });
    expect(await scopesOf(created.token)).toBe(401);
    expectRefused(`tokens revoke ${created.token_id}`, "token_not_found");
  });

  test("adds a webhook, tests it, shows what became of it, replaces its secret and removes it", async () => {
    const receiver = await Receiver.start();
    const added = json(`webhooks add ${receiver.url} --event command.failed --event rollout.stopped`);
    const id = added.webhook_id;
    expect(added).toMatchObject({
      events: ["command.failed", "rollout.stopped"],
      secret: expect.any(String),
    });
    expect(text("webhooks list")).toBe(`${id}  active  ${receiver.url}  command.failed,rollout.stopped\n`);
    const { delivery_id } = json(`webhooks test ${id}`);
    const [received] = await eventually(
      async () => receiver.received,
      ({ length }) => length === 1,
    );
    expect([received?.id, received && isSigned(added.secret, received)]).toEqual([delivery_id, true]);
    const line = await eventually(
      async () => text(`webhooks deliveries ${id}`),
      (listed) => listed.includes("delivered"),
    );
    expect(line).toMatch(new RegExp(`^\\S+Z  delivered  1 attempt  204  webhook.test  ${delivery_id}\n$`));
    const { secret } = json(`webhooks secret ${id}`);
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(added.secret);
    expect(text(`webhooks change ${id} --event device.claimed`)).toBe(`${receiver.url}: device.claimed\n`);
    expect(text(`webhooks remove ${id}`)).toBe(`removed ${id}\n`);
    for (const command of ["test", "deliveries", "secret", "remove", "enable"])
      expectRefused(`webhooks ${command} ${id}`, "webhook_not_found");
  });

  test("has every event sent by default, and enables a webhook that the hub has disabled", async () => {
    const receiver = await Receiver.start(answering(410));
    const { webhook_id, events } = json(`webhooks add ${receiver.url}`);
    expect(events).toEqual(EVENT_TYPES);
    json(`webhooks test ${webhook_id}`);
    await eventually(
      async () => text("webhooks list"),
      (listed) => listed.includes("disabled"),
    );
    expectRefused(`webhooks test ${webhook_id}`, "webhook_disabled");
    expect(text(`webhooks enable ${webhook_id}`)).toBe(`${receiver.url}: active\n`);
    expectRefused("webhooks add http://192.0.2.1/", "bad_parameter");
  });

  test("reads the audit log page by page, newest first", async () => {
    const count = 205;
    for (let at = 0; at < count; at++)
      await request(hub.origin, "DELETE", `/account/tokens/gone-${at}`, { token });
    const all = await eventually(
      async () => json("audit --limit 1000"),
      ({ entries }) => entries.length === count,
    );
    expect(all.next).toBeUndefined();
    const names = all.entries.map((entry: { names: { token_id: string } }) => entry.names.token_id);
    expect(new Set(names).size).toBe(count);
    const first = json("audit --limit 150");
    expect([first.entries.length, first.next]).toEqual([150, expect.any(String)]);
    const rest = json(`audit --after ${first.next}`);
    expect([rest.entries.length, rest.next]).toEqual([count - 150, undefined]);
    expect([...first.entries, ...rest.entries]).toEqual(all.entries);
    const { stdout, stderr } = svc("audit --limit 1");
    expect(stderr).toMatch(/^There are older entries: add --after \S+\n$/);
    expect(stdout).toMatch(/^\S+Z {2}account {2}404 {2}\S+ {2}DELETE \/account\/tokens\/gone-\d+\n$/);
  });

  test("refuses what the token does not allow", () => {
    const operator = json("members add Grace --role operator").token;
    for (const command of ["members list", "tokens list", "webhooks list", "audit"])
      expectRefused(command, "forbidden", operator);
    expectRefused("members list", "unauthorized", "svct_unknown");
  });

  test("exits with status 2 for what is no role, scope, event, id or number", () => {
    for (const args of [
      ...["members add Ada", "members add Ada --role boss", `members role ${UNKNOWN_ID} boss`],
      ...["members remove ..", "members token ..", "webhooks remove a/b"],
      ...["tokens create CI", "tokens create CI --scope all", "tokens create CI --scope read --days 0"],
      ...["webhooks add https://hub.example --event all", `webhooks change ${UNKNOWN_ID}`],
      ...["audit --limit 1e3", "audit --limit 0"],
    ])
      expect([args, svc(args).status]).toEqual([args, 2]);
  });
});
