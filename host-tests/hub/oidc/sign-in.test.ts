/** Sign-in by OpenID Connect at a real server: who becomes a member, and gets a session (docs/spec/hub-api.md#sign-in). */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { madeAccount } from "../api/people.js";
import { request } from "../hosts/request.js";
import { describeSignIns, IDENTITY, PENDING } from "./sign-in-world.js";
import { HUB_URL, Visitor } from "./visitor.js";

const TOKEN = expect.stringMatching(/^svcs_[A-Za-z0-9_-]{43}$/);

describeSignIns("A sign-in", (world) => {
  const { ask, comeBack, invite, signIn, tokenOf } = world;

  test("is offered where the hub is identified", async () => {
    const { body } = await request(world.hub.origin, "GET", "/health/live");
    expect(body.sign_in).toEqual({
      name: "Example Staff",
      url: `${HUB_URL}/auth/oidc/login`,
      sign_out_url: `${HUB_URL}/auth/oidc/logout`,
    });
  });

  test("makes the invited member of an identity, with a session of twelve hours", async () => {
    const memberId = await invite();
    const visitor = new Visitor();
    const address = await visitor.authorize(world.hub.origin, world.sub);
    const visit = await visitor.comeBack(world.hub.origin, address);
    expect([visit.status, visit.headers.get("location")]).toEqual([303, `${HUB_URL}/fleet/#/signed-in`]);
    const asked = await visitor.session(world.hub.origin);
    const choice = {
      member_id: memberId,
      account_id: world.account.accountId,
      name: "Ada",
      role: "operator",
    };
    expect([asked.status, asked.body]).toEqual([200, { choices: [{ ...choice, invited: true }] }]);
    const { status, body } = await visitor.session(world.hub.origin, { member_id: memberId });
    expect([status, body]).toEqual([
      201,
      {
        token: TOKEN,
        expires_at: expect.any(String),
        member_id: memberId,
        account_id: world.account.accountId,
      },
    ]);
    const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12.01);
    expect((await ask("GET", "/account", { token: body.token })).body).toEqual({
      account_id: world.account.accountId,
      name: "Ada",
      scopes: ["read", "orders", "consoles"],
    });
    const { members } = (await ask("GET", "/account/members")).body;
    expect(members).toEqual([
      expect.objectContaining({
        member_id: memberId,
        email: world.email,
        identity: { issuer: world.issuer.url, subject: world.sub },
      }),
    ]);
  });

  test("keeps cookies that scripts and other sites do not get, and no secret in an address or the log", async () => {
    await invite();
    const visitor = new Visitor();
    const begun = await visitor.get(`${world.hub.origin}/auth/oidc/login`);
    const [pending = ""] = begun.headers.getSetCookie();
    expect(pending).toMatch(
      /^__Host-svc_sign_in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const query = new URL(`${begun.headers.get("location")}`).searchParams;
    expect(query.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
    expect(query.get("redirect_uri")).toBe(`${HUB_URL}/auth/oidc/callback`);
    const address = await visitor.authorize(world.hub.origin, world.sub);
    const back = await visitor.comeBack(world.hub.origin, address);
    const identity = back.headers.getSetCookie().find((field) => field.startsWith(IDENTITY));
    expect(identity).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect(back.headers.get("referrer-policy")).toBe("no-referrer");
    expect(visitor.cookies.has(PENDING)).toBe(false);
    const { body } = await visitor.enter(world.hub.origin);
    expect([...visitor.cookies.keys()].filter((each) => each.startsWith("__Host-svc"))).toEqual([]);
    await ask("DELETE", `/devices/me/${body.token}`, { token: body.token });
    const log = world.hub.processes.flatMap(({ stderr }) => stderr).join("\n");
    expect(log).toMatch(/auth\/oidc\/token/);
    for (const secret of [body.token, new URL(address).searchParams.get("code"), world.email])
      expect(log).not.toContain(secret);
  });

  test("counts issuer and subject from the first time on, whatever the address is then", async () => {
    const memberId = await invite();
    await tokenOf();
    world.issuer.people.set(world.sub, { email: "other@example.com", email_verified: false });
    expect((await signIn()).body.member_id).toBe(memberId);
    const thief = `thief-${randomUUID()}`;
    world.issuer.people.set(thief, { email: world.email, email_verified: true });
    expect((await comeBack(thief)).visit.status).toBe(403);
  });

  test("compares addresses in either case of A to Z", async () => {
    await invite("viewer", world.email.toUpperCase());
    expect((await signIn()).status).toBe(201);
  });

  test("asks no more who has been the only member before", async () => {
    const memberId = await invite();
    await tokenOf();
    const { visitor } = await comeBack();
    const { status, body } = await visitor.session(world.hub.origin);
    expect([status, body.member_id]).toEqual([201, memberId]);
  });

  test("makes nobody a member of a stranger's account unless they agree", async () => {
    await invite("owner");
    const { visitor } = await comeBack();
    expect((await visitor.session(world.hub.origin)).body.choices).toHaveLength(1);
    expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
  });

  test("makes no member of someone whom no account has invited, and says what to do", async () => {
    const { visit, visitor } = await comeBack();
    expect([visit.status, visit.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(visit.text).toContain(`invite <strong>${world.email}</strong>`);
    expect((await visitor.session(world.hub.origin)).body.error).toBe("sign_in_expired");
  });

  for (const [what, person] of [
    ["is not verified", { email_verified: false }],
    ["is said to be verified by a text", { email_verified: "true" as never }],
    ["is verified or not, which the server does not say", {}],
  ] as const)
    test(`makes no member of an address that ${what}`, async () => {
      await invite();
      world.issuer.people.set(world.sub, { email: world.email, ...person });
      const { visit, visitor } = await comeBack();
      expect(visit.status).toBe(403);
      expect(visit.text).toContain("does not say that it has verified an e-mail address");
      expect((await visitor.session(world.hub.origin)).status).toBe(403);
      expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
    });

  test("shows what the server tells as text", async () => {
    const hostile = `<script>alert(1)</script>&"@example.com`;
    world.issuer.people.set(world.sub, { email: hostile, email_verified: true });
    const { visit } = await comeBack();
    expect(visit.status).toBe(403);
    expect(visit.text).not.toContain("<script");
    expect(visit.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
  });

  test("lets one who is a member of several accounts choose", async () => {
    const other = await madeAccount(world.hub);
    const [here, there] = [await invite(), await invite("viewer", world.email, other.token)];
    const { visitor } = await comeBack();
    const { status, body } = await visitor.session(world.hub.origin);
    expect(status).toBe(200);
    expect(body.choices).toHaveLength(2);
    expect(body.choices).toContainEqual({
      member_id: there,
      account_id: other.accountId,
      name: "Ada",
      role: "viewer",
      invited: true,
    });
    const chosen = await visitor.session(world.hub.origin, { member_id: there });
    expect([chosen.status, chosen.body.account_id]).toEqual([201, other.accountId]);
    expect((await ask("GET", "/account/members")).body.members[0]).not.toHaveProperty("identity");
    const again = await (await comeBack()).visitor.session(world.hub.origin);
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
      const answer = await visitor.session(world.hub.origin, { member_id });
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
    const answers = await Promise.all(copies.map((copy) => copy.enter(world.hub.origin)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.error))).toEqual(
      new Set(["sign_in_expired"]),
    );
  });

  test("does not begin another session after the first one has ended", async () => {
    await invite();
    const { visitor } = await comeBack();
    const cookies = [...visitor.cookies];
    const { body } = await visitor.enter(world.hub.origin);
    await ask("DELETE", "/account/session", { token: body.token });
    for (const [key, value] of cookies) visitor.cookies.set(key, value);
    expect((await visitor.enter(world.hub.origin)).body.error).toBe("sign_in_expired");
  });

  test("gives no session to pages of other origins", async () => {
    await invite();
    const { visitor } = await comeBack();
    for (const origin of ["https://evil.example", "null", `${HUB_URL}.evil.example`]) {
      const answer = await visitor.session(world.hub.origin, {}, { origin });
      expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
    expect((await visitor.enter(world.hub.origin)).status).toBe(201);
  });
});
