/** Reads the hub's settings from the environment. The hub does not start with an unusable value. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import { VARIANT_ARCHITECTURES, type VariantArchitecture } from "../../protocol/file-kind.js";
import type { S3Config } from "../files/s3-store.js";
import { provideSecret } from "./provide-secret.js";
import { type OidcConfig, readOidc } from "./read-oidc.js";
import {
  address,
  ConfigError,
  type Environment,
  fileContent,
  isOn,
  listOf,
  oneOf,
  text,
  wholeNumber,
} from "./variables.js";

/** The hub's settings, as read from its environment (docs/spec/hub-api.md#configuration; docs/hub.md). */
export interface HubConfig {
  /** `SVC_HUB_STORAGE_PATH`: packages, bundles and icons; also the database and the secret unless they are given. */
  readonly storagePath: string;
  /** `SVC_HUB_S3_…`: packages, bundles and icons are in a bucket instead. */
  readonly s3: S3Config | undefined;
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
  /** `SVC_HUB_ACCEL_REDIRECT`: path under which a proxy has `files` of the storage, to send them in place of the hub. */
  readonly accelRedirect: string | undefined;
  /** `SVC_HUB_TLS_CERT` and `SVC_HUB_TLS_KEY`, PEM files: the hub serves TLS itself. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** `SVC_HUB_MAX_PACKAGE_BYTES`: limit of a package, and of its unpacked size. */
  readonly maxPackageBytes: number;
  /** `SVC_HUB_MAX_FIRMWARE_BYTES`. */
  readonly maxFirmwareBytes: number;
  /** `SVC_HUB_PUBLIC_CATALOG`: the catalogue and firmware need no token. */
  readonly hasPublicCatalog: boolean;
  /** `SVC_HUB_REVIEW`: versions are offered once the operator has accepted them. */
  readonly needsReview: boolean;
  /** `SVC_HUB_COMPILE`: for which modules are compiled ahead of time for publishers who ask; none by default. */
  readonly compiledArchitectures: readonly VariantArchitecture[];
  /** `SVC_HUB_SIGN_UP`: anyone may create an account; else only the operator. */
  readonly allowsSignUp: boolean;
  /** `SVC_HUB_OIDC_…`: members may sign in by OpenID Connect; `undefined` for tokens alone. */
  readonly oidc: OidcConfig | undefined;
  /** `SVC_HUB_WEBHOOKS_PRIVATE`: webhooks may be sent to private addresses, and without TLS to this machine. */
  readonly allowsPrivateWebhooks: boolean;
  /** `SVC_HUB_REGISTRATIONS_PER_MINUTE`, per address, for devices and for accounts. */
  readonly registrationsPerMinute: number;
  /** `SVC_HUB_REQUESTS_PER_MINUTE`, per token, in each process; 0 for any number. */
  readonly requestsPerMinute: number;
  /** `SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE`, per address, in each process; 0 for any number. */
  readonly addressRequestsPerMinute: number;
  /** `SVC_HUB_EXPIRE_DAYS`: time after which commands and rollouts expire, unless the order says otherwise. */
  readonly expireMs: number;
  /** `SVC_HUB_KEEP_DAYS`: time for which ended rollouts are kept. */
  readonly keepMs: number;
  /** `SVC_HUB_OTLP_URL`, or the standard variables of OpenTelemetry: where traces go; `undefined` for none. */
  readonly traces: TracesConfig | undefined;
  /** `SVC_HUB_DRAIN_S`: time from SIGTERM to the end of service. */
  readonly drainMs: number;
  /** `SVC_HUB_LOG_LEVEL`. */
  readonly logLevel: string;
}

interface TracesConfig {
  /** Of the collector; `undefined` for that of the standard variables, which the exporter reads. */
  readonly url: string | undefined;
  /** `OTEL_SERVICE_NAME`. */
  readonly serviceName: string;
}

