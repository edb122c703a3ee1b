/** Heads from text, for tests. */
import { parseRequestHead, type RequestHead } from "../../../../device/services/http/request-head.js";
import { HeadReader } from "../../../../protocol/http/head-reader.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** One byte per character, for text that is not UTF-8. */
export function octets(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function parseHead(text: string): RequestHead {
  const reader = new HeadReader();
  reader.push(octets(text));
  if (!reader.head) throw new Error("The head is not complete");
  return parseRequestHead(reader.head, decoder);
}
