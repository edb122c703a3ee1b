/** Accepted and rejected environments (docs/spec/hub-api.md#configuration; docs/hub.md). */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { afterAll, assert, describe, expect, test } from "vitest";
import { readConfig } from "../../../../hub/config/read-config.js";
import { ConfigError } from "../../../../hub/config/variables.js";
import { isMissing } from "../../../hosts/peers.js";

const directory = mkdtempSync(path.join(tmpdir(), "hub-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

const SECRET = { SVC_HUB_SECRET: "secret" };
const read = (environment: Record<string, string>) => readConfig({ ...SECRET, ...environment });
const fileOf = (name: string, content: string) => {
  const file = path.join(directory, name);
  writeFileSync(file, content);
  return file;
};
const pemOf = (type: "ed25519" | "x25519") =>
  generateKeyPairSync(type as "ed25519")
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

describe("An environment without settings", () => {
  test("gives every setting its default", async () => {
    assert.deepEqual(await read({}), {
      storagePath: ".hub",
      s3: undefined,
      host: "::",
      port: 8080,
      secret: "secret",
      signingKey: undefined,
      databaseUrl: undefined,
      natsUrl: undefined,
      publicUrl: undefined,
      trustsProxy: false,
      hasPublicCatalog: false,
      needsReview: false,
      compiledArchitectures: [],
      tls: undefined,
      accelRedirect: undefined,
      maxPackageBytes: 8_388_608,
      maxFirmwareBytes: 16_777_216,
      registrationsPerMinute: 120,
      requestsPerMinute: 6000,
      traces: undefined,
      addressRequestsPerMinute: 60_000,
      allowsSignUp: true,
      oidc: undefined,
      allowsPrivateWebhooks: false,
      drainMs: 0,
      expireMs: 90 * 24 * 3_600_000,
      keepMs: 90 * 24 * 3_600_000,
      logLevel: "info",
    });
  });

  test("equals one with empty settings", async () => {
    const names = [
      "PORT",
      "HOST",
      "DATABASE_URL",
      "NATS_URL",
      "PUBLIC_URL",
      "TRUST_PROXY",
      "PUBLIC_CATALOG",
      "TLS_CERT",
      "LOG_LEVEL",
    ];
    const empty = Object.fromEntries(names.map((name) => [`SVC_HUB_${name}`, ""]));
    assert.deepEqual(await read(empty), await read({}));
  });
});

const TAKEN = [
  { variable: "SVC_HUB_PORT", value: "0", setting: "port", is: 0 },
  { variable: "SVC_HUB_PORT", value: "65535", setting: "port", is: 65535 },
  { variable: "SVC_HUB_HOST", value: "127.0.0.1", setting: "host", is: "127.0.0.1" },
  { variable: "SVC_HUB_STORAGE_PATH", value: "/srv/hub", setting: "storagePath", is: "/srv/hub" },
  { variable: "SVC_HUB_SECRET", value: "of my own", setting: "secret", is: "of my own" },
  {
    variable: "SVC_HUB_DATABASE_URL",
    value: "postgres://u@h/d",
    setting: "databaseUrl",
    is: "postgres://u@h/d",
  },
  {
    variable: "SVC_HUB_DATABASE_URL",
    value: "postgresql://u:p@h:5433/d?sslmode=require",
    setting: "databaseUrl",
    is: "postgresql://u:p@h:5433/d?sslmode=require",
  },
  { variable: "SVC_HUB_NATS_URL", value: "nats://h:4222", setting: "natsUrl", is: "nats://h:4222" },
  { variable: "SVC_HUB_NATS_URL", value: "nats://a,tls://b", setting: "natsUrl", is: "nats://a,tls://b" },
  {
    variable: "SVC_HUB_PUBLIC_URL",
    value: "https://hub.example/",
    setting: "publicUrl",
    is: "https://hub.example",
  },
  { variable: "SVC_HUB_PUBLIC_URL", value: "http://h:81/hub/", setting: "publicUrl", is: "http://h:81/hub" },
  { variable: "SVC_HUB_PUBLIC_URL", value: "https://h/api/v1", setting: "publicUrl", is: "https://h" },
  { variable: "SVC_HUB_PUBLIC_CATALOG", value: "on", setting: "hasPublicCatalog", is: true },
  { variable: "SVC_HUB_ACCEL_REDIRECT", value: "/hub/files/", setting: "accelRedirect", is: "/hub/files/" },
  { variable: "SVC_HUB_TRUST_PROXY", value: "1", setting: "trustsProxy", is: true },
  { variable: "SVC_HUB_TRUST_PROXY", value: "true", setting: "trustsProxy", is: true },
  { variable: "SVC_HUB_TRUST_PROXY", value: "0", setting: "trustsProxy", is: false },
  { variable: "SVC_HUB_MAX_PACKAGE_BYTES", value: "1048576", setting: "maxPackageBytes", is: 1048576 },
  { variable: "SVC_HUB_MAX_FIRMWARE_BYTES", value: "1048576", setting: "maxFirmwareBytes", is: 1048576 },
  { variable: "SVC_HUB_REGISTRATIONS_PER_MINUTE", value: "5", setting: "registrationsPerMinute", is: 5 },
  { variable: "SVC_HUB_WEBHOOKS_PRIVATE", value: "on", setting: "allowsPrivateWebhooks", is: true },
  { variable: "SVC_HUB_SIGN_UP", value: "off", setting: "allowsSignUp", is: false },
  { variable: "SVC_HUB_SIGN_UP", value: "on", setting: "allowsSignUp", is: true },
  { variable: "SVC_HUB_EXPIRE_DAYS", value: "1", setting: "expireMs", is: 86_400_000 },
  { variable: "SVC_HUB_KEEP_DAYS", value: "2", setting: "keepMs", is: 172_800_000 },
  { variable: "SVC_HUB_DRAIN_S", value: "7", setting: "drainMs", is: 7000 },
  { variable: "SVC_HUB_NATS_URL", value: "nats://127.0.0.1:4222", setting: "drainMs", is: 5000 },
  { variable: "SVC_HUB_LOG_LEVEL", value: "debug", setting: "logLevel", is: "debug" },
] as const;
const BUCKET = {
  SVC_HUB_S3_ENDPOINT: "https://s3.example.com/",
  SVC_HUB_S3_BUCKET: "hub-files",
  SVC_HUB_S3_ACCESS_KEY: "key",
  SVC_HUB_S3_SECRET_KEY: "secret",
};
test("A bucket has a region by default", async () => {
  const s3 = {
    endpoint: "https://s3.example.com",
    bucket: "hub-files",
    accessKey: "key",
    secretKey: "secret",
  };
  assert.deepEqual((await read(BUCKET)).s3, { ...s3, region: "us-east-1" });
  assert.deepEqual((await read({ ...BUCKET, SVC_HUB_S3_REGION: "eu" })).s3, { ...s3, region: "eu" });
});
for (const [name, value] of [
  ...["BUCKET", "ACCESS_KEY", "SECRET_KEY"].map((part) => [`SVC_HUB_S3_${part}`, ""] as const),
  ...([
    ["SVC_HUB_S3_BUCKET", "Hub/files"],
    ["SVC_HUB_S3_ENDPOINT", "s3.example.com"],
  ] as const),
  ["SVC_HUB_ACCEL_REDIRECT", "/files/"] as const,
])
  test(`A bucket with ${name}="${value}" is refused, without its keys`, async () => {
    const error = await read({ ...BUCKET, [name]: value }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(name);
    expect(String(error)).not.toContain("secret");
  });

const TRACES = [
  { variable: "SVC_HUB_OTLP_URL", value: "http://collector:4318/", url: "http://collector:4318/v1/traces" },
  { variable: "SVC_HUB_OTLP_URL", value: "https://a/b/v1/traces", url: "https://a/b/v1/traces" },
  { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector:4318", url: undefined },
  { variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", value: "http://collector:4318/x", url: undefined },
];
for (const { variable, value, url } of TRACES)
  test(`${variable}=${value} turns traces on`, async () => {
    assert.deepEqual((await read({ [variable]: value })).traces, { url, serviceName: "svc-hub" });
  });

for (const [value, architectures] of [
  ["native", ["native"]],
  ["native,rv32", ["native", "rv32"]],
  ["rv32,rv32", ["rv32"]],
] as const)
  test(`SVC_HUB_COMPILE=${value} is accepted`, async () => {
    assert.deepEqual((await read({ SVC_HUB_COMPILE: value })).compiledArchitectures, architectures);
  });

for (const { variable, value, setting, is } of TAKEN)
  test(`${variable}=${value} is accepted`, async () => {
    assert.equal((await read({ [variable]: value }))[setting], is);
  });

const REFUSED = [
  ["SVC_HUB_PORT", "http"],
  ["SVC_HUB_PORT", "8080x"],
  ["SVC_HUB_PORT", "0x50"],
  ["SVC_HUB_PORT", "-1"],
  ["SVC_HUB_PORT", "65536"],
  ["SVC_HUB_PORT", " 80"],
  ["SVC_HUB_DATABASE_URL", "mysql://h/d"],
  ["SVC_HUB_DATABASE_URL", "hub.db"],
  ["SVC_HUB_DATABASE_URL", "postgres:"],
  ["SVC_HUB_NATS_URL", "localhost:4222"],
  ["SVC_HUB_NATS_URL", "nats://a,"],
  ["SVC_HUB_NATS_URL", "http://a"],
  ["SVC_HUB_PUBLIC_URL", "hub.example"],
  ["SVC_HUB_PUBLIC_URL", "ftp://hub.example"],
  ["SVC_HUB_PUBLIC_URL", "https://hub.example/?a=1"],
  ["SVC_HUB_PUBLIC_URL", "https://me@hub.example"],
  ["SVC_HUB_TRUST_PROXY", "perhaps"],
  ["SVC_HUB_ACCEL_REDIRECT", "files/"],
  ["SVC_HUB_ACCEL_REDIRECT", "/files"],
  ["SVC_HUB_ACCEL_REDIRECT", "/a b/"],
  ["SVC_HUB_TLS_CERT", "/nowhere/certificate.pem"],
  ["SVC_HUB_TLS_KEY", "/nowhere/key.pem"],
  ["SVC_HUB_MAX_PACKAGE_BYTES", "0"],
  ["SVC_HUB_MAX_PACKAGE_BYTES", "8MiB"],
  ["SVC_HUB_MAX_FIRMWARE_BYTES", "1e6"],
  ["SVC_HUB_REGISTRATIONS_PER_MINUTE", "0"],
  ["SVC_HUB_LOG_LEVEL", "loud"],
  ["SVC_HUB_COMPILE", "on"],
  ["SVC_HUB_COMPILE", "mips"],
  ["SVC_HUB_COMPILE", "native,"],
  ["SVC_HUB_ED25519_PRIVATE_KEY", "/nowhere/key.pem"],
  ["SVC_HUB_ED25519_PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----"],
] as const;
for (const [variable, value] of REFUSED)
  test(`${variable}=${JSON.stringify(value)} is rejected, naming the variable`, async () => {
    const refusal = read({ [variable]: value });
    await expect(refusal).rejects.toThrow(ConfigError);
    await expect(refusal).rejects.toThrow(variable);
  });

test("the error for an address does not contain its password", async () => {
  const refusal = read({ SVC_HUB_DATABASE_URL: "postgrse://user:hunter2@host/hub" });
  await expect(refusal).rejects.not.toThrow("hunter2");
});

describe("SVC_HUB_ED25519_PRIVATE_KEY", () => {
  const pem = pemOf("ed25519");
  const WAYS = [
    { name: "as PEM", value: pem },
    { name: "as PEM in one line", value: pem.replaceAll("\n", "\\n") },
    { name: "as the path of a PEM file", value: fileOf("signing.pem", pem) },
  ];
  for (const { name, value } of WAYS)
    test(`is accepted ${name}`, async () => {
      const { signingKey } = await read({ SVC_HUB_ED25519_PRIVATE_KEY: value });
      assert.equal(signingKey?.export({ type: "pkcs8", format: "pem" }), pem);
    });

  test("is rejected for a key of another type", async () => {
    const refusal = read({ SVC_HUB_ED25519_PRIVATE_KEY: pemOf("x25519") });
    await expect(refusal).rejects.toThrow("SVC_HUB_ED25519_PRIVATE_KEY");
  });

  test("does not appear in the error that rejects it", async () => {
    const [, secret = ""] = pem.split("\n");
    const refusal = read({ SVC_HUB_ED25519_PRIVATE_KEY: pem.replace("-----END", "!-----END") });
    await expect(refusal).rejects.toThrow(ConfigError);
    await expect(refusal).rejects.not.toThrow(secret);
  });
});

for (const variable of ["SVC_HUB_ED25519_PRIVATE_KEY", "SVC_HUB_TLS_KEY", "SVC_HUB_TLS_CERT"])
  for (const [name, value] of [
    ["base64 lines of a PEM without its boundaries", pemOf("ed25519").split("\n")[1]],
    ["the beginning of a truncated PEM", pemOf("ed25519").slice(5, 70)],
    ["a text too long for a path", pemOf("ed25519").split("\n")[1]?.repeat(100)],
  ] as const)
    test(`${variable} does not appear in the error if it is ${name}`, async () => {
      const refusal = await read({ [variable]: `${value}` }).catch((error: Error) => error);
      assert.instanceOf(refusal, ConfigError);
      assert.include(refusal.message, variable);
      assert.notInclude(inspect(refusal), `${value}`.slice(-32).trim());
    });

describe.skipIf(isMissing("openssl"))("SVC_HUB_TLS_CERT and SVC_HUB_TLS_KEY", () => {
  const [key, certificate, otherKey] = ["tls.key", "tls.crt", "other.key"].map((name) =>
    path.join(directory, name),
  );
  const NEW = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=hub", "-days", "2"];
  execFileSync("openssl", [...NEW, "-keyout", `${key}`, "-out", `${certificate}`], { stdio: "ignore" });
  execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", `${otherKey}`], { stdio: "ignore" });
  const both = (cert: string | undefined, of: string | undefined) =>
    read({ SVC_HUB_TLS_CERT: `${cert}`, SVC_HUB_TLS_KEY: `${of}` });

  test("are read if they match", async () => {
    const { tls } = await both(certificate, key);
    assert.match(tls?.certificate ?? "", /BEGIN CERTIFICATE/);
    assert.match(tls?.key ?? "", /PRIVATE KEY/);
  });

  test("are rejected if one is missing", async () => {
    await expect(read({ SVC_HUB_TLS_CERT: `${certificate}` })).rejects.toThrow("SVC_HUB_TLS_KEY");
    await expect(read({ SVC_HUB_TLS_KEY: `${key}` })).rejects.toThrow("SVC_HUB_TLS_CERT");
  });

  test("are rejected if the key belongs to another certificate", async () => {
    await expect(both(certificate, otherKey)).rejects.toThrow("SVC_HUB_TLS_CERT");
  });

  test("are rejected if they are not PEM", async () => {
    await expect(both(key, certificate)).rejects.toThrow("SVC_HUB_TLS_CERT");
  });
});
