/** Conversions that every engine has natively, and a source of randomness. */
export interface Base64 {
  encode(bytes: Uint8Array): string;
  /** Takes RFC 4648 §4 with padding and nothing else; throws on any other character or length. */
  decode(text: string): ArrayBuffer;
}

export interface Random {
  /** Fills `into` from a cryptographic source (the part of Web Crypto that services need). */
  getRandomValues(into: Uint8Array): unknown;
}
