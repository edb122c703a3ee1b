/** Reads the hub's settings from the environment. The hub does not start with an unusable value. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import { provideSecret } from "./provide-secret.js";
import {
  address,
  ConfigError,
  type Environment,
  fileContent,
  isOn,
  oneOf,
  text,
  wholeNumber,
} from "./variables.js";

/** The hub's settings, as read from its environment (docs/spec/hub-api.md#configuration; docs/hub.md). */
export interface HubConfig {
  /** `SVC_HUB_STORAGE_PATH`: packages, bundles and icons; also the database and the secret unless they are given. */
  readonly storagePath: string;
  /** `SVC_HUB_HOST`: local address to listen on; every address by default. */
  readonly host: string;
  /** `SVC_HUB_PORT`: 0 picks a free one. */
  readonly port: number;
  /** `SVC_HUB_SECRET`, or the stored one. */
  readonly secret: string;
  /** `SVC_HUB_ED25519_PRIVATE_KEY`: signs what the hub serves. */
  readonly signingKey: KeyObject | undefined;
  /** `SVC_HUB_DATABASE_URL`: `postgres://…`; SQLite by default. */
  readonly databaseUrl: string | undefined;
  /** `SVC_HUB_NATS_URL`: `nats://…`; a single process by default. */
  readonly natsUrl: string | undefined;
  /** `SVC_HUB_PUBLIC_URL`: address at which consoles reach the hub; by default, that of their requests. */
  readonly publicUrl: string | undefined;
  /** `SVC_HUB_TRUST_PROXY`: trust `X-Forwarded-…` for the client's address and the public one. */
  readonly trustsProxy: boolean;
  /** `SVC_HUB_TLS_CERT` and `SVC_HUB_TLS_KEY`, PEM files: the hub serves TLS itself. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** `SVC_HUB_MAX_PACKAGE_BYTES`: limit of a package, and of its unpacked size. */
  readonly maxPackageBytes: number;
  /** `SVC_HUB_MAX_FIRMWARE_BYTES`. */
  readonly maxFirmwareBytes: number;
  /** `SVC_HUB_PUBLIC_CATALOG`: the catalogue and firmware need no token. */
  readonly hasPublicCatalog: boolean;
  /** `SVC_HUB_SIGN_UP`: anyone may create an account; else only the operator. */
  readonly allowsSignUp: boolean;
  /** `SVC_HUB_REGISTRATIONS_PER_MINUTE`, per address, for devices and for accounts. */
  readonly registrationsPerMinute: number;
  /** `SVC_HUB_EXPIRE_DAYS`: time after which commands and rollouts expire, unless the order says otherwise. */
  readonly expireMs: number;
  /** `SVC_HUB_KEEP_DAYS`: time for which ended rollouts are kept. */
  readonly keepMs: number;
  /** `SVC_HUB_DRAIN_S`: time from SIGTERM to the end of service. */
  readonly drainMs: number;
  /** `SVC_HUB_LOG_LEVEL`. */
  readonly logLevel: string;
}

/** The settings that the hub and `svc` read; other names are probably mistakes. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["SVC_HUB_PORT", "SVC_HUB_HOST", "SVC_HUB_STORAGE_PATH", "SVC_HUB_SECRET"],
  ...["SVC_HUB_ED25519_PRIVATE_KEY", "SVC_HUB_DATABASE_URL", "SVC_HUB_NATS_URL", "SVC_HUB_PUBLIC_URL"],
  ...["SVC_HUB_TRUST_PROXY", "SVC_HUB_TLS_CERT", "SVC_HUB_TLS_KEY", "SVC_HUB_MAX_PACKAGE_BYTES"],
  ...["SVC_HUB_MAX_FIRMWARE_BYTES", "SVC_HUB_REGISTRATIONS_PER_MINUTE", "SVC_HUB_LOG_LEVEL"],
  ...["SVC_HUB_PUBLIC_CATALOG", "SVC_HUB_DRAIN_S", "SVC_HUB_EXPIRE_DAYS", "SVC_HUB_KEEP_DAYS"],
  "SVC_HUB_SIGN_UP",
  ...["SVC_HUB_URL", "SVC_HUB_TOKEN"], // of `svc`, which may share the environment
]);

/**
 * Warns of settings that work but are probably mistakes. Without values: a value may be a secret under a misspelt name.
 */
export function warningsOf(environment: Environment): readonly string[] {
  const unknown = Object.keys(environment).filter((name) => name.startsWith("SVC_HUB_") && !KNOWN.has(name));
  const isAlone = text(environment, "SVC_HUB_DATABASE_URL") && !text(environment, "SVC_HUB_NATS_URL");
  return [
    ...unknown.map((name) => `${name} is not a setting of the hub, and is ignored`),
    ...(isAlone
      ? ["SVC_HUB_NATS_URL is not set: with other processes on this database, commands take seconds"]
      : []),
  ];
}

const MIB = 1024 * 1024;

/** By default, more than a usual interval of a load balancer's checks, where there are probably other processes. */
const DRAIN_S = 5;
const DRAIN_LIMIT_S = 3600;

const DAY_MS = 24 * 3_600_000;
const DAYS = 90;
export const DAYS_LIMIT = 36_500;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Every address, IPv6 and IPv4. */
const EVERY_ADDRESS = "::";