/** The settings that the hub and `svc` read; other names are probably mistakes. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["SVC_HUB_PORT", "SVC_HUB_HOST", "SVC_HUB_STORAGE_PATH", "SVC_HUB_SECRET"],
  ...["SVC_HUB_ED25519_PRIVATE_KEY", "SVC_HUB_DATABASE_URL", "SVC_HUB_NATS_URL", "SVC_HUB_PUBLIC_URL"],
  ...["SVC_HUB_TRUST_PROXY", "SVC_HUB_TLS_CERT", "SVC_HUB_TLS_KEY", "SVC_HUB_MAX_PACKAGE_BYTES"],
  ...["SVC_HUB_MAX_FIRMWARE_BYTES", "SVC_HUB_REGISTRATIONS_PER_MINUTE", "SVC_HUB_LOG_LEVEL"],
  ...["SVC_HUB_PUBLIC_CATALOG", "SVC_HUB_DRAIN_S", "SVC_HUB_EXPIRE_DAYS", "SVC_HUB_KEEP_DAYS"],
  ...["SVC_HUB_SIGN_UP", "SVC_HUB_ACCEL_REDIRECT", "SVC_HUB_WEBHOOKS_PRIVATE", "SVC_HUB_REVIEW"],
  "SVC_HUB_COMPILE",
  ...["SVC_HUB_REQUESTS_PER_MINUTE", "SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE"],
  ...["SVC_HUB_OTLP_URL", "SVC_HUB_S3_ENDPOINT", "SVC_HUB_S3_BUCKET", "SVC_HUB_S3_REGION"],
  ...["SVC_HUB_S3_ACCESS_KEY", "SVC_HUB_S3_SECRET_KEY"],
  ...["SVC_HUB_OIDC_ISSUER", "SVC_HUB_OIDC_CLIENT_ID", "SVC_HUB_OIDC_CLIENT_SECRET", "SVC_HUB_OIDC_NAME"],
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
const PER_MINUTE_LIMIT = 1_000_000_000;

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
  const listening = readListening(environment);
  const settings = {
    storagePath,
    s3: readS3(environment),
    ...listening,
    oidc: readOidc(environment, listening.publicUrl),
    ...readPeers(environment),
    ...readLimits(environment),
    allowsSignUp: text(environment, "SVC_HUB_SIGN_UP") === undefined || isOn(environment, "SVC_HUB_SIGN_UP"),
    allowsPrivateWebhooks: isOn(environment, "SVC_HUB_WEBHOOKS_PRIVATE"),
    drainMs: readDrain(environment),
    expireMs: readDays(environment, "SVC_HUB_EXPIRE_DAYS"),
    keepMs: readDays(environment, "SVC_HUB_KEEP_DAYS"),
    hasPublicCatalog: isOn(environment, "SVC_HUB_PUBLIC_CATALOG"),
    needsReview: isOn(environment, "SVC_HUB_REVIEW"),
    compiledArchitectures: listOf(environment, "SVC_HUB_COMPILE", VARIANT_ARCHITECTURES),
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
    accelRedirect: readAccelRedirect(environment),
  };
}

/** Ends with a slash, so that the name of a file can be appended. */
function readAccelRedirect(environment: Environment): string | undefined {
  const value = text(environment, "SVC_HUB_ACCEL_REDIRECT");
  if (value === undefined || /^(\/[A-Za-z0-9._~-]+)+\/$/.test(value)) return value;
  throw new ConfigError('Cannot use SVC_HUB_ACCEL_REDIRECT: it must be a path such as "/svc-hub-files/"');
}

function readPeers(environment: Environment) {
  return {
    databaseUrl: address(environment, "SVC_HUB_DATABASE_URL", ["postgres:", "postgresql:"]),
    natsUrl: readNatsUrl(environment),
    traces: readTraces(environment),
  };
}

/** Amazon's own default, which most other storages accept. */
const S3_REGION = "us-east-1";

/** The rules of S3 for names, without dots, which the certificate of a host would not cover. */
const S3_BUCKET = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

function readS3(environment: Environment): S3Config | undefined {
  const endpoint = address(environment, "SVC_HUB_S3_ENDPOINT", ["http:", "https:"])?.replace(/\/+$/, "");
  if (endpoint === undefined) return undefined;
  const required = (name: string): string => {
    const value = text(environment, name);
    if (value === undefined) throw new ConfigError(`Set ${name}, since SVC_HUB_S3_ENDPOINT is set`);
    return value;
  };
  const bucket = required("SVC_HUB_S3_BUCKET");
  if (!S3_BUCKET.test(bucket))
    throw new ConfigError(`Cannot use SVC_HUB_S3_BUCKET="${bucket}": it must be the name of a bucket`);
  if (text(environment, "SVC_HUB_ACCEL_REDIRECT") !== undefined)
    throw new ConfigError(
      "Cannot use SVC_HUB_ACCEL_REDIRECT with SVC_HUB_S3_ENDPOINT: there is no directory",
    );
  return {
    endpoint,
    bucket,
    region: text(environment, "SVC_HUB_S3_REGION") ?? S3_REGION,
    accessKey: required("SVC_HUB_S3_ACCESS_KEY"),
    secretKey: required("SVC_HUB_S3_SECRET_KEY"),
  };
}

const TRACES_PATH = "/v1/traces";

/** Appends the path of traces to the address of a collector, as the standard variable does. */
function readTraces(environment: Environment): TracesConfig | undefined {
  const value = address(environment, "SVC_HUB_OTLP_URL", ["http:", "https:"])?.replace(/\/+$/, "");
  const isStandard =
    text(environment, "OTEL_EXPORTER_OTLP_ENDPOINT") ??
    text(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (value === undefined && isStandard === undefined) return undefined;
  const url = value === undefined || value.endsWith(TRACES_PATH) ? value : value + TRACES_PATH;
  return { url, serviceName: text(environment, "OTEL_SERVICE_NAME") ?? "svc-hub" };
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
      maximum: PER_MINUTE_LIMIT,
    }),
    requestsPerMinute: wholeNumber(environment, "SVC_HUB_REQUESTS_PER_MINUTE", {
      fallback: 6000,
      minimum: 0,
      maximum: PER_MINUTE_LIMIT,
    }),
    addressRequestsPerMinute: wholeNumber(environment, "SVC_HUB_ADDRESS_REQUESTS_PER_MINUTE", {
      fallback: 60_000,
      minimum: 0,
      maximum: PER_MINUTE_LIMIT,
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
