/** Members and programs of an account (docs/spec/hub-api.md#members). The authorisation tests have what each may do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { madeAccount, type TestAccount } from "../api/people.js";
import { addMember, addProgram } from "../api/world.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { type RequestOptions, request } from "../hosts/request.js";
import { withDatabase } from "../push/database-of.js";

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TOKEN = expect.stringMatching(/^svct_[A-Za-z0-9_-]{43}$/);

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A team on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub?.stop());
    beforeEach(async () => {
      account = await madeAccount(hub);
    });

    const ask = (method: string, path: string, options: RequestOptions = {}) =>
      request(hub.origin, method, path, { token: account.token, ...options });
    /** The statuses of a request to every process. */
    const everywhere = (token: string, path: string) =>
      Promise.all(hub.origins.map(async (origin) => (await request(origin, "GET", path, { token })).status));
    const all = (status: number) => hub.origins.map(() => status);

    test("has members with names and roles, whose tokens are shown once", async () => {
      const { status, body } = await ask("POST", "/account/members", {
        json: { name: "Ada", role: "owner" },
      });
      const member = { member_id: expect.any(String), name: "Ada", role: "owner", created_at: TIME };
      expect([status, body]).toEqual([201, { ...member, token: TOKEN }]);
      const list = await ask("GET", "/account/members", { token: body.token });
      expect(list.body).toEqual({ members: [member] });
      expect((await ask("GET", "/account/tokens")).body).toEqual({ tokens: [] });
    });

    test("has tokens for programs, with scopes and an end", async () => {
      const json = { name: "CI", scopes: ["orders", "read", "orders"], expires_in_s: 3600 };
      const { status, body } = await ask("POST", "/account/tokens", { json });
      const program = {
        token_id: expect.any(String),
        name: "CI",
        scopes: ["read", "orders"],
        created_at: TIME,
      };
      expect([status, body]).toEqual([201, { ...program, expires_at: TIME, token: TOKEN }]);
      expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(3_600_000);
      const lasting = await addProgram(hub, account.token, ["read"]);
      const { tokens } = (await ask("GET", "/account/tokens")).body;
      expect(tokens).toHaveLength(2);
      expect(tokens).toContainEqual(expect.objectContaining({ token_id: lasting.id, expires_at: null }));
    });

    test("has tokens that every process rejects from their end on", async () => {
      const { id, token } = await addProgram(hub, account.token, ["read"]);
      expect(await everywhere(token, "/account/devices")).toEqual(all(200));
      await withDatabase(hub, (database) =>
        database.updateTable("account_tokens").set({ expires_at: Date.now() }).where("id", "=", id).execute(),
      );
      await expect.poll(() => everywhere(token, "/account/devices")).toEqual(all(401));
    });

    test("has members whose change of role every process applies at once", async () => {
      const { id, token } = await addMember(hub, account.token, "owner");
      expect(await everywhere(token, "/account/members")).toEqual(all(200));
      const changed = await ask("PUT", `/account/members/${id}`, { json: { role: "viewer", name: "Bob" } });
      expect(changed.body).toMatchObject({ member_id: id, name: "Bob", role: "viewer" });
      expect(await everywhere(token, "/account/members")).toEqual(all(403));
      expect(await everywhere(token, "/account/devices")).toEqual(all(200));
    });

    test("has members whose replaced or removed token every process rejects at once", async () => {
      const { id, token } = await addMember(hub, account.token, "viewer");
      const renewed = await ask("POST", `/account/members/${id}/token`);
      expect(await everywhere(token, "/account/devices")).toEqual(all(401));
      expect(await everywhere(renewed.body.token, "/account/devices")).toEqual(all(200));
      expect((await ask("DELETE", `/account/members/${id}`)).status).toBe(204);
      expect(await everywhere(renewed.body.token, "/account/devices")).toEqual(all(401));
      expect((await ask("DELETE", `/account/members/${id}`)).body.error).toBe("member_not_found");
    });

    test("ends with its account, which an owner may end", async () => {
      const owner = await addMember(hub, account.token, "owner");
      const program = await addProgram(hub, account.token, ["read"]);
      expect((await ask("DELETE", "/account", { token: owner.token })).status).toBe(204);
      for (const token of [account.token, owner.token, program.token])
        expect(await everywhere(token, "/account/devices")).toEqual(all(401));
    });

    test("stays when an owner replaces the account's own token", async () => {
      const owner = await addMember(hub, account.token, "owner");
      const { body } = await ask("POST", "/account/token", { token: owner.token });
      expect(await everywhere(account.token, "/account/devices")).toEqual(all(401));
      for (const token of [body.account_token, owner.token])
        expect(await everywhere(token, "/account/devices")).toEqual(all(200));
    });

    // docs/spec/hub-api.md#team-limit
    test("has at most a hundred members and programs, also when they are added at once", async () => {
      const add = (index: number) =>
        index % 2
          ? ask("POST", "/account/members", { json: { name: `member ${index}`, role: "viewer" } })
          : ask("POST", "/account/tokens", { json: { name: `program ${index}`, scopes: ["read"] } });
      const answers = await Promise.all(Array.from({ length: 103 }, (_, index) => add(index)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
      expect(answers.filter(({ body }) => body.error === "too_many_tokens")).toHaveLength(3);
    });

    const REFUSED = [
      { what: "a member without a name", path: "/account/members", json: { name: "", role: "viewer" } },
      { what: "a member of an unknown role", path: "/account/members", json: { name: "Eve", role: "root" } },
      { what: "a name with a line break", path: "/account/members", json: { name: "a\nb", role: "viewer" } },
      {
        what: "a name of 65 characters",
        path: "/account/members",
        json: { name: "e".repeat(65), role: "viewer" },
      },
      { what: "a token without scopes", path: "/account/tokens", json: { name: "CI", scopes: [] } },
      {
        what: "a token with an unknown scope",
        path: "/account/tokens",
        json: { name: "CI", scopes: ["all"] },
      },
      {
        what: "a token of less than a minute",
        path: "/account/tokens",
        json: { name: "CI", scopes: ["read"], expires_in_s: 59 },
      },
    ];
    for (const { what, path, json } of REFUSED)
      test(`rejects ${what}`, async () => {
        const { status, body } = await ask("POST", path, { json });
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
      });
  });
