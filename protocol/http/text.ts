/** What servers and clients need of TextEncoder and TextDecoder; the owner of the connections owns one of each. */

export interface Decoder {
  decode(bytes: Uint8Array): string;
}

export interface Encoder {
  encode(text: string): Uint8Array;
  /** Writes as much of `text` as fits; `read` counts UTF-16 units of it, `written` bytes. */
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number };
}
