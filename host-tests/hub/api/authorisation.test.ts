/**
 * Authorization: every endpoint, requested by every kind of caller. A new endpoint must state here who may use it
 * (docs/spec/hub-api.md#hub-access).
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopeOf } from "../../../hub/api/endpoint.js";
import { ENDPOINTS } from "../../../hub/api/endpoints.js";
import { isForAccounts } from "../../../hub/api/openapi.js";
import type { Access } from "../../../hub/auth/authentication.js";
import { withPublishers } from "../../../hub/operator.js";
import { ROLE_SCOPES } from "../../../hub/teams/scopes.js";
import type { Scope } from "../../../protocol/hub/answers/team.js";
import { newSigner } from "../../unit/protocol/firmware/bundling.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import type { RequestOptions } from "../hosts/request.js";
import { screenshotsForm, smallPng } from "../store/screenshots.js";
import { bindingOf, registeredDevice } from "./people.js";
import {
  madePublisher,
  NEW_WEBHOOK,
  newName,
  type Stranger,
  type TeamMember,
  type Who,
  World,
} from "./world.js";

const EVERYBODY: readonly Who[] = [
  ...(["anonymous", "garbage", "revoked publisher"] as const),
  ...(["viewer", "operator", "owner", "reading program", "ordering program"] as const),
  ...(["removed member", "expired program"] as const),
  ...(["device", "other device", "account", "other account", "publisher", "other publisher"] as const),
  "publisher of apps",
];

/** What becomes of a request: it is let through, or refused with this code. */
type Outcome = "passes" | (string & {});
type Outcomes = Readonly<Record<Stranger, Outcome>>;

const TEAM_SCOPES: Readonly<Partial<Record<TeamMember, readonly Scope[]>>> = {
  ...ROLE_SCOPES,
  "reading program": ["read"],
  "ordering program": ["orders"],
};

/** Those with the scope of the row are let through as their account is. */
function teamOutcomes({ outcomes, scope }: Entry): Readonly<Record<TeamMember, Outcome>> {
  const of = (who: TeamMember) =>
    scope === undefined || TEAM_SCOPES[who]?.includes(scope) ? outcomes.account : "forbidden";
  return {
    viewer: of("viewer"),
    operator: of("operator"),
    owner: of("owner"),
    "reading program": of("reading program"),
    "ordering program": of("ordering program"),
    "removed member": outcomes["revoked publisher"],
    "expired program": outcomes["revoked publisher"],
  };
}

const STRANGERS = { anonymous: "unauthorized", garbage: "unauthorized", "revoked publisher": "unauthorized" };
const DEVICES = { device: "passes", "other device": "passes" };
const NO_DEVICES = { device: "forbidden", "other device": "forbidden" };
const ACCOUNTS = { account: "passes", "other account": "passes" };
const NO_ACCOUNTS = { account: "forbidden", "other account": "forbidden" };
const PUBLISHERS = { publisher: "passes", "other publisher": "passes", "publisher of apps": "passes" };
const NO_PUBLISHERS = {
  publisher: "forbidden",
  "other publisher": "forbidden",
  "publisher of apps": "forbidden",
};

const ANYONE: Outcomes = {
  anonymous: "passes",
  garbage: "passes",
  "revoked publisher": "passes",
  ...DEVICES,
  ...ACCOUNTS,
  ...PUBLISHERS,
};
const BEARER: Outcomes = { ...STRANGERS, ...DEVICES, ...ACCOUNTS, ...PUBLISHERS };
const ITSELF: Outcomes = { ...STRANGERS, ...DEVICES, ...NO_ACCOUNTS, ...NO_PUBLISHERS };
const ITS_OWN_COMMAND: Outcomes = { ...ITSELF, "other device": "command_not_found" };
const ACCOUNT: Outcomes = { ...STRANGERS, ...NO_DEVICES, ...ACCOUNTS, ...NO_PUBLISHERS };
const HOLDER: Outcomes = { ...ACCOUNT, "other account": "device_not_found" };
const ROLLOUT: Outcomes = { ...ACCOUNT, "other account": "rollout_not_found" };
const PUBLISHER: Outcomes = { ...STRANGERS, ...NO_DEVICES, ...NO_ACCOUNTS, ...PUBLISHERS };
const OWNER: Outcomes = { ...PUBLISHER, "other publisher": "not_owner", "publisher of apps": "not_owner" };
const FIRMWARE_PUBLISHER: Outcomes = { ...PUBLISHER, "publisher of apps": "forbidden" };

