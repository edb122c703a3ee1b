/** A key names its successor (docs/spec/app-packages.md#succession). */
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  readSuccessionFile,
  readSuccessions,
  successionHolds,
} from "../../../protocol/signature/statements.js";
import { nodeSignatures } from "../../hosts/node-bytes.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { newKeys, pem, writeCertificate } from "../protocol/keys/certificate-writer.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const placeOf = (name: string) => path.join(temporary.path, name);
const [old, next] = [new Publisher(), new Publisher()];
writeFileSync(placeOf("old.pem"), old.privatePem);
writeFileSync(placeOf("new.pub.pem"), next.pem);
writeFileSync(placeOf("new.pem"), next.privatePem);

const succeed = (from: string, to: string, out: string) =>
  runSvc("key", "succeed", "--old", placeOf(from), "--new", placeOf(to), "--out", placeOf(out), "--json");
const linksIn = (out: string) => readSuccessions(readSuccessionFile(readFileSync(placeOf(out))));

describe("svc key succeed", { timeout: SVC_TIMEOUT_MS }, () => {
  test("writes the old key's statement about the new one, which consoles accept", () => {
    const { status, stdout } = succeed("old.pem", "new.pub.pem", "a.succession");
    expect(status).toBe(0);
    const [link, ...others] = linksIn("a.succession");
    expect(others).toEqual([]);
    expect(link && successionHolds(link, nodeSignatures)).toBe(true);
    expect([link?.oldKey, link?.newKey]).toEqual([old.publicKey, next.publicKey]);
    expect(JSON.parse(stdout)).toMatchObject({ old_key: old.hex, new_key: next.hex });
  });

  test("accepts a certificate for the new key, and statements of several changes can be concatenated", () => {
    const keys = newKeys();
    writeFileSync(placeOf("root.pem"), pem("CERTIFICATE", writeCertificate({ subject: "root", keys })));
    expect(succeed("new.pem", "root.pem", "b.succession").status).toBe(0);
    const both = ["a", "b"].map((name) => readFileSync(placeOf(`${name}.succession`), "utf8"));
    writeFileSync(placeOf("both.succession"), both.join(""));
    expect(linksIn("both.succession").map(({ newKey }) => newKey)).toEqual([next.publicKey, keys.publicKey]);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  writeFileSync(placeOf("rsa.pub.pem"), rsa.export({ type: "spki", format: "pem" }));
  writeFileSync(placeOf("text.txt"), "no key");
  writeFileSync(placeOf("old.pub.pem"), old.pem);
  const REFUSED = [
    { name: "a private key as the new one", from: "old.pem", to: "new.pem", code: "key_invalid", status: 1 },
    { name: "an RSA key", from: "old.pem", to: "rsa.pub.pem", code: "key_invalid", status: 1 },
    { name: "a file without a key", from: "old.pem", to: "text.txt", code: "key_invalid", status: 1 },
    {
      name: "a public key as the old one",
      from: "old.pub.pem",
      to: "new.pub.pem",
      code: "key_invalid",
      status: 1,
    },
    {
      name: "a file that does not exist",
      from: "old.pem",
      to: "none.pem",
      code: "file_not_found",
      status: 1,
    },
    {
      name: "a key that succeeds itself",
      from: "old.pem",
      to: "old.pub.pem",
      code: "wrong_usage",
      status: 2,
    },
  ];
  for (const { name, from, to, code, status } of REFUSED)
    test(`rejects ${name}`, () => {
      const refused = succeed(from, to, "refused.succession");
      expect([refused.status, JSON.parse(refused.stderr).error]).toEqual([status, code]);
      expect(existsSync(placeOf("refused.succession"))).toBe(false);
    });
});
