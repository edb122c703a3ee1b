/** Heads from text, for tests. */
import { HeadParser, type RequestHead } from "../../../../device/services/http/request-head.js";
import { HeadReader } from "../../../../protocol/http/head-reader.js";
import { loadSandbox } from "../../../../tools/sandbox.js";

const encoder = new TextEncoder();

export const sandbox = await loadSandbox(["http-head"]);

/** A parser of its own keeps its latest head, in this way each head of a test. */
export function headParser(): HeadParser {
  return new HeadParser(sandbox, encoder, new TextDecoder());
}

export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** One byte per character, for text that is not UTF-8. */
export function octets(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export interface ParsedHead extends RequestHead {
  readonly host: string | undefined;
}

export function parseHead(text: string): ParsedHead {
  const reader = new HeadReader();
  reader.push(octets(text));
  if (!reader.head) throw new Error("The head is not complete");
  const head = headParser().parseWhole(reader.head);
  return { ...head, host: head.fields.host };
}