interface Asked extends Omit<RequestOptions, "token"> {
  /** In the place of the row's own: with its names filled in, and a query. */
  readonly path: string;
}

interface Entry {
  readonly access: Access;
  readonly outcomes: Outcomes;
  /** What a token of the account must allow. */
  readonly scope?: Scope;
  /** Whether the request ends the account's own token, so that no owner asks before the account. */
  readonly endsAccount?: boolean;
  /** Whether the request ends its own caller, so that every caller is a new one after it. */
  readonly endsAsker?: boolean;
  /** Creates what the request is about, so that it can succeed. */
  readonly asked: (world: World, who: Who) => Promise<Asked> | Asked;
}

/** By method and path; those that a device asks for itself have `me` in their path. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  "GET /catalog": { access: "bearer", outcomes: BEARER, asked: () => ({ path: "/catalog" }) },
  "GET /catalog/:id": ofApp("bearer", BEARER),
  "GET /catalog/:id/download": ofApp("bearer", BEARER, "/download"),
  "GET /catalog/:id/icon": ofApp("anyone", ANYONE, "/icon"),
  "GET /catalog/:id/page": ofApp("bearer", BEARER, "/page"),
  "PUT /catalog/:id/page": ofApp("publisher", OWNER, "/page", { json: { about: "Blocks that fall." } }),
  "PUT /catalog/:id/screenshots": {
    access: "publisher",
    outcomes: OWNER,
    asked: async (world) => ({
      path: `/catalog/${await world.app()}/screenshots`,
      form: screenshotsForm([smallPng()]),
    }),
  },
  "DELETE /catalog/:id/screenshots": ofApp("publisher", OWNER, "/screenshots"),
  "GET /catalog/:id/screenshots/:number": {
    access: "bearer",
    outcomes: BEARER,
    asked: async (world) => ({ path: `/catalog/${await world.appWithScreenshot()}/screenshots/1` }),
  },
  "POST /catalog/publish": {
    access: "publisher",
    outcomes: PUBLISHER,
    asked: (world, who) => ({ path: "/catalog/publish", form: world.package(world.publisherOf(who)) }),
  },
  "PUT /catalog/:id": ofApp("publisher", OWNER, "", { json: { description: "Blocks" } }),
  "DELETE /catalog/:id": ofApp("publisher", OWNER),
  "PUT /catalog/:id/lines": {
    access: "publisher",
    outcomes: OWNER,
    async asked(world) {
      const name = await world.app();
      return { path: `/catalog/${name}/lines`, form: await world.lines(name) };
    },
  },
  "POST /catalog/:id/trap": {
    access: "publisher",
    outcomes: OWNER,
    async asked(world) {
      const name = await world.appWithLines();
      return {
        path: `/catalog/${name}/trap`,
        json: { message: `"${name}" ended: trap: unreachable in main@5` },
      };
    },
  },

  "POST /devices/register": {
    access: "anyone",
    outcomes: ANYONE,
    asked: () => ({ path: "/devices/register", json: newRegistration() }),
  },
  ...ofDevice("GET", ""),
  ...ofDevice("GET", "/apps"),
  ...ofDevice("POST", "/apps/:app_id/install", { of: (world) => world.app() }),
  ...ofDevice("DELETE", "/apps/:app_id", { of: () => newName() }),
  ...ofDevice("POST", "/firmware"),
  "POST /devices/:device_id/token": {
    access: "device",
    scope: "consoles",
    outcomes: HOLDER,
    asked: ({ device }) => ({ path: `/devices/${device.deviceId}/token`, json: {} }),
  },
  "POST /devices/me/token": {
    access: "device",
    scope: "consoles",
    outcomes: ITSELF,
    asked: (world, who) => {
      const { registration } = who === "other device" ? world.otherDevice : world.device;
      const device_token = randomUUID();
      const binding = bindingOf(device_token, `${registration["mac"]}`);
      return { path: "/devices/me/token", json: { device_token, binding } };
    },
  },
  "DELETE /devices/:device_id": {
    access: "device",
    scope: "consoles",
    outcomes: HOLDER,
    asked: async (world) => ({ path: `/devices/${await world.otherHeldDevice()}` }),
  },
  "DELETE /devices/me": {
    access: "device",
    scope: "consoles",
    outcomes: ITSELF,
    endsAsker: true,
    asked: () => ({ path: "/devices/me" }),
  },
  ...ofDevice("GET", "/commands"),
  ...ofDevice("GET", "/commands/:command_id", { of: (world) => world.command(), itself: ITS_OWN_COMMAND }),
  ...ofDevice("DELETE", "/commands/:command_id", { of: (world) => world.command(), itself: ITS_OWN_COMMAND }),

  "PUT /devices/:device_id/tags": {
    access: "account",
    scope: "orders",
    outcomes: HOLDER,
    asked: ({ device }) => ({ path: `/devices/${device.deviceId}/tags`, json: { tags: ["shop"] } }),
  },
  "GET /devices/:device_id/history": {
    access: "account",
    scope: "read",
    outcomes: HOLDER,
    asked: ({ device }) => ({ path: `/devices/${device.deviceId}/history` }),
  },
  "GET /devices/:device_id/crashes/:event_id": {
    access: "account",
    scope: "read",
    outcomes: HOLDER,
    asked: async (world) => ({ path: `/devices/${world.device.deviceId}/crashes/${await world.crash()}` }),
  },
  "GET /devices/:device_id/commands/:command_id/timeline": {
    access: "account",
    scope: "read",
    outcomes: HOLDER,
    asked: async (world) => ({
      path: `/devices/${world.device.deviceId}/commands/${await world.command()}/timeline`,
    }),
  },
  "POST /account/devices/orders": {
    ...ofAccount("/account/devices/orders", "orders"),
    asked: () => ({
      path: "/account/devices/orders",
      json: { kind: "uninstall", app_id: newName(), devices: {} },
    }),
  },
  "GET /account/attention": ofAccount("/account/attention"),
  "GET /account/groups": ofAccount("/account/groups"),
  "POST /account/groups": {
    ...ofAccount("/account/groups", "orders"),
    asked: () => ({ path: "/account/groups", json: { name: newName(), filter: { tag: "shop" } } }),
  },
  "DELETE /account/groups/:group_id": {
    access: "account",
    scope: "orders",
    outcomes: { ...ACCOUNT, "other account": "group_not_found" },
    asked: async (world) => ({ path: `/account/groups/${await world.group()}` }),
  },

  "POST /accounts": open("/accounts"),
  "GET /account": ofAccount("/account"),
  "POST /account/token": { ...ofAccount("/account/token", "account"), endsAsker: true, endsAccount: true },
  "DELETE /account": { ...ofAccount("/account", "account"), endsAsker: true, endsAccount: true },
  "GET /account/audit": ofAccount("/account/audit", "account"),
  "GET /account/members": ofAccount("/account/members", "account"),
  "POST /account/members": {
    ...ofAccount("/account/members", "account"),
    asked: () => ({ path: "/account/members", json: { name: newName(), role: "viewer" } }),
  },
  "PUT /account/members/:member_id": ofMember("", { role: "operator" }),
  "DELETE /account/members/:member_id": ofMember(""),
  "POST /account/members/:member_id/token": ofMember("/token"),
  "GET /account/members/:member_id/sessions": ofMember("/sessions"),
  "DELETE /account/members/:member_id/sessions": ofMember("/sessions"),
  // None of these tokens is of a session: host-tests/hub/oidc has those.
  "DELETE /account/session": {
    ...ofAccount("/account/session"),
    outcomes: { ...ACCOUNT, account: "session_not_found", "other account": "session_not_found" },
  },
  "POST /auth/oidc/token": {
    access: "anyone",
    outcomes: Object.fromEntries(Object.keys(ANYONE).map((who) => [who, "sign_in_off"])) as Outcomes,
    asked: () => ({ path: "/auth/oidc/token", json: {} }),
  },
  "GET /account/tokens": ofAccount("/account/tokens", "account"),
  "POST /account/tokens": {
    ...ofAccount("/account/tokens", "account"),
    asked: () => ({ path: "/account/tokens", json: { name: newName(), scopes: ["read"] } }),
  },
  "DELETE /account/tokens/:token_id": ofTeam("/account/tokens/:token_id", "token_not_found", (world) =>
    world.program(),
  ),
  "GET /account/webhooks": ofAccount("/account/webhooks", "webhooks"),
  "POST /account/webhooks": {
    ...ofAccount("/account/webhooks", "webhooks"),
    async asked(world) {
      await world.removeWebhooks();
      return { path: "/account/webhooks", json: NEW_WEBHOOK };
    },
  },
  "PUT /account/webhooks/:webhook_id": ofWebhook("", { events: ["device.claimed"] }),
  "DELETE /account/webhooks/:webhook_id": ofWebhook(""),
  "POST /account/webhooks/:webhook_id/secret": ofWebhook("/secret"),
  "POST /account/webhooks/:webhook_id/test": ofWebhook("/test"),
  "GET /account/webhooks/:webhook_id/deliveries": ofWebhook("/deliveries"),
  "GET /publisher/apps": {
    access: "publisher",
    outcomes: PUBLISHER,
    asked: () => ({ path: "/publisher/apps" }),
  },
  // No hub compiles unless it is told to: host-tests/hub/images has those that do.
  "POST /publisher/images": {
    access: "publisher",
    outcomes: {
      ...PUBLISHER,
      publisher: "compile_off",
      "other publisher": "compile_off",
      "publisher of apps": "compile_off",
    },
    asked: (world) => ({ path: "/publisher/images?arch=native", form: world.moduleToCompile() }),
  },
  "POST /publisher/token": ofPublisher("/publisher/token"),
  "DELETE /publisher/token": ofPublisher("/publisher/token"),
  "GET /account/devices": ofAccount("/account/devices"),
  "POST /account/devices": {
    access: "account",
    scope: "consoles",
    outcomes: ACCOUNT,
    asked: async ({ hub }) => ({
      path: "/account/devices",
      json: { claim_code: (await registeredDevice(hub)).claimCode },
    }),
  },
  "DELETE /account/devices/:device_id": {
    access: "account",
    scope: "consoles",
    outcomes: HOLDER,
    asked: async (world) => ({ path: `/account/devices/${await world.otherHeldDevice()}` }),
  },

  "GET /firmware": { access: "bearer", outcomes: BEARER, asked: () => ({ path: "/firmware" }) },
  "GET /firmware/latest": {
    access: "bearer",
    outcomes: BEARER,
    asked: () => ({ path: "/firmware/latest?arch=native" }),
  },
  "GET /firmware/:version/download": {
    access: "bearer",
    outcomes: BEARER,
    asked: async (world) => ({ path: `/firmware/${await world.firmware()}/download?arch=native` }),
  },
  "POST /firmware": {
    access: "publisher",
    outcomes: FIRMWARE_PUBLISHER,
    asked: (world) => ({ path: "/firmware", form: world.bundle().form }),
  },
  "DELETE /firmware/:version": {
    access: "publisher",
    outcomes: OWNER,
    asked: async (world) => ({ path: `/firmware/${await world.firmware()}?arch=native` }),
  },

  "GET /rollouts": ofAccount("/rollouts"),
  "POST /rollouts": {
    access: "account",
    scope: "orders",
    outcomes: ACCOUNT,
    asked: async (world) => ({ path: "/rollouts", json: await world.rolloutRequest() }),
  },
  "GET /rollouts/:rollout_id": ofRollout("", "read"),
  "GET /rollouts/:rollout_id/devices": ofRollout("/devices", "read"),
  "POST /rollouts/:rollout_id/pause": ofRollout("/pause", "orders"),
  "POST /rollouts/:rollout_id/resume": ofRollout("/resume", "orders", (world, id) =>
    world.change(id, "pause"),
  ),
  "POST /rollouts/:rollout_id/cancel": ofRollout("/cancel", "orders"),

  "GET /health/live": open("/health/live"),
  "GET /health/ready": open("/health/ready"),
  "GET /metrics": open("/metrics"),
  "GET /openapi.json": open("/openapi.json"),
};

function open(path: string): Entry {
  return { access: "anyone", outcomes: ANYONE, asked: () => ({ path }) };
}

function ofAccount(path: string, scope: Scope = "read"): Entry {
  return { access: "account", scope, outcomes: ACCOUNT, asked: () => ({ path }) };
}

/** A member, or a program, of the account. */
function ofTeam(path: string, code: string, of: (world: World) => Promise<string>, json?: object): Entry {
  return {
    access: "account",
    scope: "account",
    outcomes: { ...ACCOUNT, "other account": code },
    asked: async (world) => ({ path: path.replace(/:[a-z_]+/, await of(world)), ...(json && { json }) }),
  };
}

