/**
 * Ports of cryptography: digests, and the verification of Ed25519 signatures.
 */

/** Incremental digest: the part of the Moddable SDK's `crypt` that services need. */
export interface Digest {
  write(bytes: Uint8Array): void;
  /** Finish the digest and return its bytes; the object is unusable afterwards. */
  close(): ArrayBuffer;
}

/** SHA-1 is for the WebSocket handshake (RFC 6455 §4.2.2) only. */
export type DigestAlgorithm = "SHA1" | "SHA256" | "SHA512";

export type DigestConstructor = new (algorithm: DigestAlgorithm) => Digest;

/** CRC-32 as in zip (IEEE 802.3), incremental. */
export interface Crc32 {
  /** Add `bytes` and return the checksum of everything so far, as an unsigned number. */
  checksum(bytes: Uint8Array): number;
  /** The same for `byteLength` bytes of which `checksum` is known, without reading them. */
  append(checksum: number, byteLength: number): number;
}
export type Crc32Constructor = new () => Crc32;

/** Adler-32 as in zlib (RFC 1950 §8.2), incremental. */
export interface Adler32 {
  /** Add `bytes` and return the checksum of everything so far, as an unsigned number. */
  checksum(bytes: Uint8Array): number;
}
export type Adler32Constructor = new () => Adler32;

/**
 * Ed25519 on the curve: the part of verification that remains once the message is hashed (RFC 8032 §5.1.7). All hosts
 * accept exactly the same signatures (docs/adr/0006-which-signatures-hold.md).
 */
export interface Ed25519 {
  /**
   * Verify a signature.
   * @param signature R and S, 64 bytes
   * @param publicKey 32 bytes; false if they are no point of the curve
   * @param digest SHA-512 over R, the key and the message
   * @throws {RangeError} for an argument of another length
   */
  holds(signature: Uint8Array, publicKey: Uint8Array, digest: Uint8Array): boolean;
  /**
   * Whether 32 bytes are a safe public key: a point of the curve, not of small order. Under a key of small order,
   * forged signatures verify, so it must not become a trusted key.
   * @throws {RangeError} for bytes of another length
   */
  isPublicKey(bytes: Uint8Array): boolean;
}
