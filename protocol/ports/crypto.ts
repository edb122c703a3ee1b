/**
 * Ports of cryptography: digests, and the verification of Ed25519 signatures.
 */

/** Incremental digests: the part of the Moddable SDK's `crypt` that services need. */
export interface Digest {
  write(bytes: Uint8Array): void;
  /** Ends the digest and returns its bytes; the object is unusable afterwards. */
  close(): ArrayBuffer;
}

/** SHA-1 serves the WebSocket handshake (RFC 6455 §4.2.2) and nothing else. */
export type DigestAlgorithm = "SHA1" | "SHA256" | "SHA512";

export type DigestConstructor = new (algorithm: DigestAlgorithm) => Digest;

/** CRC-32 as in zip (IEEE 802.3), incremental. */
export interface Crc32 {
  /** Takes `bytes` in and returns the checksum of everything since the start, as an unsigned number. */
  checksum(bytes: Uint8Array): number;
}
export type Crc32Constructor = new () => Crc32;

/** Adler-32 as in zlib (RFC 1950 §8.2), incremental. */
export interface Adler32 {
  /** Takes `bytes` in and returns the checksum of everything since the start, as an unsigned number. */
  checksum(bytes: Uint8Array): number;
}
export type Adler32Constructor = new () => Adler32;

/**
 * The curve of Ed25519 signatures: what is left to do of checking one when the message is hashed (RFC 8032 §5.1.7).
 * Every host has the same rule of which signatures hold (docs/adr/0006-which-signatures-hold.md).
 */
export interface Ed25519 {
  /**
   * @param signature R and S, 64 bytes
   * @param publicKey 32 bytes, which may be no point of the curve
   * @param digest SHA-512 over R, the key and the message
   * @throws {RangeError} for one of another length
   */
  holds(signature: Uint8Array, publicKey: Uint8Array, digest: Uint8Array): boolean;
  /**
   * Whether 32 bytes are a key that only its owner can sign for: a point of the curve, and not of small order. Under
   * a key of small order, forged signatures verify, so it must not become a trusted key.
   * @throws {RangeError} for bytes of another length
   */
  isPublicKey(bytes: Uint8Array): boolean;
}