function ofMember(rest: string, json?: object): Entry {
  return ofTeam(`/account/members/:member_id${rest}`, "member_not_found", (world) => world.member(), json);
}

function ofWebhook(rest: string, json?: object): Entry {
  return {
    access: "account",
    scope: "webhooks",
    outcomes: { ...ACCOUNT, "other account": "webhook_not_found" },
    asked: async (world) => ({
      path: `/account/webhooks/${await world.webhook()}${rest}`,
      ...(json && { json }),
    }),
  };
}

function ofPublisher(path: string): Entry {
  return { access: "publisher", outcomes: PUBLISHER, endsAsker: true, asked: () => ({ path }) };
}

/** An app of the publisher's. */
function ofApp(access: Access, outcomes: Outcomes, rest = "", options: Omit<Asked, "path"> = {}): Entry {
  const asked = async (world: World) => ({ path: `/catalog/${await world.app()}${rest}`, ...options });
  return { access, outcomes, asked };
}

/** A rollout of the account's. */
function ofRollout(
  rest: string,
  scope: Scope,
  prepare?: (world: World, id: string) => Promise<unknown>,
): Entry {
  const asked = async (world: World) => {
    const id = await world.rollout();
    await prepare?.(world, id);
    return { path: `/rollouts/${id}${rest}` };
  };
  return { access: "account", scope, outcomes: ROLLOUT, asked };
}