/**
 * @param onNotice receives messages for the operator
 * @param secretOf provides the secret if the environment has none
 * @throws {ConfigError} naming the variable
 */
export async function readConfig(
  environment: Environment,
  onNotice: (notice: string) => void = () => {},
  secretOf: typeof provideSecret = provideSecret,
): Promise<HubConfig> {
  const storagePath = text(environment, "SVC_HUB_STORAGE_PATH") ?? ".hub";
  const settings = {
    storagePath,
    ...readListening(environment),
    ...readPeers(environment),
    ...readLimits(environment),
    allowsSignUp: text(environment, "SVC_HUB_SIGN_UP") === undefined || isOn(environment, "SVC_HUB_SIGN_UP"),
    drainMs: readDrain(environment),
    expireMs: readDays(environment, "SVC_HUB_EXPIRE_DAYS"),
    keepMs: readDays(environment, "SVC_HUB_KEEP_DAYS"),
    hasPublicCatalog: isOn(environment, "SVC_HUB_PUBLIC_CATALOG"),
    signingKey: readSigningKey(environment),
    logLevel: oneOf(environment, "SVC_HUB_LOG_LEVEL", LOG_LEVELS, "info"),
  };
  const secret = text(environment, "SVC_HUB_SECRET") ?? (await secretOf(storagePath, onNotice));
  return { ...settings, secret };
}

function readListening(environment: Environment) {
  return {
    host: text(environment, "SVC_HUB_HOST") ?? EVERY_ADDRESS,
    port: wholeNumber(environment, "SVC_HUB_PORT", { fallback: 8080, minimum: 0, maximum: 65_535 }),
    publicUrl: readPublicUrl(environment),
    trustsProxy: isOn(environment, "SVC_HUB_TRUST_PROXY"),
    tls: readTls(environment),
  };
}

function readPeers(environment: Environment) {
  return {
    databaseUrl: address(environment, "SVC_HUB_DATABASE_URL", ["postgres:", "postgresql:"]),
    natsUrl: readNatsUrl(environment),
  };
}

function readDrain(environment: Environment): number {
  const fallback = text(environment, "SVC_HUB_NATS_URL") === undefined ? 0 : DRAIN_S;
  const limits = { fallback, minimum: 0, maximum: DRAIN_LIMIT_S };
  return wholeNumber(environment, "SVC_HUB_DRAIN_S", limits) * 1000;
}

function readDays(environment: Environment, name: string): number {
  return wholeNumber(environment, name, { fallback: DAYS, minimum: 1, maximum: DAYS_LIMIT }) * DAY_MS;
}

function readLimits(environment: Environment) {
  return {
    maxPackageBytes: wholeNumber(environment, "SVC_HUB_MAX_PACKAGE_BYTES", {
      fallback: 8 * MIB,
      minimum: 1,
      maximum: 1024 * MIB,
    }),
    maxFirmwareBytes: wholeNumber(environment, "SVC_HUB_MAX_FIRMWARE_BYTES", {
      fallback: 16 * MIB,
      minimum: 1,
      maximum: 1024 * MIB,
    }),
    registrationsPerMinute: wholeNumber(environment, "SVC_HUB_REGISTRATIONS_PER_MINUTE", {
      fallback: 120,
      minimum: 1,
      maximum: 1_000_000_000,
    }),
  };
}

/** Removes the trailing slash, so that paths can be appended. */
function readPublicUrl(environment: Environment): string | undefined {
  const value = address(environment, "SVC_HUB_PUBLIC_URL", ["http:", "https:"]);
  if (value === undefined) return undefined;
  const url = new URL(value);
  if (url.search || url.hash || url.username || url.password)
    throw new ConfigError("Cannot use SVC_HUB_PUBLIC_URL: it must be scheme, host and path only");
  // Accept both the hub's address and the API's base address, which ends in /api/v1.
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}

/** One server, or several of a cluster, separated by commas. */
function readNatsUrl(environment: Environment): string | undefined {
  const name = "SVC_HUB_NATS_URL";
  const value = text(environment, name);
  for (const server of value?.split(",") ?? [])
    address({ [name]: server.trim() || "," }, name, ["nats:", "tls:"]);
  return value;
}

function readTls(environment: Environment): HubConfig["tls"] {
  const certificate = fileContent(environment, "SVC_HUB_TLS_CERT");
  const key = fileContent(environment, "SVC_HUB_TLS_KEY");
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new ConfigError("Set both SVC_HUB_TLS_CERT and SVC_HUB_TLS_KEY, or none");
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    const message = `Cannot use SVC_HUB_TLS_CERT with SVC_HUB_TLS_KEY: ${(error as Error).message}`;
    throw new ConfigError(message, { cause: error });
  }
  return { certificate, key };
}

/** The key itself, or the file that holds it. */
function readSigningKey(environment: Environment): KeyObject | undefined {
  const name = "SVC_HUB_ED25519_PRIVATE_KEY";
  const value = text(environment, name);
  const pem = value?.includes("-----BEGIN") ? value : fileContent(environment, name);
  if (pem === undefined) return undefined;
  const key = parsePrivateKey(pem.replaceAll("\\n", "\n")); // environment files write it in one line
  if (key?.asymmetricKeyType !== "ed25519")
    throw new ConfigError(`Cannot use ${name}: it must be an Ed25519 private key as PEM, or its path`);
  return key;
}

function parsePrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined; // the caller reports it, without the key
  }
}
