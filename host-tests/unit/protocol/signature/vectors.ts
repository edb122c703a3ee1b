/**
 * Signatures with and without a fault, read from the vectors that `@noble/ed25519` is tested with
 * (`shared/testdata/ed25519-noble`), and what Node makes of one.
 */
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Point } from "@noble/ed25519";

export interface Vector {
  readonly name: string;
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

const FOLDER = path.join(import.meta.dirname, "../../../../../shared/testdata/ed25519-noble");

/** The four of RFC 8032 §7.1 that the file has. */
export function rfcVectors(): Vector[] {
  return readJson("rfc8032-ed25519.json").map(({ pub, msg, sig }, index) => ({
    name: `RFC 8032, ${index}`,
    ...fromDigits(pub, msg, sig),
  }));
}

/** 1,024 signatures that hold, over messages of 0 to 1,023 bytes, in the format of the first implementation. */
export function lineVectors(): Vector[] {
  const lines = readFileSync(path.join(FOLDER, "vectors.txt"), "utf8").trim().split("\n");
  return lines.map((line, index) => {
    const [, publicKey, message, signed] = line.split(":");
    return { name: `line ${index + 1}`, ...fromDigits(publicKey, message, signed?.slice(0, 128)) };
  });
}

/** 196 pairs of points of small order, encoded canonically or not, under the message "Zcash" (ZIP 215). */
export function smallOrderVectors(): Vector[] {
  const message = Buffer.from("Zcash").toString("hex");
  return readJson("zip215.json").map(({ vk_bytes, sig_bytes }, index) => ({
    name: `ZIP 215, ${index}`,
    ...fromDigits(vk_bytes, message, sig_bytes),
  }));
}

/** Twelve where libraries differ: small and mixed order, S out of range, encodings that are not canonical. */
export function edgeVectors(): Vector[] {
  return readJson("edge-cases.json").map(({ pub_key, message, signature }, index) => ({
    name: `edge case ${index}`,
    ...fromDigits(pub_key, message, signature),
  }));
}

/** Least significant byte first. */
export function encoded(value: bigint): Uint8Array {
  return bytes(value.toString(16).padStart(64, "0")).reverse();
}

/** Numbers at the limits of points and scalars, with either sign. */
export function edgeEncodings(): Uint8Array[] {
  const { n: order, p: prime } = Point.CURVE();
  const edges = [0n, 1n, 2n, order - 1n, order, order + 1n, prime - 1n, prime, prime + 1n, 2n ** 255n - 1n];
  return edges.flatMap((value) => [encoded(value), encoded(value + 2n ** 255n)]);
}

/** Each edge as a key, with each as R, and S at its own edges in turn. */
export function crossedEdgeVectors(): Vector[] {
  const edges = edgeEncodings();
  return edges.flatMap((publicKey, row) =>
    edges.map((r, column) => ({
      name: `edges ${row} and ${column}`,
      publicKey,
      message: new Uint8Array(0),
      signature: Uint8Array.from([...r, ...(edges[(row + column) % edges.length] as Uint8Array)]),
    })),
  );
}

/**
 * Signatures by a key to which a point of order 8 was added. Where k is a multiple of 8 that is lost and the signature
 * holds; elsewhere only a cofactored check takes it.
 */
export function mixedOrderVectors(): Vector[] {
  const torsion = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  return Array.from({ length: 32 }, (_, index) => {
    const { publicKey, ...vector } = signed(Uint8Array.of(index));
    const mixed = Point.fromBytes(publicKey).add(torsion).toBytes();
    return { ...vector, name: `mixed order, ${index}`, publicKey: Uint8Array.from(mixed) };
  });
}

/** A new key's signature over `message`. */
export function signed(message: Uint8Array): Vector {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    name: "a new key's",
    publicKey: Uint8Array.from(publicKey.export({ format: "der", type: "spki" }).subarray(-32)),
    message,
    signature: Uint8Array.from(sign(null, message, privateKey)),
  };
}

/** Prefix of every Ed25519 SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** The verdict of OpenSSL. */
export function holdsInNode({ publicKey, message, signature }: Vector): boolean {
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, publicKey]),
    format: "der",
    type: "spki",
  });
  return verify(null, message, key, signature);
}

function readJson(name: string): Record<string, string>[] {
  return JSON.parse(readFileSync(path.join(FOLDER, name), "utf8"));
}

function fromDigits(publicKey = "", message = "", signature = ""): Omit<Vector, "name"> {
  return { publicKey: bytes(publicKey), message: bytes(message), signature: bytes(signature) };
}

function bytes(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits, "hex"));
}
