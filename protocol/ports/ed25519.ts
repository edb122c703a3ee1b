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
