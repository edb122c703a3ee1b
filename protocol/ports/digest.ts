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
