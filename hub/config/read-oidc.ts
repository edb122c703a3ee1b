/** The settings of the sign-in by OpenID Connect (docs/hub.md#sign-in-by-openid-connect). */
import { address, ConfigError, type Environment, text } from "./variables.js";

export interface OidcConfig {
  /** `SVC_HUB_OIDC_ISSUER`, as the server names itself. */
  readonly issuer: string;
  /** `SVC_HUB_OIDC_CLIENT_ID` and `SVC_HUB_OIDC_CLIENT_SECRET`: the hub, as the server knows it. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** `SVC_HUB_OIDC_NAME`: of the server, for people. */
  readonly name: string;
  /** `SVC_HUB_PUBLIC_URL`, to which the server sends people back. */
  readonly hubUrl: string;
}

const NAME_LIMIT_CHARACTERS = 64;
const NAME = /^[^\p{C}]+$/u;

/** @param publicUrl of the hub. @throws {ConfigError} naming the variable */
export function readOidc(environment: Environment, publicUrl: string | undefined): OidcConfig | undefined {
  const issuer = address(environment, "SVC_HUB_OIDC_ISSUER", ["http:", "https:"]);
  if (issuer === undefined) return undefined;
  requireIssuer(new URL(issuer));
  // A page of an address that only the request names would send people to whoever has made the request.
  if (publicUrl === undefined)
    throw new ConfigError("Set SVC_HUB_PUBLIC_URL, since SVC_HUB_OIDC_ISSUER is set");
  return {
    issuer,
    hubUrl: publicUrl,
    name: readName(environment) ?? new URL(issuer).host,
    clientId: required(environment, "SVC_HUB_OIDC_CLIENT_ID"),
    clientSecret: required(environment, "SVC_HUB_OIDC_CLIENT_SECRET"),
  };
}

/** OpenID Connect Core 1.0 §2 (`iss`). Without TLS, the network could be any member: only this machine may be asked so. */
function requireIssuer({ protocol, hostname, pathname, search, hash, username, password }: URL): void {
  if (search || hash || username || password || pathname.includes("/.well-known/"))
    throw new ConfigError(
      "Cannot use SVC_HUB_OIDC_ISSUER: it must be scheme, host and path only, without /.well-known/",
    );
  if (protocol === "http:" && !isThisMachine(hostname))
    throw new ConfigError("Cannot use SVC_HUB_OIDC_ISSUER: it must begin with https://");
}

export function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function required(environment: Environment, name: string): string {
  const value = text(environment, name);
  if (value === undefined) throw new ConfigError(`Set ${name}, since SVC_HUB_OIDC_ISSUER is set`);
  return value;
}

function readName(environment: Environment): string | undefined {
  const name = text(environment, "SVC_HUB_OIDC_NAME");
  if (name === undefined || (NAME.test(name) && [...name].length <= NAME_LIMIT_CHARACTERS)) return name;
  throw new ConfigError(
    `Cannot use SVC_HUB_OIDC_NAME: it must have at most ${NAME_LIMIT_CHARACTERS} characters, none of them a control character`,
  );
}
