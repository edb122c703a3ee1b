/** The addresses that an account invites, and the identities that they become (docs/spec/hub-api.md#sign-in-identity). */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { addMember } from "../api/world.js";
import { describeSignIns } from "./sign-in-world.js";
import { Visitor } from "./visitor.js";

describeSignIns("A sign-in", (world) => {
  const { all, ask, comeBack, everywhere, invite, signIn, tokenOf } = world;

  test("needs an invitation anew once an owner has changed the member's address", async () => {
    const memberId = await invite();
    const token = await tokenOf();
    const bob = `bob-${randomUUID()}`;
    world.issuer.people.set(bob, { email: `${bob}@example.com`, email_verified: true });
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
      issuer: world.issuer.url,
      subject: bob,
    });
    expect(await everywhere(bobs.token, "GET", "/account")).toEqual(all(200)); // the same address
    expect((await change("")).body).not.toHaveProperty("email");
    expect((await comeBack(bob)).visit.status).toBe(403);
  });

  test("needs an address that no other member of the account has", async () => {
    const memberId = await invite();
    const twice = await ask("POST", "/account/members", {
      json: { name: "Eve", role: "viewer", email: world.email },
    });
    expect([twice.status, twice.body.error]).toEqual([409, "email_taken"]);
    const other = await addMember(world.hub, world.account.token, "viewer");
    const changed = await ask("PUT", `/account/members/${other.id}`, {
      json: { email: world.email.toUpperCase() },
    });
    expect(changed.body.error).toBe("email_taken");
    expect((await ask("PUT", `/account/members/${memberId}`, { json: { email: world.email } })).status).toBe(
      200,
    );
    const invalid = await ask("POST", "/account/members", {
      json: { name: "Eve", role: "viewer", email: "eve" },
    });
    expect([invalid.status, invalid.body.error]).toEqual([400, "bad_parameter"]);
  });

  test("is added to a member who has a token, which stays valid", async () => {
    const { id, token } = await addMember(world.hub, world.account.token, "viewer");
    await ask("PUT", `/account/members/${id}`, { json: { email: world.email } });
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
    const second = `second-${world.email}`;
    await invite("owner", second);
    world.issuer.people.set(world.sub, { email: second, email_verified: true });
    const { status, body } = await signIn();
    expect(status).toBe(201);
    expect((await ask("GET", "/account", { token: body.token })).body.scopes).not.toContain("account");
  });

  test("is away with its server, while tokens and sessions work", async () => {
    await invite();
    const token = await tokenOf();
    const visitor = new Visitor();
    const address = await visitor.authorize(world.hub.origin, world.sub);
    await world.issuer.pause();
    try {
      const visit = await visitor.comeBack(world.hub.origin, address);
      expect([visit.status, visit.text.includes("Example Staff does not answer")]).toEqual([503, true]);
      expect(await everywhere(token, "GET", "/account")).toEqual(all(200));
      expect((await ask("GET", "/account")).status).toBe(200);
    } finally {
      await world.issuer.resume();
    }
    expect((await signIn()).status).toBe(201);
  });
});
