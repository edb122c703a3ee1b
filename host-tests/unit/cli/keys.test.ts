/** `svc keys …` makes lists of revoked keys as docs/spec/keys.md has them; a console's are in device/apps/revocations.test.ts. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readRevocationList, revokedKeys } from "../../../protocol/keys/revocation-list.js";
import { verifySignature } from "../../../protocol/signature/ed25519.js";
import { nodeSignatures } from "../../hosts/node-bytes.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const placeOf = (name: string) => path.join(temporary.path, name);

const [owner, first, second] = [new Publisher(), new Publisher(), new Publisher()];
writeFileSync(placeOf("owner.pem"), owner.privatePem);
writeFileSync(placeOf("first.pub.pem"), `# roles: app\n${first.pem}`);
writeFileSync(placeOf("second.pub.pem"), second.pem);
const readList = (name: string) => readRevocationList(readFileSync(placeOf(name)));
const revoke = (...args: readonly string[]) =>
  runSvc("keys", "revoke", "--key", placeOf("owner.pem"), ...args);
const hexOf = (keys: readonly Uint8Array[]) => keys.map((key) => Buffer.from(key).toString("hex")).sort();

describe("svc keys revoke", { timeout: SVC_TIMEOUT_MS }, () => {
  test("makes a signed list, and a next one that keeps its keys", () => {
    const { status, stdout } = revoke("--out", placeOf("1"), "--number", "1", placeOf("first.pub.pem"));
    expect([status, stdout]).toEqual([0, `${placeOf("1")}: list 1: 1 key is revoked\n`]);
    const list = readList("1");
    const { signature, signedBytes: message } = list;
    expect(verifySignature({ signature, message, publicKey: owner.publicKey, ...nodeSignatures })).toBe(true);
    const second_ = [placeOf("second.pub.pem"), "--from", placeOf("1"), "--json"];
    const next = revoke("--out", placeOf("2"), ...second_);
    expect(JSON.parse(next.stdout)).toEqual({ file: placeOf("2"), number: 2, revoked: 2 });
    expect(hexOf(revokedKeys(readList("2")))).toEqual([first.hex, second.hex].sort());
  });

  test("shows the content of a list", () => {
    revoke("--out", placeOf("3"), "--number", "3", placeOf("first.pub.pem"));
    const { status, stdout } = runSvc("keys", "show", placeOf("3"), "--json");
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      { number: 3, revoked: 1, signed_by: owner.hex, keys: [first.hex] },
    ]);
  });

  test("rejects a number that does not grow, an invalid number, and a private key", () => {
    revoke("--out", placeOf("5"), "--number", "5");
    expect(revoke("--out", placeOf("x"), "--from", placeOf("5"), "--number", "5").status).toBe(2);
    expect(revoke("--out", placeOf("x"), "--number", "0").status).toBe(2);
    expect(revoke("--out", placeOf("x"), "--number", "4294967296").status).toBe(2);
    const refused = revoke("--out", placeOf("x"), "--number", "1", placeOf("owner.pem"));
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("key_invalid")]);
  });

  test("rejects a file that is not a list", () => {
    const { status, stderr } = runSvc("keys", "show", placeOf("first.pub.pem"));
    expect([status, stderr]).toEqual([1, expect.stringContaining("revocations_invalid")]);
  });
});
