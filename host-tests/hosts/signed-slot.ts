/** The signature that the boot loader requires with an image, as the bundle of the image contains it. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { crc32 } from "node:zlib";

/** Key of the publisher that tests share. */
const { privateKey: KEY } = generateKeyPairSync("ed25519");

/** @returns the 64-byte signature of a firmware bundle, followed by the 32-byte public key */
export function signFor(image: Uint8Array, key: KeyObject = KEY): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(image.length, 0);
  header.writeUInt32LE(crc32(image), 4);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32);
  return Buffer.concat([sign(null, Buffer.concat([header, image]), key), publicKey]);
}
