/** Sign-in by OpenID Connect at a real server (docs/spec/hub-api.md#sign-in). */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OidcConfig } from "../../../hub/config/read-oidc.js";
import { signInCookies } from "../../../hub/oidc/sign-in-cookies.js";
import { madeAccount, type TestAccount } from "../api/people.js";
import { addMember } from "../api/world.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { OidcIssuer } from "../hosts/oidc-issuer.js";
import { type Answer, request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { HUB_URL, Visitor } from "./visitor.js";

/** Of a `Set-Cookie` field. */
const sealedIn = (field: string) => field.slice(field.indexOf("=") + 1, field.indexOf(";"));

const TOKEN = expect.stringMatching(/^svcs_[A-Za-z0-9_-]{43}$/);
const PENDING = "__Host-svc_sign_in";
const IDENTITY = "__Host-svc_identity";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A sign-in on ${name}`, () => {
    let hub: HubUnderTest;
    let issuer: OidcIssuer;
    let account: TestAccount;
    let sub: string;
    let email: string;

    beforeAll(async () => {
      issuer = await OidcIssuer.start(HUB_URL);
      hub = await start({ environment: issuer.environment(HUB_URL) });
    });
    afterAll(async () => {
      await hub?.stop();
      await issuer?.close();
      expect(hub?.errors).toEqual([]);
    });
    beforeEach(async () => {
      account = await madeAccount(hub);
      sub = `ada-${randomUUID()}`;
      email = `${sub}@example.com`;
      issuer.people.set(sub, { email, email_verified: true });
    });
    afterEach(() => {
      issuer.forgeClaims = undefined;
      issuer.forgeToken = undefined;
    });

    const ask = (method: string, path: string, options: { token?: string; json?: object } = {}) =>
      request(hub.origin, method, path, { token: account.token, ...options });
    const invite = async (role = "operator", address = email, token = account.token): Promise<string> => {
      const json = { name: "Ada", role, email: address };
      const { status, body } = await ask("POST", "/account/members", { token, json });
      expect([status, body.token]).toEqual([201, undefined]);
      return body.member_id;
    };
    /** The hub's own cookies, as it has set them some time ago. */
    const pastCookies = (agoMs = 601_000) =>
      signInCookies({
        now: () => Date.now() - agoMs,
        config: { secret: `${hub.environment["SVC_HUB_SECRET"]}`, oidc: { hubUrl: HUB_URL } as OidcConfig },
      });
    /** Each step meets another process. */
    const comeBack = async (as = sub, visitor = new Visitor()) => {
      const address = await visitor.authorize(hub.origin, as);
      return { visitor, visit: await visitor.comeBack(hub.origin, address) };
    };
    const signIn = async (as = sub): Promise<Answer> => (await comeBack(as)).visitor.enter(hub.origin);
    const tokenOf = async (as = sub): Promise<string> => (await signIn(as)).body.token;
    /** The statuses of a request to every process. */
    const everywhere = (token: string, method: string, path: string, json?: object) =>
      Promise.all(
        hub.origins.map(async (origin) => (await request(origin, method, path, { token, json })).status),
      );
    const all = (status: number) => hub.origins.map(() => status);

    test("is offered where the hub is identified", async () => {
      const { body } = await request(hub.origin, "GET", "/health/live");
      expect(body.sign_in).toEqual({
        ...{ name: "Example Staff", url: `${HUB_URL}/auth/oidc/login` },
        sign_out_url: `${HUB_URL}/auth/oidc/logout`,
      });
    });

    test("makes the invited member of an identity, with a session of twelve hours", async () => {
      const memberId = await invite();
      const visitor = new Visitor();
      const address = await visitor.authorize(hub.origin, sub);
      const visit = await visitor.comeBack(hub.origin, address);
      expect([visit.status, visit.headers.get("location")]).toEqual([303, `${HUB_URL}/fleet/#/signed-in`]);
      const asked = await visitor.session(hub.origin);
      const choice = { member_id: memberId, account_id: account.accountId, name: "Ada", role: "operator" };
      expect([asked.status, asked.body]).toEqual([200, { choices: [{ ...choice, invited: true }] }]);
      const { status, body } = await visitor.session(hub.origin, { member_id: memberId });
      expect([status, body]).toEqual([
        201,
        { token: TOKEN, expires_at: expect.any(String), member_id: memberId, account_id: account.accountId },
      ]);
      const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(11.9);
      expect(hours).toBeLessThanOrEqual(12.01);
      expect((await ask("GET", "/account", { token: body.token })).body).toEqual({
        ...{ account_id: account.accountId, name: "Ada", scopes: ["read", "orders", "consoles"] },
      });
      const { members } = (await ask("GET", "/account/members")).body;
      expect(members).toEqual([
        expect.objectContaining({
          member_id: memberId,
          email,
          identity: { issuer: issuer.url, subject: sub },
        }),
      ]);
    });

    test("keeps cookies that scripts and other sites do not get, and no secret in an address or the log", async () => {
      await invite();
      const visitor = new Visitor();
      const begun = await visitor.get(`${hub.origin}/auth/oidc/login`);
      const [pending = ""] = begun.headers.getSetCookie();
      expect(pending).toMatch(
        /^__Host-svc_sign_in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      );
      const query = new URL(`${begun.headers.get("location")}`).searchParams;
      expect(query.get("code_challenge_method")).toBe("S256");
      for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
      expect(query.get("redirect_uri")).toBe(`${HUB_URL}/auth/oidc/callback`);
      const address = await visitor.authorize(hub.origin, sub);
      const back = await visitor.comeBack(hub.origin, address);
      const identity = back.headers.getSetCookie().find((field) => field.startsWith(IDENTITY));
      expect(identity).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
      expect(back.headers.get("referrer-policy")).toBe("no-referrer");
      expect(visitor.cookies.has(PENDING)).toBe(false);
      const { body } = await visitor.enter(hub.origin);
      expect([...visitor.cookies.keys()].filter((each) => each.startsWith("__Host-svc"))).toEqual([]);
      await ask("DELETE", `/devices/me/${body.token}`, { token: body.token });
      const log = hub.processes.flatMap(({ stderr }) => stderr).join("\n");
      expect(log).toMatch(/auth\/oidc\/token/);
      for (const secret of [body.token, new URL(address).searchParams.get("code"), email])
        expect(log).not.toContain(secret);
    });

    test("counts issuer and subject from the first time on, whatever the address is then", async () => {
      const memberId = await invite();
      await tokenOf();
      issuer.people.set(sub, { email: "other@example.com", email_verified: false });
      expect((await signIn()).body.member_id).toBe(memberId);
      const thief = `thief-${randomUUID()}`;
      issuer.people.set(thief, { email, email_verified: true });
      expect((await comeBack(thief)).visit.status).toBe(403);
    });

    test("compares addresses in either case of A to Z", async () => {
      await invite("viewer", email.toUpperCase());
      expect((await signIn()).status).toBe(201);
    });

    test("asks no more who has been the only member before", async () => {
      const memberId = await invite();
      await tokenOf();
      const { visitor } = await comeBack();
      const { status, body } = await visitor.session(hub.origin);
      expect([status, body.member_id]).toEqual([201, memberId]);
    });

    test("makes nobody a member of a stranger's account unless they agree", async () => {
      await invite("owner");
      const { visitor } = await comeBack();
      expect((await visitor.session(hub.origin)).body.choices).toHaveLength(1);
      expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
    });

    test("makes no member of someone whom no account has invited, and says what to do", async () => {
      const { visit, visitor } = await comeBack();
      expect([visit.status, visit.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
      expect(visit.text).toContain(`invite <strong>${email}</strong>`);
      expect((await visitor.session(hub.origin)).body.error).toBe("sign_in_expired");
    });

    for (const [what, person] of [
      ["is not verified", { email_verified: false }],
      ["is said to be verified by a text", { email_verified: "true" as never }],
      ["is verified or not, which the server does not say", {}],
    ] as const)
      test(`makes no member of an address that ${what}`, async () => {
        await invite();
        issuer.people.set(sub, { email, ...person });
        const { visit, visitor } = await comeBack();
        expect(visit.status).toBe(403);
        expect(visit.text).toContain("does not say that it has verified an e-mail address");
        expect((await visitor.session(hub.origin)).status).toBe(403);
        expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
      });

    test("shows what the server tells as text", async () => {
      const hostile = `<script>alert(1)</script>&"@example.com`;
      issuer.people.set(sub, { email: hostile, email_verified: true });
      const { visit } = await comeBack();
      expect(visit.status).toBe(403);
      expect(visit.text).not.toContain("<script");
      expect(visit.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
    });

    test("lets one who is a member of several accounts choose", async () => {
      const other = await madeAccount(hub);
      const [here, there] = [await invite(), await invite("viewer", email, other.token)];
      const { visitor } = await comeBack();
      const { status, body } = await visitor.session(hub.origin);
      expect(status).toBe(200);
      expect(body.choices).toHaveLength(2);
      expect(body.choices).toContainEqual({
        ...{ member_id: there, account_id: other.accountId, name: "Ada", role: "viewer", invited: true },
      });
      const chosen = await visitor.session(hub.origin, { member_id: there });
      expect([chosen.status, chosen.body.account_id]).toEqual([201, other.accountId]);
      expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
      const again = await (await comeBack()).visitor.session(hub.origin);
      expect(again.body.choices.map(({ member_id, invited }: never) => [member_id, invited])).toEqual([
        [there, false],
        [here, true],
      ]);
    });

    test("gives no session of a member who is another", async () => {
      await invite();
      const { body } = await ask("POST", "/account/members", {
        json: { name: "Bob", role: "owner", email: "bob@example.com" },
      });
      const { visitor } = await comeBack();
      for (const member_id of [body.member_id, randomUUID()]) {
        const answer = await visitor.session(hub.origin, { member_id });
        expect([answer.status, answer.body.error]).toEqual([404, "member_not_found"]);
      }
    });

    test("begins one session, also when it is used at several processes at once", async () => {
      await invite();
      const { visitor } = await comeBack();
      const copies = Array.from({ length: 6 }, () => {
        const copy = new Visitor();
        for (const [key, value] of visitor.cookies) copy.cookies.set(key, value);
        return copy;
      });
      const answers = await Promise.all(copies.map((copy) => copy.enter(hub.origin)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.error))).toEqual(
        new Set(["sign_in_expired"]),
      );
    });

    test("does not begin another session after the first one has ended", async () => {
      await invite();
      const { visitor } = await comeBack();
      const cookies = [...visitor.cookies];
      const { body } = await visitor.enter(hub.origin);
      await ask("DELETE", "/account/session", { token: body.token });
      for (const [key, value] of cookies) visitor.cookies.set(key, value);
      expect((await visitor.enter(hub.origin)).body.error).toBe("sign_in_expired");
    });

    test("gives no session to pages of other origins", async () => {
      await invite();
      const { visitor } = await comeBack();
      for (const origin of ["https://evil.example", "null", `${HUB_URL}.evil.example`]) {
        const answer = await visitor.session(hub.origin, {}, { origin });
        expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      }
      expect((await visitor.enter(hub.origin)).status).toBe(201);
    });

    /** What must not come through, with what is done to a sign-in at the place given. */
    const REFUSED: readonly {
      readonly what: string;
      readonly status: number;
      readonly change?: (address: URL, visitor: Visitor) => void;
      readonly forge?: () => void;
      /** Whether the hub must not even ask the server. */
      readonly unasked?: boolean;
    }[] = [
      {
        what: "another state",
        status: 400,
        change: (address) => address.searchParams.set("state", "s".repeat(43)),
        unasked: true,
      },
      {
        what: "no state",
        status: 400,
        change: (address) => address.searchParams.delete("state"),
        unasked: true,
      },
      {
        what: "the `iss` of another server",
        status: 400,
        change: (address) => address.searchParams.set("iss", "https://other.example"),
        unasked: true,
      },
      {
        what: "another code",
        status: 400,
        change: (address) => address.searchParams.set("code", "c".repeat(43)),
      },
      {
        what: "no cookie",
        status: 400,
        change: (_address, { cookies }) => cookies.delete(PENDING),
        unasked: true,
      },
      {
        what: "a cookie that was changed",
        status: 400,
        change: (_address, { cookies }) => cookies.set(PENDING, `A${cookies.get(PENDING)?.slice(1)}`),
        unasked: true,
      },
      {
        what: "a cookie that is over",
        status: 400,
        change: (_address, { cookies }) => {
          const sealed = pastCookies().pending.set({ state: "s", nonce: "n", codeVerifier: "c" });
          cookies.set(PENDING, sealedIn(sealed));
        },
        unasked: true,
      },
      {
        what: "the server's refusal",
        status: 403,
        change: ({ searchParams }) => {
          searchParams.delete("code");
          searchParams.set("error", "access_denied");
        },
        unasked: true,
      },
      {
        what: "another nonce",
        status: 400,
        forge: () => {
          issuer.forgeClaims = (claims) => ({ ...claims, nonce: "n".repeat(43) });
        },
      },
      {
        what: "an ID token of another issuer",
        status: 400,
        forge: () => {
          issuer.forgeClaims = (claims) => ({ ...claims, iss: "https://other.example" });
        },
      },
      {
        what: "an ID token for another client",
        status: 400,
        forge: () => {
          issuer.forgeClaims = (claims) => ({ ...claims, aud: "another" });
        },
      },
      {
        what: "an ID token that is over",
        status: 400,
        forge: () => {
          issuer.forgeClaims = (claims) => ({ ...claims, exp: 1_000_000 });
        },
      },
      {
        what: "an ID token whose claims were changed after it was signed",
        status: 400,
        forge: () => {
          issuer.forgeToken = (token) => {
            const [head, payload = "", signature] = token.split(".");
            const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
            const changed = JSON.stringify({ ...claims, sub: "another" });
            return [head, Buffer.from(changed).toString("base64url"), signature].join(".");
          };
        },
      },
      {
        what: "an ID token with another signature",
        status: 400,
        forge: () => {
          issuer.forgeToken = (token) => token.replace(/[^.]+$/, (signature) => `AAAA${signature.slice(4)}`);
        },
      },
      {
        what: "an ID token without a signature",
        status: 400,
        forge: () => {
          issuer.forgeToken = (token) => {
            const head = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
            return `${head}.${token.split(".")[1]}.`;
          };
        },
      },
    ];
    for (const { what, status, change, forge, unasked = false } of REFUSED)
      test(`is refused with ${what}, and cannot be mended`, async () => {
        await invite();
        const visitor = new Visitor();
        const address = new URL(await visitor.authorize(hub.origin, sub));
        const right = address.href;
        const cookie = visitor.cookies.get(PENDING);
        change?.(address, visitor);
        forge?.();
        const before = issuer.tokenRequests;
        const visit = await visitor.comeBack(hub.origin, address.href);
        expect([visit.status, visit.headers.get("content-type")]).toEqual([
          status,
          "text/html; charset=utf-8",
        ]);
        expect(issuer.tokenRequests - before).toBe(unasked ? 0 : 1);
        expect((await visitor.session(hub.origin)).body.error).toBe("sign_in_expired");
        expect(cookie).toBeDefined();
        if (change && cookie && visitor.cookies.get(PENDING) === undefined)
          expect((await visitor.comeBack(hub.origin, right)).status).toBe(400);
      });

    /** As strangers send them; `S` is the right state, `C` the right code. */
    const HOSTILE = [
      ...["", "?", "?code", "?code=&state=", "?state=S", "?state=S&code=", "?code=C&code=C&state=S"],
      ...["?code=C&state=S&state=S", "?state=S&code=%", "?state=S&code=%00", "?state=S&code=%ff%fe"],
      ...[
        "?state[]=S&code=C",
        "?state=S&id_token=a.b.c",
        "?state=S&code=C&response=a.b.c",
        "?state=S&token=t",
      ],
      ...["?state=S&error=%3Cscript%3Ealert(1)%3C/script%3E", `?state=S&error=${"e".repeat(8000)}`],
      ...["?state=S&error=a%0a%7B%22level%22:50%7D", `?state=S&code=${"c".repeat(8000)}`],
    ];
    for (const query of HOSTILE)
      test(`is refused with "${query.slice(0, 60)}", as a page without markup of strangers`, async () => {
        await invite();
        const visitor = new Visitor();
        const { searchParams } = new URL(await visitor.authorize(hub.origin, sub));
        const filled = query
          .replaceAll("=S", `=${searchParams.get("state")}`)
          .replaceAll("=C", `=${searchParams.get("code")}`);
        const visit = await visitor.get(`${hub.origin}/auth/oidc/callback${filled}`);
        expect([400, 403]).toContain(visit.status);
        expect(visit.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(visit.text).not.toContain("<script");
        expect(visitor.cookies.has(IDENTITY)).toBe(false);
      });

    test("holds with an ID token that was signed anew, as those that are refused above", async () => {
      await invite();
      issuer.forgeClaims = (claims) => claims;
      expect((await signIn()).status).toBe(201);
    });

    test("is refused in another browser than it was begun in", async () => {
      await invite();
      const [mine, victims] = [new Visitor(), new Visitor()];
      const address = await mine.authorize(hub.origin, sub);
      await victims.get(`${hub.origin}/auth/oidc/login`); // has a cookie of a sign-in of its own
      expect((await victims.comeBack(hub.origin, address)).status).toBe(400);
      expect((await victims.session(hub.origin)).status).toBe(403);
    });

    test("is refused when it comes back twice, even with its cookie", async () => {
      await invite();
      const visitor = new Visitor();
      const address = await visitor.authorize(hub.origin, sub);
      const cookie = `${visitor.cookies.get(PENDING)}`;
      expect((await visitor.comeBack(hub.origin, address)).status).toBe(303);
      expect((await visitor.comeBack(hub.origin, address)).status).toBe(400);
      visitor.cookies.set(PENDING, cookie);
      visitor.cookies.delete(IDENTITY);
      expect((await visitor.comeBack(hub.origin, address)).status).toBe(400); // the server takes a code once
      expect((await visitor.session(hub.origin)).status).toBe(403);
    });

    test("is over after ten minutes, also once it has come back", async () => {
      await invite();
      const visitor = new Visitor();
      const identity = { id: randomUUID(), issuer: issuer.url, subject: sub, email };
      visitor.cookies.set(IDENTITY, sealedIn(pastCookies().identity.set(identity)));
      expect((await visitor.enter(hub.origin)).body.error).toBe("sign_in_expired");
      visitor.cookies.set(IDENTITY, sealedIn(pastCookies(0).identity.set(identity)));
      expect((await visitor.enter(hub.origin)).status).toBe(201); // what the cookie has is right
    });

    test("does not take one of its cookies for the other", async () => {
      await invite();
      const visitor = new Visitor();
      const address = await visitor.authorize(hub.origin, sub);
      visitor.cookies.set(IDENTITY, `${visitor.cookies.get(PENDING)}`);
      expect((await visitor.session(hub.origin)).body.error).toBe("sign_in_expired");
      await visitor.comeBack(hub.origin, address);
      visitor.cookies.set(PENDING, `${visitor.cookies.get(IDENTITY)}`);
      expect((await visitor.comeBack(hub.origin, address)).status).toBe(400);
    });

    test("leads nowhere else, whatever its address asks for", async () => {
      const visitor = new Visitor();
      for (const query of [
        "?return_to=https://evil.example",
        "?redirect_uri=https://evil.example/",
        "?another=1",
      ]) {
        const { headers } = await visitor.get(`${hub.origin}/auth/oidc/login${query}`);
        const location = new URL(`${headers.get("location")}`);
        expect(location.origin).toBe(issuer.url);
        expect(location.searchParams.get("redirect_uri")).toBe(`${HUB_URL}/auth/oidc/callback`);
        expect(location.searchParams.get("prompt")).toBe(query === "?another=1" ? "login" : null);
        expect(location.href).not.toContain("evil");
      }
    });

    test("applies a change of the member's role at once, in every process", async () => {
      const memberId = await invite("owner");
      const token = await tokenOf();
      expect(await everywhere(token, "GET", "/account/members")).toEqual(all(200));
      await ask("PUT", `/account/members/${memberId}`, { json: { role: "viewer" } });
      expect(await everywhere(token, "GET", "/account/members")).toEqual(all(403));
      expect(await everywhere(token, "GET", "/account/devices")).toEqual(all(200));
      await ask("PUT", `/account/members/${memberId}`, { json: { role: "owner" } });
      expect(await everywhere(token, "GET", "/account/members")).toEqual(all(200));
    });

    test("ends with the member, in every process", async () => {
      const memberId = await invite();
      const token = await tokenOf();
      const { visitor } = await comeBack();
      expect(await everywhere(token, "GET", "/account")).toEqual(all(200));
      expect((await ask("DELETE", `/account/members/${memberId}`)).status).toBe(204);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(401));
      expect((await visitor.session(hub.origin)).body.error).toBe("member_not_found");
      expect((await comeBack()).visit.status).toBe(403);
    });

    test("ends with the account", async () => {
      await invite("owner");
      const token = await tokenOf();
      expect((await ask("DELETE", "/account", { token })).status).toBe(204);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(401));
      expect((await comeBack()).visit.status).toBe(403);
    });

    test("ends by itself", async () => {
      const memberId = await invite();
      const token = await tokenOf();
      await withDatabase(hub, (database) =>
        database
          .updateTable("member_sessions")
          .set({ expires_at: Date.now() })
          .where("member_id", "=", memberId)
          .execute(),
      );
      await expect.poll(() => everywhere(token, "GET", "/account")).toEqual(all(401));
      await eventually(
        () =>
          withDatabase(hub, (database) =>
            database.selectFrom("member_sessions").select("id").where("member_id", "=", memberId).execute(),
          ),
        (rows) => rows.length === 0,
      );
    });

    test("ends when its member signs out, and no other session", async () => {
      await invite("viewer");
      const [token, other] = [await tokenOf(), await tokenOf()];
      expect((await ask("DELETE", "/account/session", { token })).status).toBe(204);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(401));
      expect(await everywhere(other, "GET", "/account")).toEqual(all(200));
      expect((await ask("DELETE", "/account/session")).body.error).toBe("session_not_found");
    });

    test("is one of ten at most: the next one ends the oldest", async () => {
      const memberId = await invite();
      const tokens: string[] = [];
      for (let count = 0; count < 11; count++) tokens.push(await tokenOf());
      const [first = "", ...others] = tokens;
      expect(await everywhere(first, "GET", "/account")).toEqual(all(401));
      for (const token of others) expect((await ask("GET", "/account", { token })).status).toBe(200);
      const { sessions } = (await ask("GET", `/account/members/${memberId}/sessions`)).body;
      expect(sessions).toHaveLength(10);
      expect((await ask("DELETE", `/account/members/${memberId}/sessions`)).status).toBe(204);
      expect(await everywhere(`${others[0]}`, "GET", "/account")).toEqual(all(401));
      expect((await ask("GET", `/account/members/${memberId}/sessions`)).body).toEqual({ sessions: [] });
    });

    test("is in the audit log, as is what is done in its session, with the member and the way", async () => {
      const memberId = await invite();
      const token = await tokenOf();
      await ask("DELETE", "/account/tokens/none", { token });
      const log = await eventually(
        async () => (await ask("GET", "/account/audit")).body.entries as Record<string, unknown>[],
        (entries) => entries.length >= 3,
      );
      const who = { actor: "member", actor_id: memberId, actor_name: "Ada", via: "oidc" };
      expect(log).toContainEqual(
        expect.objectContaining({ ...who, action: "POST /auth/oidc/token", status: 201 }),
      );
      expect(log).toContainEqual(
        expect.objectContaining({ ...who, action: "DELETE /account/tokens/{token_id}", status: 403 }),
      );
      const invited = log.find(({ action }) => action === "POST /account/members");
      expect(invited).not.toHaveProperty("via");
    });

    test("needs an invitation anew once an owner has changed the member's address", async () => {
      const memberId = await invite();
      const token = await tokenOf();
      const bob = `bob-${randomUUID()}`;
      issuer.people.set(bob, { email: `${bob}@example.com`, email_verified: true });
      const change = (address: string) =>
        ask("PUT", `/account/members/${memberId}`, { json: { email: address } });
      const changed = await change(`${bob}@example.com`);
      expect([changed.status, changed.body.email, changed.body.identity]).toEqual([
        200,
        `${bob}@example.com`,
        undefined,
      ]);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(401));
      expect((await comeBack()).visit.status).toBe(403);
      const bobs = (await signIn(bob)).body;
      expect(bobs.member_id).toBe(memberId);
      expect((await change(`${bob}@EXAMPLE.com`)).body.identity).toEqual({
        issuer: issuer.url,
        subject: bob,
      });
      expect(await everywhere(bobs.token, "GET", "/account")).toEqual(all(200)); // the same address
      expect((await change("")).body).not.toHaveProperty("email");
      expect((await comeBack(bob)).visit.status).toBe(403);
    });

    test("needs an address that no other member of the account has", async () => {
      const memberId = await invite();
      const twice = await ask("POST", "/account/members", { json: { name: "Eve", role: "viewer", email } });
      expect([twice.status, twice.body.error]).toEqual([409, "email_taken"]);
      const other = await addMember(hub, account.token, "viewer");
      const changed = await ask("PUT", `/account/members/${other.id}`, {
        json: { email: email.toUpperCase() },
      });
      expect(changed.body.error).toBe("email_taken");
      expect((await ask("PUT", `/account/members/${memberId}`, { json: { email } })).status).toBe(200);
      const invalid = await ask("POST", "/account/members", {
        json: { name: "Eve", role: "viewer", email: "eve" },
      });
      expect([invalid.status, invalid.body.error]).toEqual([400, "bad_parameter"]);
    });

    test("is added to a member who has a token, which stays valid", async () => {
      const { id, token } = await addMember(hub, account.token, "viewer");
      await ask("PUT", `/account/members/${id}`, { json: { email } });
      expect((await signIn()).body.member_id).toBe(id);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(200));
    });

    test("that an owner may invite to is no way to a higher role for others", async () => {
      await invite("operator");
      const token = await tokenOf();
      const refused = await ask("POST", "/account/members", {
        token,
        json: { name: "Eve", role: "owner", email: "e@e.e" },
      });
      expect([refused.status, refused.body.error]).toEqual([403, "forbidden"]);
      expect(await everywhere(token, "DELETE", "/account")).toEqual(all(403));
    });

    test("takes an identity once in each account, whatever addresses it has", async () => {
      await invite();
      await tokenOf();
      const second = `second-${email}`;
      await invite("owner", second);
      issuer.people.set(sub, { email: second, email_verified: true });
      const { status, body } = await signIn();
      expect(status).toBe(201);
      expect((await ask("GET", "/account", { token: body.token })).body.scopes).not.toContain("account");
    });

    test("is away with its server, while tokens and sessions work", async () => {
      await invite();
      const token = await tokenOf();
      const visitor = new Visitor();
      const address = await visitor.authorize(hub.origin, sub);
      await issuer.pause();
      try {
        const visit = await visitor.comeBack(hub.origin, address);
        expect([visit.status, visit.text.includes("Example Staff does not answer")]).toEqual([503, true]);
        expect(await everywhere(token, "GET", "/account")).toEqual(all(200));
        expect((await ask("GET", "/account")).status).toBe(200);
      } finally {
        await issuer.resume();
      }
      expect((await signIn()).status).toBe(201);
    });
  });

