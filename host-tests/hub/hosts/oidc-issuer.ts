/**
 * A server of OpenID Connect, on this machine: `oidc-provider`, with a page where a person says who they are. Tests can have it
 * sign what it should not, and be away.
 */
import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { freePort } from "./own-server.js";

/** What of it is used: it comes without types. */
interface Provider {
  callback(): RequestListener;
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}
interface Context {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  body?: Record<string, unknown>;
  status: number;
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<unknown> };
    };
  };
}
type ProviderClass = new (issuer: string, configuration: object) => Provider;

/** The claims of a person, besides `sub`. */
export interface Person {
  readonly email?: string;
  readonly email_verified?: boolean;
}

type Claims = Record<string, unknown>;

interface IssuerOptions {
  /** The one way in which it takes the hub's secret. */
  readonly clientSecretBy?: "client_secret_basic" | "client_secret_post";
  /** Where it tells addresses: servers that follow the specification to the letter leave them out of the ID token. */
  readonly emailIn?: "id token" | "UserInfo";
}

const CLIENT_ID = "svc-hub";
const KEY_ID = "key-1";

export class OidcIssuer {
  readonly #server: Server;
  readonly #keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly #clientSecret = randomUUID();
  #port = 0;
  /** By `sub`. */
  readonly people = new Map<string, Person>();
  /** Changes the claims of the next ID tokens, which are then signed anew. */
  forgeClaims: ((claims: Claims) => Claims) | undefined;
  /** Changes the next ID tokens themselves. */
  forgeToken: ((token: string) => string) | undefined;
  /** What it says that it is, if not itself. */
  otherIssuer: string | undefined;
  /** Changes what its UserInfo endpoint says. */
  forgeUserInfo: ((claims: Claims) => Claims) | undefined;
  /** Requests to the token endpoint so far. */
  tokenRequests = 0;

  private constructor() {
    this.#server = createServer();
    this.#keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  }

  /** @param hubUrl of the hub that it knows, without a slash at its end */
  static async start(hubUrl: string, options: IssuerOptions = {}): Promise<OidcIssuer> {
    const issuer = new OidcIssuer();
    await issuer.resume();
    const { default: ProviderOf } = (await import("oidc-provider" as string)) as { default: ProviderClass };
    issuer.#serve(new ProviderOf(issuer.url, issuer.#configuration(`${hubUrl}/auth/oidc/callback`, options)));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For a hub at `hubUrl`. */
  environment(hubUrl: string): Readonly<Record<string, string>> {
    return {
      ...{ SVC_HUB_PUBLIC_URL: hubUrl, SVC_HUB_OIDC_ISSUER: this.url, SVC_HUB_OIDC_NAME: "Example Staff" },
      ...{ SVC_HUB_OIDC_CLIENT_ID: CLIENT_ID, SVC_HUB_OIDC_CLIENT_SECRET: this.#clientSecret },
    };
  }

  /** Closes its port until {@link resume}. */
  async pause(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async resume(): Promise<void> {
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.pause();
  }

  /** An ID token with these claims and a valid signature. */
  #sign(claims: Claims): string {
    const head = { alg: "RS256", kid: KEY_ID, typ: "JWT" };
    const signed = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${signed}.${createSign("sha256").update(signed).sign(this.#keys.privateKey, "base64url")}`;
  }

  #configuration(
    redirectUri: string,
    { clientSecretBy = "client_secret_basic", emailIn = "id token" }: IssuerOptions,
  ): object {
    const jwk = { ...this.#keys.privateKey.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" };
    return {
      clients: [
        {
          ...{ client_id: CLIENT_ID, client_secret: this.#clientSecret, redirect_uris: [redirectUri] },
          ...{ grant_types: ["authorization_code"], response_types: ["code"] },
          token_endpoint_auth_method: clientSecretBy,
        },
      ],
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      clientAuthMethods: [clientSecretBy],
      jwks: { keys: [jwk] },
      cookies: { keys: [randomUUID()] },
      pkce: { required: () => true },
      claims: { openid: ["sub"], email: ["email", "email_verified"] },
      conformIdTokenClaims: emailIn === "UserInfo",
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: Context, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, ...this.people.get(accountId) }),
      }),
      // Nobody is asked whether the hub may know their address.
      loadExistingGrant: async ({ oidc }: Context) => {
        const { client, provider, session } = oidc;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid email");
        await grant.save();
        return grant;
      },
    };
  }

  #serve(provider: Provider): void {
    provider.use(async (context, next) => {
      await next();
      const { body } = context;
      if (context.path.startsWith("/.well-known/") && this.otherIssuer && body)
        body["issuer"] = this.otherIssuer;
      if (context.path === "/me" && this.forgeUserInfo && body) context.body = this.forgeUserInfo(body);
      if (context.path !== "/token") return;
      this.tokenRequests += 1;
      if (typeof body?.["id_token"] === "string") body["id_token"] = this.#forged(body["id_token"]);
    });
    const serve = provider.callback();
    this.#server.on("request", (request, response) => {
      const address = new URL(`${request.url}`, this.url);
      if (!address.pathname.startsWith("/interaction/")) return serve(request, response);
      const accountId = address.searchParams.get("as");
      if (accountId === null) return this.#ask(response);
      void provider.interactionFinished(request, response, { login: { accountId, remember: false } });
    });
  }

  #forged(token: string): string {
    const [, payload = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
    const signed = this.forgeClaims ? this.#sign(this.forgeClaims(claims)) : token;
    return this.forgeToken?.(signed) ?? signed;
  }

  #ask(response: ServerResponse): void {
    const options = [...this.people.keys()].map((sub) => `<button name="as" value="${sub}">${sub}</button>`);
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><title>Example Staff</title><link rel="icon" href="data:,"><h1>Who are you?</h1><form>${options.join("")}</form>`,
    );
  }
}
