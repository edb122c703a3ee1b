/** A hub and its server of OpenID Connect, and for each test a person at that server and an account that may invite them. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import type { OidcConfig } from "../../../hub/config/read-oidc.js";
import { signInCookies } from "../../../hub/oidc/sign-in-cookies.js";
import { madeAccount, type TestAccount } from "../api/people.js";
import { HUBS, type HubKind, type HubUnderTest } from "../hosts/hub-under-test.js";
import { OidcIssuer } from "../hosts/oidc-issuer.js";
import { type Answer, request } from "../hosts/request.js";
import { HUB_URL, Visitor } from "./visitor.js";

/** Of the hub: of a sign-in that has begun, and of whom the server has named. */
export const PENDING = "__Host-svc_sign_in";
export const IDENTITY = "__Host-svc_identity";

/** What a `Set-Cookie` field sets. */
export const sealedIn = (field: string) => field.slice(field.indexOf("=") + 1, field.indexOf(";"));

/** @param define the tests, for each kind of hub */
export function describeSignIns(what: string, define: (world: SignInWorld) => void): void {
  for (const kind of HUBS)
    describe.skipIf(kind.missing)(`${what} on ${kind.name}`, () => {
      const world = new SignInWorld();
      beforeAll(() => world.start(kind));
      beforeEach(() => world.renew());
      afterEach(() => world.forgeNothing());
      afterAll(() => world.stop());
      define(world);
    });
}

export class SignInWorld {
  hub!: HubUnderTest;
  issuer!: OidcIssuer;
  account!: TestAccount;
  /** The person's id at the server. */
  sub = "";
  email = "";

  async start({ start }: HubKind): Promise<void> {
    this.issuer = await OidcIssuer.start(HUB_URL);
    this.hub = await start({ environment: this.issuer.environment(HUB_URL) });
  }

  async stop(): Promise<void> {
    await this.hub?.stop();
    await this.issuer?.close();
    expect(this.hub?.errors).toEqual([]);
  }

  async renew(): Promise<void> {
    this.account = await madeAccount(this.hub);
    this.sub = `ada-${randomUUID()}`;
    this.email = `${this.sub}@example.com`;
    this.issuer.people.set(this.sub, { email: this.email, email_verified: true });
  }

  forgeNothing(): void {
    this.issuer.forgeClaims = undefined;
    this.issuer.forgeToken = undefined;
  }

  /** As the account, by default. */
  readonly ask = (method: string, path: string, options: { token?: string; json?: object } = {}) =>
    request(this.hub.origin, method, path, { token: this.account.token, ...options });

  /** @returns the id of the member that waits for the person */
  readonly invite = async (
    role = "operator",
    email = this.email,
    token = this.account.token,
  ): Promise<string> => {
    const { status, body } = await this.ask("POST", "/account/members", {
      token,
      json: { name: "Ada", role, email },
    });
    expect([status, body.token]).toEqual([201, undefined]);
    return body.member_id;
  };

  /** Each step meets another process. */
  readonly comeBack = async (as = this.sub, visitor = new Visitor()) => {
    const address = await visitor.authorize(this.hub.origin, as);
    return { visitor, visit: await visitor.comeBack(this.hub.origin, address) };
  };

  readonly signIn = async (as = this.sub): Promise<Answer> =>
    (await this.comeBack(as)).visitor.enter(this.hub.origin);

  readonly tokenOf = async (as = this.sub): Promise<string> => (await this.signIn(as)).body.token;

  /** The statuses of a request to every process. */
  readonly everywhere = (token: string, method: string, path: string, json?: object) =>
    Promise.all(
      this.hub.origins.map(async (origin) => (await request(origin, method, path, { token, json })).status),
    );

  /** What {@link everywhere} returns where every process answers this. */
  readonly all = (status: number) => this.hub.origins.map(() => status);

  /** The hub's own cookies, as it has set them some time ago. */
  readonly pastCookies = (agoMs = 601_000) =>
    signInCookies({
      now: () => Date.now() - agoMs,
      config: {
        secret: `${this.hub.environment["SVC_HUB_SECRET"]}`,
        oidc: { hubUrl: HUB_URL } as OidcConfig,
      },
    });
}
