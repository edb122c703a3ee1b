/**
 * The server of OpenID Connect at which members sign in: the authorization code flow with PKCE, `state` and `nonce` (OpenID
 * Connect Core 1.0 §3.1), by openid-client. What the server says about itself is read at the first sign-in, so that a hub
 * starts and serves while the server is down.
 */
import { randomUUID } from "node:crypto";
import * as client from "openid-client";
import { isThisMachine, type OidcConfig } from "../config/read-oidc.js";
import type { HubContext } from "../context.js";
import { readEmail } from "../teams/email.js";
import type { Identity, PendingSignIn } from "./sign-in-cookies.js";

export const CALLBACK_PATH = "/auth/oidc/callback";

/** For each request to the server. */
const TIMEOUT_S = 10;

/** A server that moves an endpoint keeps the former one for longer than that. */
const METADATA_KEPT_MS = 3_600_000;

/** Characters of the server's error code that are logged: it may come by way of the browser. */
const REASON_LIMIT = 64;

const SCOPE = "openid email";

/**
 * Why a sign-in has failed: the server has refused it (or the person has), cannot be reached, or has answered what does not
 * hold.
 */
export type FailureKind = "refused" | "unreachable" | "unconfirmed";

export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

interface Metadata {
  readonly configuration: client.Configuration;
  /** By the clock of this process, milliseconds. */
  readonly readAt: number;
}

export class Issuer {
  readonly #oidc: OidcConfig;
  readonly #logger: HubContext["logger"];
  #metadata: Metadata | undefined;
  #reading: Promise<client.Configuration> | undefined;

  constructor(oidc: OidcConfig, logger: HubContext["logger"]) {
    this.#oidc = oidc;
    this.#logger = logger;
  }

  /**
   * @param isAnother whether the server is to ask who signs in, also where it knows
   * @returns where the browser goes, and what has to be kept until it comes back
   * @throws {SignInFailure} `unreachable`, `unconfirmed`
   */
  async begin(isAnother: boolean): Promise<{ readonly address: URL; readonly pending: PendingSignIn }> {
    const configuration = await this.#configuration();
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#callback().href,
      scope: SCOPE,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: "S256",
      ...(isAnother && { prompt: "login" }),
    });
    return { address, pending };
  }

  /**
   * @param query of the request with which the browser has come back
   * @throws {SignInFailure}
   */
  async finish(query: string, { state, nonce, codeVerifier }: PendingSignIn): Promise<Identity> {
    // Read anew: the keys are kept with it, and the server may have changed them a moment ago.
    const configuration = await this.#newest();
    const address = this.#callback();
    address.search = query;
    try {
      const answer = await client.authorizationCodeGrant(configuration, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = answer.claims();
      if (!claims) throw new TypeError("The answer has no ID token");
      const email = verifiedEmail(await emailClaims(configuration, answer.access_token, claims));
      return { id: randomUUID(), issuer: claims.iss, subject: claims.sub, email };
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /**
   * Where a browser signs out of the server itself (OpenID Connect RP-Initiated Logout 1.0 §2). Without a token of the person, so the
   * server asks them.
   * @returns `undefined` if the server offers none
   * @throws {SignInFailure} `unreachable`, `unconfirmed`
   */
  async signOutAddress(): Promise<URL | undefined> {
    const configuration = await this.#configuration();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    try {
      return client.buildEndSessionUrl(configuration, {});
    } catch (error) {
      throw this.#failure(error); // an address without TLS
    }
  }

  #callback(): URL {
    return new URL(this.#oidc.hubUrl + CALLBACK_PATH);
  }

  async #configuration(): Promise<client.Configuration> {
    const known = this.#metadata;
    if (known && performance.now() - known.readAt < METADATA_KEPT_MS) return known.configuration;
    return this.#newest();
  }

  /** One look for all sign-ins that wait for it. After a failed one, what is known holds, and the next sign-in looks again. */
  async #newest(): Promise<client.Configuration> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    try {
      return await this.#reading;
    } catch (error) {
      const failure = this.#failure(error);
      if (this.#metadata) return this.#metadata.configuration;
      throw failure;
    }
  }

  async #read(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#oidc;
    const address = new URL(issuer);
    const configuration = await client.discovery(address, clientId, {}, clientAuthentication(clientSecret), {
      timeout: TIMEOUT_S,
      execute: [
        client.enableNonRepudiationChecks, // checks the signature of ID tokens, not the connection alone
        ...(isThisMachine(address.hostname) ? [client.allowInsecureRequests] : []),
      ],
    });
    this.#metadata = { configuration, readAt: performance.now() };
    return configuration;
  }

  /** Without the cause in the log: it may have a code or a token. */
  #failure(error: unknown): SignInFailure {
    const kind = kindOf(error);
    const { code, message } = error as Readonly<Record<string, unknown>>;
    const level = kind === "refused" ? "info" : "warn";
    this.#logger[level]({ kind, code, reason: reasonOf(error) }, `a sign-in has failed: ${message}`);
    return new SignInFailure(kind, String(message), { cause: error });
  }
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof client.AuthorizationResponseError) return "refused";
  if (error instanceof client.ResponseBodyError) return error.status >= 500 ? "unreachable" : "unconfirmed";
  const { code } = error as { readonly code?: unknown };
  const isAway = code === "OAUTH_TIMEOUT" || code === "OAUTH_RESPONSE_IS_NOT_CONFORM";
  return isAway || (error instanceof TypeError && code === undefined) ? "unreachable" : "unconfirmed";
}

/** What is known besides the message: the server's error code, or what did not hold. */
function reasonOf(error: unknown): string | undefined {
  const { error: answered, cause } = error as Readonly<Record<string, unknown>>;
  if (error instanceof client.WWWAuthenticateChallengeError)
    return error.cause
      .map(({ parameters }) => parameters["error"])
      .join(" ")
      .slice(0, REASON_LIMIT);
  if (typeof answered === "string") return answered.slice(0, REASON_LIMIT);
  if (!(cause instanceof Error)) return undefined;
  return cause.message || (cause as NodeJS.ErrnoException).code; // several failed connections have no message
}

/** As the server says that it wants it; `client_secret_basic` is the default (OpenID Connect Discovery 1.0 §3). */
function clientAuthentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate = methods.includes("client_secret_basic") ? basic : post;
    return authenticate(server, ...rest);
  };
}

/**
 * What the server says of the address: with a code flow, it need not be in the ID token, but then at the UserInfo endpoint
 * (OpenID Connect Core 1.0 §5.4), whose answer must be about the same `sub` (§5.3.2).
 */
function emailClaims(
  configuration: client.Configuration,
  accessToken: string,
  claims: client.IDToken,
): client.IDToken | Promise<client.UserInfoResponse> {
  const { userinfo_endpoint } = configuration.serverMetadata();
  if ("email" in claims || userinfo_endpoint === undefined) return claims;
  return client.fetchUserInfo(configuration, accessToken, claims.sub);
}

/** An address that the server has not verified may be anyone's. */
function verifiedEmail({ email, email_verified }: Readonly<Record<string, unknown>>): string | undefined {
  return email_verified === true && typeof email === "string" ? readEmail(email) : undefined;
}
