/** What a hub expects of its server of OpenID Connect, and what it takes (docs/spec/hub-api.md#sign-in-identity, #sign-out). */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { CertificateMaker } from "../../hosts/certificates.js";
import { isMissing } from "../../hosts/peers.js";
import { madeAccount } from "../api/people.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { type IssuerOptions, OidcIssuer } from "../hosts/oidc-issuer.js";
import { request } from "../hosts/request.js";
import { HUB_URL, Visitor } from "./visitor.js";

/**
 * Both end with the test.
 * @param isAway whether the server does not answer yet
 */
async function started(
  { isAway = false, ...options }: IssuerOptions & { readonly isAway?: boolean } = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const issuer = await OidcIssuer.start(HUB_URL, options);
  onTestFinished(() => issuer.close());
  if (isAway) await issuer.pause();
  const hub = await EMBEDDED_HUB.start({ environment: { ...issuer.environment(HUB_URL), ...environment } });
  onTestFinished(() => hub.stop());
  return { issuer, hub };
}

/** A member who is invited and can sign in. @returns their id at the server */
async function invited(hub: HubUnderTest, issuer: OidcIssuer): Promise<string> {
  const sub = `ada-${randomUUID()}`;
  const email = `${sub}@example.com`;
  issuer.people.set(sub, { email, email_verified: true });
  const { token } = await madeAccount(hub);
  const json = { name: "Ada", role: "viewer", email };
  expect((await request(hub.origin, "POST", "/account/members", { token, json })).status).toBe(201);
  return sub;
}

async function signedIn({ origin }: HubUnderTest, sub: string, visitor = new Visitor()) {
  const visit = await visitor.comeBack(origin, await visitor.authorize(origin, sub));
  return { visit, session: await visitor.enter(origin) };
}

const logOf = (hub: HubUnderTest) => hub.processes.flatMap(({ stderr }) => stderr).join("\n");

describe("A server of OpenID Connect that has addresses at its UserInfo endpoint alone", () => {
  const visited = async (forge?: OidcIssuer["forgeUserInfo"]) => {
    const { hub, issuer } = await started({ emailIn: "UserInfo" });
    issuer.forgeUserInfo = forge;
    return signedIn(hub, await invited(hub, issuer));
  };

  test("is asked there, and who is invited joins the account", async () => {
    expect((await visited()).session.status).toBe(201);
  });

  test("is not believed an address that it has not verified", async () => {
    const { visit } = await visited((claims) => ({ ...claims, email_verified: false }));
    expect([visit.status, visit.text.includes("You are no member")]).toEqual([403, true]);
  });

  test("confirms nothing by an answer about somebody else", async () => {
    const { visit } = await visited((claims) => ({ ...claims, sub: "someone else" }));
    expect(visit.status).toBe(400);
  });
});

describe("A server of OpenID Connect that changes its key", () => {
  test("is believed under the new key at once, also while a sign-in is under way", async () => {
    const { hub, issuer } = await started();
    const sub = await invited(hub, issuer);
    expect((await signedIn(hub, sub)).session.status).toBe(201); // the hub has the first key
    const visitor = new Visitor();
    const address = await visitor.authorize(hub.origin, sub);
    await issuer.rotateKey();
    expect((await visitor.comeBack(hub.origin, address)).status).toBe(303);
    expect((await visitor.enter(hub.origin)).status).toBe(201);
    await issuer.rotateKey();
    expect((await signedIn(hub, sub)).session.status).toBe(201);
    expect(hub.errors).toEqual([]);
  });

  test("is believed no more under the former one", async () => {
    const { hub, issuer } = await started();
    const sub = await invited(hub, issuer);
    expect((await signedIn(hub, sub)).session.status).toBe(201);
    issuer.forgeKey = await issuer.rotateKey(); // whoever has it now
    issuer.forgeClaims = (claims) => claims;
    const { visit, session } = await signedIn(hub, sub);
    expect([visit.status, session.status]).toEqual([400, 403]);
  });
});

describe.skipIf(isMissing("openssl"))("A server of OpenID Connect at https://", () => {
  let directory: string;
  let maker: CertificateMaker;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "oidc-"));
    maker = new CertificateMaker(directory);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const authority = () => maker.make({ commonName: "Authority", isAuthority: true });
  const certificate = (name: string, issuer = authority()) =>
    maker.make({ commonName: name, names: [`DNS:${name}`], issuer });

  test("signs members in, with a certificate of an authority in NODE_EXTRA_CA_CERTS", async () => {
    const issuedBy = authority();
    const tls = certificate("localhost", issuedBy);
    const { hub, issuer } = await started({ tls }, { NODE_EXTRA_CA_CERTS: maker.save(issuedBy) });
    const sub = await invited(hub, issuer);
    const { visit, session } = await signedIn(hub, sub, new Visitor(issuedBy.cert));
    expect([visit.status, session.status]).toEqual([303, 201]);
    const asked = await request(hub.origin, "GET", "/account", { token: session.body.token });
    expect(asked.body).toMatchObject({ name: "Ada", scopes: ["read"] });
    expect(issuer.url).toMatch(/^https:/);
    expect(hub.errors).toEqual([]);
  });

  test("is not asked where its certificate is of an authority that the hub does not know, and the log says why", async () => {
    const { hub } = await started({ tls: certificate("localhost") });
    expect((await new Visitor().get(`${hub.origin}/auth/oidc/login`)).status).toBe(503);
    await hub.stop();
    expect(logOf(hub)).toMatch(/certificate/i);
  });

  test("is not asked where its certificate is of another name", async () => {
    const issuedBy = authority();
    const tls = certificate("other.example", issuedBy);
    const { hub } = await started({ tls }, { NODE_EXTRA_CA_CERTS: maker.save(issuedBy) });
    expect((await new Visitor().get(`${hub.origin}/auth/oidc/login`)).status).toBe(503);
    await hub.stop();
    expect(logOf(hub)).toMatch(/altnames|does not match/i);
  });
});