describe("A hub whose server of OpenID Connect is not there", () => {
  test("starts and serves, and signs in once the server has come", async () => {
    const issuer = await OidcIssuer.start(HUB_URL);
    const [{ start }] = HUBS as [(typeof HUBS)[number]];
    await issuer.pause();
    const hub = await start({ environment: issuer.environment(HUB_URL) });
    try {
      expect((await request(hub.origin, "GET", "/health/ready")).body.status).toBe("ready");
      const visit = await new Visitor().get(`${hub.origin}/auth/oidc/login`);
      expect(visit.status).toBe(503);
      await issuer.resume();
      issuer.otherIssuer = "https://other.example";
      expect((await new Visitor().get(`${hub.origin}/auth/oidc/login`)).status).toBe(400);
      issuer.otherIssuer = undefined;
      expect((await new Visitor().get(`${hub.origin}/auth/oidc/login`)).status).toBe(303);
      expect(hub.errors).toEqual([]);
    } finally {
      await hub.stop();
      await issuer.close();
    }
  });
});

describe("A hub", () => {
  test("sends its secret in the form where the server takes it there alone", async () => {
    const issuer = await OidcIssuer.start(HUB_URL, { clientSecretBy: "client_secret_post" });
    const [{ start }] = HUBS as [(typeof HUBS)[number]];
    const hub = await start({ environment: issuer.environment(HUB_URL) });
    try {
      issuer.people.set("ada", {});
      const visitor = new Visitor();
      const visit = await visitor.comeBack(hub.origin, await visitor.authorize(hub.origin, "ada"));
      expect([visit.status, visit.text.includes("You are no member")]).toEqual([403, true]);
    } finally {
      await hub.stop();
      await issuer.close();
    }
  });

  test("whose secret the server refuses says that the sign-in cannot be confirmed, and logs why without it", async () => {
    const issuer = await OidcIssuer.start(HUB_URL);
    const [{ start }] = HUBS as [(typeof HUBS)[number]];
    const secret = randomUUID();
    const environment = { ...issuer.environment(HUB_URL), SVC_HUB_OIDC_CLIENT_SECRET: secret };
    const hub = await start({ environment });
    try {
      issuer.people.set("ada", {});
      const visitor = new Visitor();
      const visit = await visitor.comeBack(hub.origin, await visitor.authorize(hub.origin, "ada"));
      expect(visit.status).toBe(400);
      await hub.stop();
      const log = hub.processes.flatMap(({ stderr }) => stderr).join("\n");
      expect(log).toMatch(/invalid_client/);
      expect(log).not.toContain(secret);
    } finally {
      await issuer.close();
    }
  });
});

describe("A hub without OpenID Connect", () => {
  test("offers no sign-in, has no pages for one, and invites nobody", async () => {
    const [{ start }] = HUBS as [(typeof HUBS)[number]];
    const hub = await start();
    try {
      const { token } = await madeAccount(hub);
      expect((await request(hub.origin, "GET", "/health/live")).body).toEqual({ status: "live" });
      for (const page of ["login", "callback", "logout"])
        expect((await request(hub.origin, "GET", `//auth/oidc/${page}`)).status).toBe(404);
      const json = { name: "Ada", role: "viewer", email: "ada@example.com" };
      const invited = await request(hub.origin, "POST", "/account/members", { token, json });
      expect([invited.status, invited.body.error]).toEqual([409, "sign_in_off"]);
      const begun = await request(hub.origin, "POST", "/auth/oidc/token", { json: {} });
      expect([begun.status, begun.body.error]).toEqual([409, "sign_in_off"]);
    } finally {
      await hub.stop();
    }
  });
});
