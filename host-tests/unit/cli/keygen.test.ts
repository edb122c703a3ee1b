/** Keys of svc (docs/spec/cli.md#keygen). */
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

describe("svc keygen", { timeout: SVC_TIMEOUT_MS }, () => {
  const out = path.join(temporary.path, "a/keys");
  const fileOf = (name: string) => path.join(out, name);
  const readKeys = () => ["publisher.pem", "publisher.pub.pem"].map((name) => readFileSync(fileOf(name)));

  test("writes a key pair, whose private key only the owner can read", () => {
    const { status, stdout } = runSvc("keygen", "--out", out, "--json");
    expect(status).toBe(0);
    const [privatePem = Buffer.of(), publicPem = Buffer.of()] = readKeys();
    const message = Buffer.from("message");
    const signature = sign(null, message, createPrivateKey(privatePem));
    expect(verify(null, message, createPublicKey(publicPem), signature)).toBe(true);
    expect(statSync(fileOf("publisher.pem")).mode & 0o777).toBe(0o600);
    expect(readdirSync(out).sort()).toEqual(["publisher.pem", "publisher.pub.pem"]);
    const { x = "" } = createPublicKey(publicPem).export({ format: "jwk" });
    expect(JSON.parse(stdout)).toEqual({
      private_key: fileOf("publisher.pem"),
      public_key: fileOf("publisher.pub.pem"),
      label: Buffer.from(x, "base64url").toString("hex").slice(0, 16),
    });
  });

  test("writes the key's roles before the public key", () => {
    const limited = path.join(temporary.path, "limited");
    expect(runSvc("keygen", "--out", limited, "--roles", "firmware,app").status).toBe(0);
    const publicPem = readFileSync(path.join(limited, "publisher.pub.pem"), "utf8");
    expect(publicPem).toMatch(/^# roles: app, firmware\n-----BEGIN PUBLIC KEY-----\n/);
    expect(createPublicKey(publicPem).asymmetricKeyType).toBe("ed25519");
    const { status, stderr } = runSvc("keygen", "--out", `${limited}2`, "--roles", "all");
    expect([status, stderr]).toEqual([2, expect.stringContaining("app, firmware, hub, native")]);
  });

  for (const missing of [undefined, "publisher.pem", "publisher.pub.pem"])
    test(`overwrites nothing where ${missing ? `only ${missing} is missing` : "both files exist"}`, () => {
      if (missing) rmSync(fileOf(missing));
      const before = readdirSync(out).map((name) => readFileSync(fileOf(name), "utf8"));
      const { status, stdout, stderr } = runSvc("keygen", "--out", out);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^svc: key_exists: .*exists already/);
      expect(stderr).toContain("Choose another directory");
      expect(readdirSync(out).map((name) => readFileSync(fileOf(name), "utf8"))).toEqual(before);
      rmSync(out, { recursive: true });
      runSvc("keygen", "--out", out);
    });

  test("reports why a directory cannot be used", () => {
    const file = path.join(fileOf("publisher.pem"), "keys");
    const { status, stderr } = runSvc("keygen", "--out", file);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^svc: file_not_written: Cannot write keys to ".*": not a directory\n$/);
  });

  // Node's own way of making one goes round for ever there.
  test.skipIf(process.platform !== "linux")("exits where the system creates no directories: in /proc", () => {
    const { status, stderr } = runSvc("keygen", "--out", "/proc/keys-of-no-one/a");
    expect([status, stderr]).toEqual([
      1,
      'svc: file_not_written: Cannot write keys to "/proc/keys-of-no-one/a": no such file or directory\n',
    ]);
  });
});
