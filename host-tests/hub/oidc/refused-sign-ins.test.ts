/** Sign-ins that must not come through: forged, taken from others, begun elsewhere, too late (docs/spec/hub-api.md#sign-in). */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { describeSignIns, IDENTITY, PENDING, sealedIn } from "./sign-in-world.js";
import { HUB_URL, Visitor } from "./visitor.js";

describeSignIns("A sign-in", (world) => {
  const { invite, pastCookies, signIn } = world;

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
      change: (_address, { cookies }) => {
        const right = cookies.get(PENDING) ?? "";
        cookies.set(PENDING, (right.startsWith("A") ? "B" : "A") + right.slice(1));
      },
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
        world.issuer.forgeClaims = (claims) => ({ ...claims, nonce: "n".repeat(43) });
      },
    },
    {
      what: "an ID token of another issuer",
      status: 400,
      forge: () => {
        world.issuer.forgeClaims = (claims) => ({ ...claims, iss: "https://other.example" });
      },
    },
    {
      what: "an ID token for another client",
      status: 400,
      forge: () => {
        world.issuer.forgeClaims = (claims) => ({ ...claims, aud: "another" });
      },
    },
    {
      what: "an ID token that is over",
      status: 400,
      forge: () => {
        world.issuer.forgeClaims = (claims) => ({ ...claims, exp: 1_000_000 });
      },
    },
    {
      what: "an ID token whose claims were changed after it was signed",
      status: 400,
      forge: () => {
        world.issuer.forgeToken = (token) => {
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
        world.issuer.forgeToken = (token) =>
          token.replace(/[^.]+$/, (signature) => `AAAA${signature.slice(4)}`);
      },
    },
    {
      what: "an ID token without a signature",
      status: 400,
      forge: () => {
        world.issuer.forgeToken = (token) => {
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
      const address = new URL(await visitor.authorize(world.hub.origin, world.sub));
      const right = address.href;
      const cookie = visitor.cookies.get(PENDING);
      change?.(address, visitor);
      forge?.();
      const before = world.issuer.tokenRequests;
      const visit = await visitor.comeBack(world.hub.origin, address.href);
      expect([visit.status, visit.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
      expect(world.issuer.tokenRequests - before).toBe(unasked ? 0 : 1);
      expect((await visitor.session(world.hub.origin)).body.error).toBe("sign_in_expired");
      expect(cookie).toBeDefined();
      if (change && cookie && visitor.cookies.get(PENDING) === undefined)
        expect((await visitor.comeBack(world.hub.origin, right)).status).toBe(400);
    });

  /** As strangers send them; `S` is the right state, `C` the right code. */
  const HOSTILE = [
    ...["", "?", "?code", "?code=&state=", "?state=S", "?state=S&code=", "?code=C&code=C&state=S"],
    ...["?code=C&state=S&state=S", "?state=S&code=%", "?state=S&code=%00", "?state=S&code=%ff%fe"],
    ...["?state[]=S&code=C", "?state=S&id_token=a.b.c", "?state=S&code=C&response=a.b.c", "?state=S&token=t"],
    ...["?state=S&error=%3Cscript%3Ealert(1)%3C/script%3E", `?state=S&error=${"e".repeat(8000)}`],
    ...["?state=S&error=a%0a%7B%22level%22:50%7D", `?state=S&code=${"c".repeat(8000)}`],
  ];
  for (const query of HOSTILE)
    test(`is refused with "${query.slice(0, 60)}", as a page without markup of strangers`, async () => {
      await invite();
      const visitor = new Visitor();
      const { searchParams } = new URL(await visitor.authorize(world.hub.origin, world.sub));
      const filled = query
        .replaceAll("=S", `=${searchParams.get("state")}`)
        .replaceAll("=C", `=${searchParams.get("code")}`);
      const visit = await visitor.get(`${world.hub.origin}/auth/oidc/callback${filled}`);
      expect([400, 403]).toContain(visit.status);
      expect(visit.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(visit.text).not.toContain("<script");
      expect(visitor.cookies.has(IDENTITY)).toBe(false);
    });

  test("holds with an ID token that was signed anew, as those that are refused above", async () => {
    await invite();
    world.issuer.forgeClaims = (claims) => claims;
    expect((await signIn()).status).toBe(201);
  });

  test("is refused in another browser than it was begun in", async () => {
    await invite();
    const [mine, victims] = [new Visitor(), new Visitor()];
    const address = await mine.authorize(world.hub.origin, world.sub);
    await victims.get(`${world.hub.origin}/auth/oidc/login`); // has a cookie of a sign-in of its own
    expect((await victims.comeBack(world.hub.origin, address)).status).toBe(400);
    expect((await victims.session(world.hub.origin)).status).toBe(403);
  });

  test("is refused when it comes back twice, even with its cookie", async () => {
    await invite();
    const visitor = new Visitor();
    const address = await visitor.authorize(world.hub.origin, world.sub);
    const cookie = `${visitor.cookies.get(PENDING)}`;
    expect((await visitor.comeBack(world.hub.origin, address)).status).toBe(303);
    expect((await visitor.comeBack(world.hub.origin, address)).status).toBe(400);
    visitor.cookies.set(PENDING, cookie);
    visitor.cookies.delete(IDENTITY);
    expect((await visitor.comeBack(world.hub.origin, address)).status).toBe(400); // the server takes a code once
    expect((await visitor.session(world.hub.origin)).status).toBe(403);
  });

  test("is over after ten minutes, also once it has come back", async () => {
    await invite();
    const visitor = new Visitor();
    const identity = { id: randomUUID(), issuer: world.issuer.url, subject: world.sub, email: world.email };
    visitor.cookies.set(IDENTITY, sealedIn(pastCookies().identity.set(identity)));
    expect((await visitor.enter(world.hub.origin)).body.error).toBe("sign_in_expired");
    visitor.cookies.set(IDENTITY, sealedIn(pastCookies(0).identity.set(identity)));
    expect((await visitor.enter(world.hub.origin)).status).toBe(201); // what the cookie has is right
  });

  test("does not take one of its cookies for the other", async () => {
    await invite();
    const visitor = new Visitor();
    const address = await visitor.authorize(world.hub.origin, world.sub);
    visitor.cookies.set(IDENTITY, `${visitor.cookies.get(PENDING)}`);
    expect((await visitor.session(world.hub.origin)).body.error).toBe("sign_in_expired");
    await visitor.comeBack(world.hub.origin, address);
    visitor.cookies.set(PENDING, `${visitor.cookies.get(IDENTITY)}`);
    expect((await visitor.comeBack(world.hub.origin, address)).status).toBe(400);
  });

  test("leads nowhere else, whatever its address asks for", async () => {
    const visitor = new Visitor();
    for (const query of [
      "?return_to=https://evil.example",
      "?redirect_uri=https://evil.example/",
      "?another=1",
    ]) {
      const { headers } = await visitor.get(`${world.hub.origin}/auth/oidc/login${query}`);
      const location = new URL(`${headers.get("location")}`);
      expect(location.origin).toBe(world.issuer.url);
      expect(location.searchParams.get("redirect_uri")).toBe(`${HUB_URL}/auth/oidc/callback`);
      expect(location.searchParams.get("prompt")).toBe(query === "?another=1" ? "login" : null);
      expect(location.href).not.toContain("evil");
    }
  });
});
