/** What the boot loader wants to have of an image: who signed the bundle that it came in. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { crc32 } from "node:zlib";

/** Of a publisher that every test may be. */
const { privateKey: KEY } = generateKeyPairSync("ed25519");

/** @returns 64 bytes of a signature as in a bundle of firmware, and the 32 bytes of its public key */
export function signFor(image: Uint8Array, key: KeyObject = KEY): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(image.length, 0);
  header.writeUInt32LE(crc32(image), 4);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32);
  return Buffer.concat([sign(null, Buffer.concat([header, image]), key), publicKey]);
}