describe("The way to sign out of the server", () => {
  const signOut = ({ origin }: HubUnderTest, query = "") =>
    new Visitor().get(`${origin}/auth/oidc/logout${query}`);

  test("leads to the server's own sign-out, with the hub's id and nothing of the person", async () => {
    const { hub, issuer } = await started();
    const { status, headers } = await signOut(
      hub,
      "?post_logout_redirect_uri=https://evil.example/&id_token_hint=x",
    );
    expect([status, headers.get("location")]).toEqual([303, `${issuer.url}/session/end?client_id=svc-hub`]);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.getSetCookie()).toEqual([]);
    const { body } = await request(hub.origin, "GET", "/health/live");
    expect(body.sign_in.sign_out_url).toBe(`${HUB_URL}/auth/oidc/logout`);
  });

  test("ends no session of the hub, whoever sends a browser there", async () => {
    const { hub, issuer } = await started();
    const visitor = new Visitor();
    const { session } = await signedIn(hub, await invited(hub, issuer), visitor);
    await visitor.get(`${hub.origin}/auth/oidc/logout`);
    expect((await request(hub.origin, "GET", "/account", { token: session.body.token })).status).toBe(200);
  });

  test("is a page that says so where the server offers no sign-out", async () => {
    const { hub, issuer } = await started();
    issuer.offersSignOut = false;
    const { status, headers, text } = await signOut(hub);
    expect([status, headers.get("location")]).toEqual([404, null]);
    expect(text).toContain("Example Staff offers no sign-out here");
  });

  test("is a page that says so while the server is away", async () => {
    const { hub, issuer } = await started();
    await issuer.pause();
    const { status, text } = await signOut(hub);
    expect([status, text.includes("Example Staff does not answer")]).toEqual([503, true]);
  });
});

describe("A server of OpenID Connect that is not there when the hub starts", () => {
  test("hinders no start, and signs members in once it has come", async () => {
    const { hub, issuer } = await started({ isAway: true });
    expect((await request(hub.origin, "GET", "/health/ready")).body.status).toBe("ready");
    const begin = async () => (await new Visitor().get(`${hub.origin}/auth/oidc/login`)).status;
    expect(await begin()).toBe(503);
    await issuer.resume();
    issuer.otherIssuer = "https://other.example";
    expect(await begin()).toBe(400);
    issuer.otherIssuer = undefined;
    expect(await begin()).toBe(303);
    expect(hub.errors).toEqual([]);
  });
});

describe("A server of OpenID Connect that identifies the hub by its secret", () => {
  const visited = async (hub: HubUnderTest, issuer: OidcIssuer) => {
    issuer.people.set("ada", {});
    const visitor = new Visitor();
    return visitor.comeBack(hub.origin, await visitor.authorize(hub.origin, "ada"));
  };

  test("gets it in the form where it takes it there alone", async () => {
    const { hub, issuer } = await started({ clientSecretBy: "client_secret_post" });
    const visit = await visited(hub, issuer);
    expect([visit.status, visit.text.includes("You are no member")]).toEqual([403, true]);
  });

  test("confirms no sign-in where it refuses the secret; the log says why, without it", async () => {
    const secret = randomUUID();
    const { hub, issuer } = await started({}, { SVC_HUB_OIDC_CLIENT_SECRET: secret });
    expect((await visited(hub, issuer)).status).toBe(400);
    await hub.stop();
    expect(logOf(hub)).toMatch(/invalid_client/);
    expect(logOf(hub)).not.toContain(secret);
  });
});

describe("A hub without a server of OpenID Connect", () => {
  test("offers no sign-in, has no pages for one, and invites nobody", async () => {
    const hub = await EMBEDDED_HUB.start();
    onTestFinished(() => hub.stop());
    const { token } = await madeAccount(hub);
    expect((await request(hub.origin, "GET", "/health/live")).body).toEqual({ status: "live" });
    for (const page of ["login", "callback", "logout"])
      expect((await request(hub.origin, "GET", `//auth/oidc/${page}`)).status).toBe(404);
    const json = { name: "Ada", role: "viewer", email: "ada@example.com" };
    const refused = await request(hub.origin, "POST", "/account/members", { token, json });
    expect([refused.status, refused.body.error]).toEqual([409, "sign_in_off"]);
    const begun = await request(hub.origin, "POST", "/auth/oidc/token", { json: {} });
    expect([begun.status, begun.body.error]).toEqual([409, "sign_in_off"]);
  });
});
