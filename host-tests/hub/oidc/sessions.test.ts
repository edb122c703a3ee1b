/** The sessions of members who have signed in by OpenID Connect (docs/spec/hub-api.md#sessions). */
import { expect, test } from "vitest";
import { eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { describeSignIns } from "./sign-in-world.js";

describeSignIns("A session", (world) => {
  const { all, ask, comeBack, everywhere, invite, tokenOf } = world;

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
    expect((await visitor.session(world.hub.origin)).body.error).toBe("member_not_found");
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
    await withDatabase(world.hub, (database) =>
      database
        .updateTable("member_sessions")
        .set({ expires_at: Date.now() })
        .where("member_id", "=", memberId)
        .execute(),
    );
    await expect.poll(() => everywhere(token, "GET", "/account")).toEqual(all(401));
    await eventually(
      () =>
        withDatabase(world.hub, (database) =>
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
});
