/** `POST /devices/register` (docs/spec/hub-api.md#register). */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claim, madeAccount } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

type Registration = Record<string, unknown>;

function registration(fields: Registration = {}): Registration {
  const octets = Buffer.from([2, 0, ...randomBytes(4)]);
  const mac = octets
    .toString("hex")
    .toUpperCase()
    .replaceAll(/..(?=.)/g, "$&:");
  const token = randomUUID();
  const binding = bindingOf(token, mac);
  const said = { device_token: token, mac, binding, name: "Console-1A2B", arch: "native" };
  return { ...said, firmware_version: "1.2.3", ...fields };
}

/** HMAC-SHA256 with the MAC bytes as key and the token as data (docs/spec/hub-api.md#binding). */
function bindingOf(token: string, mac: string): string {
  return createHmac("sha256", Buffer.from(mac.replaceAll(":", ""), "hex"))
    .update(token)
    .digest("hex");
}

function register(hub: HubUnderTest, json: unknown) {
  return request(hub.origin, "POST", "/devices/register", { json });
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Registration on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub.stop());

    test("gives a record, and the code by which an account claims the device", async () => {
      const json = registration();
      const { status, headers, body } = await register(hub, json);
      expect([status, headers.get("x-svc-push")]).toEqual([201, "bearer"]);
      expect(body).toEqual({
        device_token: json["device_token"],
        device_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        claim_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      });
    });

    test("a second time gives the same record, with updated fields", async () => {
      const json = registration();
      const first = await register(hub, json);
      const again = await register(hub, { ...json, name: "Renamed", firmware_version: "2.0.0" });
      expect(again.status).toBe(200);
      expect(again.body).toEqual(first.body);
      const token = json["device_token"] as string;
      const { body } = await request(hub.origin, "GET", "/devices/me", { token });
      expect(body).toMatchObject({ name: "Renamed", firmware_version: "2.0.0" });
    });

    test("of a claimed device gives no code", async () => {
      const json = registration();
      const { body } = await register(hub, json);
      expect((await claim(hub, await madeAccount(hub), body.claim_code)).status).toBe(200);
      const again = await register(hub, json);
      expect(again.body).toEqual({ device_token: json["device_token"], device_id: body.device_id });
    });

    test("twenty times at once creates one record", async () => {
      const json = registration();
      const answers = await Promise.all(Array.from({ length: 20 }, () => register(hub, json)));
      expect(new Set(answers.map(({ body }) => body.device_id)).size).toBe(1);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    });

    test("of a token that is bound to another MAC is rejected", async () => {
      const json = registration();
      await register(hub, json);
      const mac = "02:00:00:00:00:01";
      const binding = bindingOf(json["device_token"] as string, mac);
      const { status, body } = await register(hub, { ...json, mac, binding });
      expect([status, body.error]).toEqual([409, "token_bound"]);
    });

    test("of the token that another MAC is about to take is rejected", async () => {
      const json = registration();
      const token = json["device_token"] as string;
      await register(hub, json);
      const device_token = randomUUID();
      const next = { device_token, binding: bindingOf(device_token, json["mac"] as string) };
      const { status } = await request(hub.origin, "POST", "/devices/me/token", { token, json: next });
      expect(status).toBe(200);
      const mac = "02:00:00:00:00:02";
      const taken = await register(hub, {
        ...json,
        device_token,
        mac,
        binding: bindingOf(device_token, mac),
      });
      expect([taken.status, taken.body.error]).toEqual([409, "token_bound"]);
    });

    test("with the binding of another token is rejected", async () => {
      const { status, body } = await register(hub, registration({ device_token: randomUUID() }));
      expect([status, body.error]).toEqual([403, "binding_invalid"]);
    });

    test("accepts a MAC and a binding in lower case, and stores the MAC in upper case", async () => {
      const json = registration();
      const mac = json["mac"] as string;
      const { status } = await register(hub, {
        ...json,
        mac: mac.toLowerCase(),
        binding: (json["binding"] as string).toUpperCase(),
      });
      expect(status).toBe(201);
      const token = json["device_token"] as string;
      expect((await request(hub.origin, "GET", "/devices/me", { token })).body.mac).toBe(mac);
    });

    const MALFORMED: readonly (readonly [string, Registration])[] = [
      ["a token that is not a UUID", { device_token: "token" }],
      ["a UUID of another version", { device_token: "6ba7b810-9dad-11d1-80b4-00c04fd430c8" }],
      ["a MAC of five octets", { mac: "02:00:00:00:00" }],
      ["a MAC with dashes", { mac: "02-00-00-00-00-01" }],
      ["a binding that is too short", { binding: "00" }],
      ["a binding that is not hexadecimal", { binding: "g".repeat(64) }],
      ["no name", { name: "" }],
      ["a name of blanks", { name: "  " }],
      ["a name of 65 characters", { name: "n".repeat(65) }],
      ["a name with a line feed", { name: "a\nb" }],
      ["a name with a text direction override", { name: "a\u202eb" }],
      ["an unpaired surrogate in the name", { name: "a\ud83d" }],
      ["a name of zero-width joiners alone", { name: "\u200d\u200c" }],
      ["an unknown architecture", { arch: "mips" }],
      ["an architecture of no board", { arch: "generic" }],
      ["a version of two numbers", { firmware_version: "1.2" }],
      ["a name that is a number", { name: 1 }],
    ];
    for (const [what, fields] of MALFORMED)
      test(`is rejected with ${what}`, async () => {
        const { status, body } = await register(hub, registration(fields));
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
      });

    for (const member of ["device_token", "mac", "binding", "name", "arch", "firmware_version"])
      test(`is rejected without ${member}`, async () => {
        const { [member]: _, ...json } = registration();
        const { status, body } = await register(hub, json);
        expect([status, body.error]).toEqual([400, "missing_parameter"]);
      });

    test("accepts a token in either case: it is the same device, and the same caller", async () => {
      const json = registration();
      const lower = json["device_token"] as string;
      const upper = lower.toUpperCase();
      const { body } = await register(hub, { ...json, device_token: upper });
      const binding = bindingOf(upper, json["mac"] as string);
      const again = await register(hub, { ...json, device_token: upper, binding });
      expect([again.status, again.body]).toEqual([200, { ...body, device_token: lower }]);
      for (const token of [lower, upper])
        expect((await request(hub.origin, "GET", "/devices/me", { token })).body.device_id).toBe(
          body.device_id,
        );
    });

    test("accepts a name with zero-width joiners between its characters", async () => {
      const name = "\u{1f469}\u200d\u{1f680} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
      expect((await register(hub, registration({ name }))).status).toBe(201);
    });

    test("accepts 64 characters of any script, and ignores unknown members", async () => {
      const { status } = await register(hub, registration({ name: "🎮".repeat(64), more: true }));
      expect(status).toBe(201);
    });
  });

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Two devices that want one token on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub.stop());

    /** One registers with a token that another takes as its next one. @returns the status of each */
    async function race(): Promise<readonly number[]> {
      const one = registration();
      const other = registration();
      await register(hub, one);
      const device_token = other["device_token"] as string;
      const json = { device_token, binding: bindingOf(device_token, one["mac"] as string) };
      const token = one["device_token"] as string;
      const answers = await Promise.all([
        register(hub, other),
        request(hub.origin, "POST", "/devices/me/token", { token, json }),
      ]);
      return answers.map(({ status }) => status);
    }

    test("at the same moment: one gets it", async () => {
      for (let round = 0; round < 10; round++)
        for (const statuses of await Promise.all(Array.from({ length: 8 }, race)))
          expect([
            [201, 409],
            [409, 200],
          ]).toContainEqual(statuses);
    });
  });