interface OfDevice {
  /** The name in the path after the device's. */
  readonly of?: (world: World) => Promise<string> | string;
  /** What becomes of devices that ask for themselves. */
  readonly itself?: Outcomes;
}

/** Both forms of a row: the device that asks about itself, and a caller that names the device. */
function ofDevice(
  method: string,
  rest: string,
  { of, itself = ITSELF }: OfDevice = {},
): Record<string, Entry> {
  const entry = (outcomes: Outcomes, deviceOf: (world: World) => string): Entry => ({
    access: "device",
    scope: method === "GET" ? "read" : "orders",
    outcomes,
    asked: async (world) => {
      const name = of ? await of(world) : "";
      return { path: `/devices/${deviceOf(world)}${rest.replace(/:[a-z_]+/, name)}` };
    },
  });
  return {
    [`${method} /devices/:device_id${rest}`]: entry(HOLDER, ({ device }) => device.deviceId),
    [`${method} /devices/me${rest}`]: entry(itself, () => "me"),
  };
}

function newRegistration(): object {
  const token = randomUUID();
  const octets = Buffer.from([2, ...randomBytes(5)]);
  return {
    device_token: token,
    mac: octets.toString("hex").replace(/..(?=.)/g, "$&:"),
    binding: createHmac("sha256", octets).update(token).digest("hex"),
    name: "Console",
    arch: "native",
    firmware_version: "1.0.0",
  };
}

