import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readTrustedKeys } from "../../../../protocol/keys/trusted-keys.js";
import { nodeBase64, nodeSignatures } from "../../../hosts/node-bytes.js";
import { isMissing } from "../../../hosts/peers.js";
import { SAMPLE_CHAIN, SAMPLE_PUBLISHER_KEY } from "./sample-chain.js";

const PORTS = { base64: nodeBase64, ...nodeSignatures };

describe("A chain that OpenSSL created", () => {
  test("trusts its publisher, and not the keys that sign certificates only", async () => {
    const { keys, problems } = await readTrustedKeys(SAMPLE_CHAIN, { ...PORTS, now: Date.UTC(2050, 0) });
    expect(problems).toEqual([]);
    const publicKey = Uint8Array.from(Buffer.from(SAMPLE_PUBLISHER_KEY, "base64").subarray(-32));
    expect(keys).toMatchObject([{ label: "Sample publisher", publicKey }]);
  });

  test("expires in 2127, and was not valid in 2020", async () => {
    for (const year of [2020, 2127]) {
      const { keys, problems } = await readTrustedKeys(SAMPLE_CHAIN, { ...PORTS, now: Date.UTC(year, 0) });
      expect(keys).toEqual([]);
      expect(problems).toHaveLength(3);
    }
  });
});

const directory = mkdtempSync(path.join(tmpdir(), "keys-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function openssl(...words: readonly string[]): void {
  execFileSync("openssl", words, { cwd: directory, stdio: "ignore" });
}

function newCertificate(name: string, issuer: string, days: number, extensions: string): void {
  openssl("genpkey", "-algorithm", "ed25519", "-out", `${name}.key`);
  openssl("req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
  writeFileSync(path.join(directory, "extensions"), extensions);
  const signer =
    name === issuer ? ["-signkey", `${name}.key`] : ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`];
  const files = ["-in", `${name}.csr`, "-extfile", "extensions", "-out", `${name}.pem`];
  openssl("x509", "-req", ...files, ...signer, "-CAcreateserial", "-days", String(days));
}

const AUTHORITY = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,digitalSignature\n";
const PUBLISHER =
  "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=critical,codeSigning\n";

const read = (...names: readonly string[]) => {
  const file = names.map((name) => readFileSync(path.join(directory, `${name}.pem`), "utf8")).join("\n");
  return readTrustedKeys(file, { ...PORTS, now: Date.now() + 86_400_000 / 2 });
};

describe.skipIf(isMissing("openssl"))("Certificates of the installed OpenSSL (skipped without it)", () => {
  test("are trusted by their chain, until one of it expires", { timeout: 60_000 }, async () => {
    newCertificate("root", "root", 1, AUTHORITY);
    newCertificate("authority", "root", 1, AUTHORITY);
    newCertificate("publisher", "authority", 1, PUBLISHER);
    newCertificate("late", "root", 0, AUTHORITY);
    newCertificate("belated", "late", 1, PUBLISHER);
    const { keys, problems } = await read("root", "authority", "publisher", "late", "belated");
    expect(keys.map(({ label }) => label)).toEqual(["root", "authority", "publisher"]);
    expect(problems).toEqual([
      expect.stringContaining('certificate "late" expired'),
      expect.stringContaining('certificate "belated" does not lead'),
    ]);
  });

  test("are trusted as `openssl req -x509` writes them, with text around them", {
    timeout: 60_000,
  }, async () => {
    const names = ["-subj", "/C=XX/O=Makers/CN=Plain", "-keyout", "plain.key", "-out", "plain.pem", "-text"];
    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", ...names);
    expect((await read("plain")).keys.map(({ label }) => label)).toEqual(["Plain"]);
  });

  test("with RSA keys are reported and skipped", { timeout: 60_000 }, async () => {
    const names = ["-subj", "/CN=Old", "-keyout", "rsa.key", "-out", "rsa.pem"];
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names);
    const { keys, problems } = await read("rsa");
    expect(keys).toEqual([]);
    expect(problems).toEqual(["line 1: CERTIFICATE cannot be used: it is not signed with Ed25519"]);
  });
});
