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
import { createServer as createSecureServer } from "node:https";
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

export interface IssuerOptions {
  /** The one way in which it takes the hub's secret. */
  readonly clientSecretBy?: "client_secret_basic" | "client_secret_post";
  /** Where it tells addresses: servers that follow the specification to the letter leave them out of the ID token. */
  readonly emailIn?: "id token" | "UserInfo";
  /** Of "localhost", which it then is at `https://`. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

const CLIENT_ID = "svc-hub";

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

function newKey(): SigningKey {
  return { id: randomUUID(), privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey };
}

/** What the server has to remember, also across a change of its key: as it wants it, and for the time of a test. */
class Memory {
  readonly #entries: Map<string, Claims>;
  readonly #kind: string;

  constructor(entries: Map<string, Claims>, kind: string) {
    this.#entries = entries;
    this.#kind = kind;
  }

  async upsert(id: string, entry: Claims): Promise<void> {
    this.#entries.set(`${this.#kind} ${id}`, entry);
  }

  async find(id: string): Promise<Claims | undefined> {
    return this.#entries.get(`${this.#kind} ${id}`);
  }

  async findByUid(uid: string): Promise<Claims | undefined> {
    return [...this.#entries.values()].find((entry) => entry["uid"] === uid && entry["kind"] === this.#kind);
  }

  async consume(id: string): Promise<void> {
    Object.assign((await this.find(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
  }

  async destroy(id: string): Promise<void> {
    this.#entries.delete(`${this.#kind} ${id}`);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, entry] of this.#entries) if (entry["grantId"] === grantId) this.#entries.delete(key);
  }
}

const HEAD = `<!doctype html><title>Example Staff</title><link rel="icon" href="data:,">`;

/** @param form with no button */
function askToSignOut(context: { body?: unknown }, form: string): void {
  context.body = `${HEAD}<h1>Sign out?</h1>${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
}

function tellSignedOut(context: { body?: unknown }): void {
  context.body = `${HEAD}<h1>You are signed out</h1>`;
}

export class OidcIssuer {
  readonly #server: Server;
  readonly #isSecure: boolean;
  #key = newKey();
  readonly #clientSecret = randomUUID();
  readonly #cookieKey = randomUUID();
  readonly #memory = new Map<string, Claims>();
  readonly #redirectUri: string;
  readonly #clientSecretBy: string;
  readonly #emailIn: string;
  #port = 0;
  /** By `sub`. */
  readonly people = new Map<string, Person>();
  /** Changes the claims of the next ID tokens, which are then signed anew. */
  forgeClaims: ((claims: Claims) => Claims) | undefined;
  /** Signs them in place of its own key. */
  forgeKey: SigningKey | undefined;
  /** Changes the next ID tokens themselves. */
  forgeToken: ((token: string) => string) | undefined;
  /** What it says that it is, if not itself. */
  otherIssuer: string | undefined;
  /** Changes what its UserInfo endpoint says. */
  forgeUserInfo: ((claims: Claims) => Claims) | undefined;
  /** Whether it says where people sign out of it. */
  offersSignOut = true;
  /** Requests to the token endpoint so far. */
  tokenRequests = 0;

  private constructor(hubUrl: string, options: IssuerOptions) {
    const { clientSecretBy = "client_secret_basic", emailIn = "id token", tls } = options;
    this.#server = tls ? createSecureServer(tls) : createServer();
    this.#isSecure = tls !== undefined;
    this.#redirectUri = `${hubUrl}/auth/oidc/callback`;
    this.#clientSecretBy = clientSecretBy;
    this.#emailIn = emailIn;
  }

  /** @param hubUrl of the hub that it knows, without a slash at its end */
  static async start(hubUrl: string, options: IssuerOptions = {}): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(hubUrl, options);
    await issuer.resume();
    await issuer.#serve();
    return issuer;
  }

  get url(): string {
    return this.#isSecure ? `https://localhost:${this.#port}` : `http://127.0.0.1:${this.#port}`;
  }

  /** From now on it signs with a new key. @returns the former one, which it has no more */
  async rotateKey(): Promise<SigningKey> {
    const former = this.#key;
    this.#key = newKey();
    await this.#serve();
    return former;
  }

  /** For a hub at `hubUrl`. */
  environment(hubUrl: string): Readonly<Record<string, string>> {
    return {
      SVC_HUB_PUBLIC_URL: hubUrl,
      SVC_HUB_OIDC_ISSUER: this.url,
      SVC_HUB_OIDC_NAME: "Example Staff",
      SVC_HUB_OIDC_CLIENT_ID: CLIENT_ID,
      SVC_HUB_OIDC_CLIENT_SECRET: this.#clientSecret,
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
    const { id, privateKey } = this.forgeKey ?? this.#key;
    const head = { alg: "RS256", kid: id, typ: "JWT" };
    const signed = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${signed}.${createSign("sha256").update(signed).sign(privateKey, "base64url")}`;
  }

  #configuration(): object {
    const { id, privateKey } = this.#key;
    const jwk = { ...privateKey.export({ format: "jwk" }), kid: id, alg: "RS256", use: "sig" };
    return {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: this.#clientSecret,
          redirect_uris: [this.#redirectUri],
          grant_types: ["authorization_code"],
          response_types: ["code"],
          token_endpoint_auth_method: this.#clientSecretBy,
        },
      ],
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      clientAuthMethods: [this.#clientSecretBy],
      jwks: { keys: [jwk] },
      adapter: (kind: string) => new Memory(this.#memory, kind),
      cookies: { keys: [this.#cookieKey] },
      pkce: { required: () => true },
      claims: { openid: ["sub"], email: ["email", "email_verified"] },
      conformIdTokenClaims: this.#emailIn === "UserInfo",
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: { logoutSource: askToSignOut, postLogoutSuccessSource: tellSignedOut },
      },
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

  async #serve(): Promise<void> {
    const { default: ProviderOf } = (await import("oidc-provider" as string)) as { default: ProviderClass };
    const provider = new ProviderOf(this.url, this.#configuration());
    provider.use(async (context, next) => {
      await next();
      const { body } = context;
      if (context.path.startsWith("/.well-known/") && this.otherIssuer && body)
        body["issuer"] = this.otherIssuer;
      if (context.path === "/me" && this.forgeUserInfo && body) context.body = this.forgeUserInfo(body);
      if (context.path.startsWith("/.well-known/") && !this.offersSignOut && body)
        delete body["end_session_endpoint"];
      if (context.path !== "/token") return;
      this.tokenRequests += 1;
      if (typeof body?.["id_token"] === "string") body["id_token"] = this.#forged(body["id_token"]);
    });
    const serve = provider.callback();
    this.#server.removeAllListeners("request").on("request", (request, response) => {
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
    response.end(`${HEAD}<h1>Who are you?</h1><form>${options.join("")}</form>`);
  }
}