const rowOf = (name: string) => name.replace("/devices/me", "/devices/:device_id");

test("Every endpoint has a row here, with the access and the scope in its table", () => {
  const said = Object.entries(ENTRIES).map(
    ([name, { access, scope }]) => `${rowOf(name)} ${access} ${scope}`,
  );
  const built = ENDPOINTS.map(
    (row) => `${row.method} ${row.path} ${row.access} ${isForAccounts(row) ? scopeOf(row) : undefined}`,
  );
  expect([...new Set(said)].sort()).toEqual([...built].sort());
});

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Access on ${name}`, () => {
    let hub: HubUnderTest;
    let world: World;
    beforeAll(async () => {
      hub = await start();
      world = await World.make(hub);
    });
    afterAll(() => hub?.stop());

    for (const [row, entry] of Object.entries(ENTRIES))
      test(`${row} accepts authorized callers, and answers others with the reason`, async () => {
        const [method = ""] = row.split(" ");
        const { asked, endsAsker = false, endsAccount = false } = entry;
        const ownWorld = endsAsker ? await World.make(hub) : world;
        const seen: Record<string, Outcome> = {};
        let request: Asked | undefined;
        for (const who of EVERYBODY) {
          if (endsAccount && who === "owner") continue;
          request ??= await asked(ownWorld, who);
          const { path, ...options } = request;
          const { status, body } = await ownWorld.ask(ownWorld.tokens[who], method, path, options);
          seen[who] = status < 300 ? "passes" : body.error;
          if (method !== "GET" && status < 300) request = undefined; // it can be done once
        }
        const { owner, ...others } = { ...entry.outcomes, ...teamOutcomes(entry) };
        expect(seen).toEqual({ ...others, ...(!endsAccount && { owner }) });
      });

    test("a name in the catalogue belongs to its publisher, who alone can publish under it", async () => {
      const id = await world.app();
      for (const [method, path] of [
        ["POST", "/catalog/publish"],
        ["PUT", `/catalog/${id}`],
      ] as const) {
        const form = world.package(world.otherPublisher, id);
        const { status, body } = await world.ask(world.otherPublisher.token, method, path, { form });
        expect([status, body.error]).toEqual([403, "not_owner"]);
      }
    });

    test("a name still belongs to its publisher after the app was retracted", async () => {
      const id = await world.app();
      await world.ask(world.publisher.token, "DELETE", `/catalog/${id}`);
      const form = world.package(world.otherPublisher, id);
      const { body } = await world.ask(world.otherPublisher.token, "POST", "/catalog/publish", { form });
      expect(body.error).toBe("not_owner");
    });

    test("a package signed with another publisher's key is rejected", async () => {
      const signedByOther = { ...world.publisher, keys: world.otherPublisher.keys };
      const form = world.package(signedByOther);
      const { status, body } = await world.ask(world.publisher.token, "POST", "/catalog/publish", { form });
      expect([status, body.error]).toEqual([403, "signature_invalid"]);
    });

    test("every process rejects a package under a revoked key, and firmware is rejected too", async () => {
      const signer = newSigner();
      const publisher = await madePublisher(hub, signer);
      const publish = () =>
        world.ask(publisher.token, "POST", "/catalog/publish", { form: world.package(publisher) });
      expect((await publish()).status).toBe(201);
      await withPublishers(hub.environment, async (publishers) => {
        for (const { key_id } of await publishers.keys.list(publisher.name))
          await publishers.keys.revoke(publisher.name, key_id);
      });
      for (const _process of hub.processes) expect((await publish()).body.error).toBe("signature_invalid");
      const { form } = world.bundle(signer);
      const firmware = await world.ask(publisher.token, "POST", "/firmware", { form });
      expect(firmware.body.error).toBe("signature_invalid");
    });

    test("every process rejects a revoked publisher's token", async () => {
      const publisher = await madePublisher(hub);
      for (const _process of hub.processes)
        expect((await world.ask(publisher.token, "GET", "/catalog")).status).toBe(200);
      await withPublishers(hub.environment, (publishers) => publishers.revoke(publisher.name));
      for (const _process of hub.processes)
        expect((await world.ask(publisher.token, "GET", "/catalog")).status).toBe(401);
    });

    const CREDENTIALS = [
      { what: "no Authorization", header: undefined, challenge: "Bearer" },
      { what: "another scheme", header: "Basic YTpi", challenge: 'Bearer error="invalid_token"' },
      { what: "Bearer alone", header: "Bearer", challenge: 'Bearer error="invalid_token"' },
      { what: "two tokens", header: "Bearer a b", challenge: 'Bearer error="invalid_token"' },
      {
        what: "an unknown UUID",
        header: `Bearer ${randomUUID()}`,
        challenge: 'Bearer error="invalid_token"',
      },
    ];
    for (const { what, header, challenge } of CREDENTIALS)
      test(`${what} is answered with a challenge`, async () => {
        const headers = header === undefined ? {} : { authorization: header };
        const answer = await world.ask(undefined, "GET", "/catalog", { headers });
        expect([answer.status, answer.body.error]).toEqual([401, "unauthorized"]);
        expect(answer.headers.get("www-authenticate")).toBe(challenge);
      });

    test("the scheme is case-insensitive", async () => {
      const headers = { authorization: `bearer ${world.account.token}` };
      expect((await world.ask(undefined, "GET", "/catalog", { headers })).status).toBe(200);
    });
  });