for (const { name, missing, start } of HUBS)
  test.skipIf(missing)(`Registrations per address are limited on ${name}`, async () => {
    const hub = await start({ environment: { SVC_HUB_REGISTRATIONS_PER_MINUTE: "3" } });
    try {
      const known = registration();
      expect((await register(hub, known)).status).toBe(201);
      const answers = [];
      // Over two windows six are let through at most.
      for (let tries = 0; tries < 7; tries++) answers.push(await register(hub, registration()));
      const refused = answers.find(({ status }) => status !== 201);
      expect([refused?.status, refused?.body.error]).toEqual([429, "too_many_attempts"]);
      expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
      // Two windows would let six through.
      for (let tries = 0; tries < 7; tries++) expect((await register(hub, known)).status).toBe(200);
    } finally {
      await hub.stop();
    }
  });

for (const { name, missing, start } of HUBS)
  test.skipIf(missing)(
    `Entries that a client adds to X-Forwarded-For evade no limit on ${name}`,
    async () => {
      const limits = { SVC_HUB_TRUST_PROXY: "1", SVC_HUB_REGISTRATIONS_PER_MINUTE: "3" };
      const hub = await start({ environment: limits });
      try {
        const statuses = [];
        for (let tries = 0; tries < 7; tries++) {
          const headers = { "x-forwarded-for": `198.51.100.${tries}, 192.0.2.7` };
          for (const path of ["/devices/register", "/accounts"]) {
            const json = path === "/accounts" ? undefined : registration();
            statuses.push([path, (await request(hub.origin, "POST", path, { json, headers })).status]);
          }
        }
        expect(statuses).toContainEqual(["/devices/register", 429]);
        expect(statuses).toContainEqual(["/accounts", 429]);
      } finally {
        await hub.stop();
      }
    },
  );

for (const { name, missing, start } of HUBS)
  test.skipIf(missing)(`Registrations per IPv6 network are limited together on ${name}`, async () => {
    const limits = { SVC_HUB_TRUST_PROXY: "1", SVC_HUB_REGISTRATIONS_PER_MINUTE: "3" };
    const hub = await start({ environment: limits });
    try {
      const statuses = [];
      for (let tries = 0; tries < 7; tries++) {
        const headers = { "x-forwarded-for": `2001:db8::${tries + 1}` };
        const json = registration();
        statuses.push((await request(hub.origin, "POST", "/devices/register", { json, headers })).status);
      }
      expect(statuses).toContain(429);
    } finally {
      await hub.stop();
    }
  });
