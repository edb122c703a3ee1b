import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { writeImage } from "../../../tools/image.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());
const fileOf = (name: string) => path.join(temporary.path, name);

const privatePem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
const publicPem = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const image = writeImage({ program: "export default function main() {}\n", version: "1.2.3" });
const key = fileOf("key.pem");
const imageFile = fileOf("firmware.img");
const checksum = crc32(image).toString(16).padStart(8, "0");
writeFileSync(key, privatePem(privateKey));
writeFileSync(imageFile, image);

/** A directory that nothing but the bundle goes to. */
let out: string;
let count = 0;
beforeEach(() => {
  out = fileOf(`out-${count++}`);
  mkdirSync(out);
});

function pack(from: string, ...flags: readonly string[]) {
  return runSvc("firmware", "pack", from, "--key", key, "--out", path.join(out, "firmware.svcfw"), ...flags);
}
const readBundle = () => readFileSync(path.join(out, "firmware.svcfw"));

describe("svc firmware pack", { timeout: SVC_TIMEOUT_MS }, () => {
  test("writes the bundle of docs/spec/firmware-bundles.md#layout, and no other file", () => {
    expect(pack(imageFile)).toMatchObject({ status: 0, stderr: "" });
    const bundle = readBundle();
    expect(bundle.subarray(0, 6)).toEqual(Buffer.from("AKFW\x01\x00", "latin1"));
    expect(verify(null, bundle.subarray(70), publicKey, bundle.subarray(6, 70))).toBe(true);
    expect(bundle.readUInt32LE(70)).toBe(image.length);
    expect(bundle.readUInt32LE(74)).toBe(crc32(image));
    expect(bundle.subarray(78)).toEqual(image);
    expect(readdirSync(out)).toEqual(["firmware.svcfw"]);
  });

  test("prints one line about the bundle", () => {
    const file = path.join(out, "firmware.svcfw");
    expect(pack(imageFile).stdout).toBe(
      `${file}: firmware 1.2.3 for simulator (native), ${78 + image.length} bytes, CRC-32 of the image ${checksum}\n`,
    );
  });

  test("prints the same as JSON with --json", () => {
    expect(JSON.parse(pack(imageFile, "--json").stdout)).toEqual({
      file: path.join(out, "firmware.svcfw"),
      version: "1.2.3",
      board: "simulator",
      arch: "native",
      security_version: 0,
      bytes: 78 + image.length,
      crc32: checksum,
    });
  });

  test("writes a security version into the image, as if built with it", () => {
    const { status, stdout } = pack(imageFile, "--security-version", "7", "--json");
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { version: "1.2.3", security_version: 7 }]);
    const program = "export default function main() {}\n";
    expect(readBundle().subarray(78)).toEqual(writeImage({ program, version: "1.2.3", securityVersion: 7 }));
    expect(pack(imageFile, "--security-version", "-1").status).toBe(2);
  });

  const UNKNOWN = [
    { name: "of unknown kind", content: Buffer.from("firmware"), warning: /of no kind that a console runs/ },
    { name: "that is truncated", content: image.subarray(0, -1), warning: /header says at least/ },
  ];
  for (const { name, content, warning } of UNKNOWN)
    test(`warns about an image ${name}, and packs it`, () => {
      writeFileSync(fileOf("unknown.img"), content);
      const { status, stdout, stderr } = pack(fileOf("unknown.img"), "--json");
      expect(status).toBe(0);
      expect(stderr).toMatch(warning);
      expect(stderr).toContain("consoles will reject it");
      expect(Object.keys(JSON.parse(stdout))).toEqual(["file", "bytes", "crc32"]);
      expect(readBundle().subarray(78)).toEqual(content);
    });

  test("replaces an existing bundle", () => {
    writeFileSync(path.join(out, "firmware.svcfw"), "old");
    expect(pack(imageFile).status).toBe(0);
    expect(readBundle().subarray(78)).toEqual(image);
  });
});

describe("svc firmware pack exits with status 1 and the reason, and leaves the old bundle unchanged,", {
  timeout: SVC_TIMEOUT_MS,
}, () => {
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const encrypted = privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "x",
  });
  const REFUSED = [
    { name: "for a public key", pem: publicPem(publicKey), reason: "contains a public key" },
    { name: "for a key of another type", pem: privatePem(p256), reason: "type ec, not ed25519" },
    { name: "for an encrypted key", pem: encrypted.toString(), reason: "is encrypted" },
    { name: "for a file that is not a key", pem: "key", reason: "not a PEM file with a private key" },
  ];
  for (const { name, pem, reason } of REFUSED)
    test(name, () => {
      const file = path.join(out, "firmware.svcfw");
      writeFileSync(file, "old");
      writeFileSync(fileOf("refused.pem"), pem);
      const args = ["firmware", "pack", imageFile, "--key", fileOf("refused.pem"), "--out", file, "--json"];
      const { status, stdout, stderr } = runSvc(...args);
      expect([status, stdout]).toEqual([1, ""]);
      const { error, message } = JSON.parse(stderr);
      expect([error, stderr.indexOf("\n")]).toEqual(["key_invalid", stderr.length - 1]);
      expect(message).toContain(`Cannot sign with "${fileOf("refused.pem")}"`);
      expect(message).toContain(reason);
      expect(readBundle().toString()).toBe("old");
    });

  const missing = fileOf("missing");
  const EMPTY = fileOf("empty.img");
  writeFileSync(EMPTY, "");
  const NO_FILES = [
    {
      name: "for an image that does not exist",
      from: missing,
      says: `file_not_found: Cannot read "${missing}": no such file`,
    },
    {
      name: "for an image that is a directory",
      from: temporary.path,
      says: `file_unreadable: Cannot read "${temporary.path}": it is a directory`,
    },
    {
      name: "for an empty image",
      from: EMPTY,
      says: `file_empty: Cannot use "${EMPTY}": it is empty`,
    },
    {
      name: "for a key that does not exist",
      from: imageFile,
      flags: ["--key", missing],
      says: `file_not_found: Cannot read "${missing}": no such file`,
    },
    {
      name: "for an output path where no file can be",
      from: imageFile,
      flags: ["--out", path.join(EMPTY, "out")],
      says: `file_not_written: Cannot write "${path.join(EMPTY, "out")}": there is no directory`,
    },
  ];
  for (const { name, from, flags = [], says } of NO_FILES)
    test(name, () => {
      writeFileSync(path.join(out, "firmware.svcfw"), "old");
      const { status, stdout, stderr } = pack(from, ...flags);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr.startsWith(`svc: ${says}`)).toBe(true);
      expect(readBundle().toString()).toBe("old");
    });
});
