/** Formats the messages that the client sends over USB, one per line (docs/spec/usb.md#request). */
import { base64Length, encodeBase64Into } from "./base64.js";

export interface UsbRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly chunk?: UsbChunk;
}

/** One chunk of a file. */
export interface UsbChunk {
  /** Counts from 1. */
  readonly number: number;
  readonly total: number;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();
const LINE_END = encoder.encode("}\n");
const DATA_END = encoder.encode('"}\n');

/** @returns a line with its line end */
export function requestLine(id: number, { method, path, parameters, chunk }: UsbRequest): Uint8Array {
  const params = parameters && Object.keys(parameters).length > 0 ? { params: parameters } : {};
  const envelope = JSON.stringify({ jsonrpc: "2.0", id, method, path, ...params });
  const head = envelope.slice(0, -1);
  if (!chunk) return concatenate(encoder.encode(head), 0, LINE_END).line;
  const start = encoder.encode(`${head},"chunk":${chunk.number},"total":${chunk.total},"data":"`);
  const { line, offset } = concatenate(start, base64Length(chunk.bytes.length), DATA_END);
  encodeBase64Into(chunk.bytes, line, offset);
  return line;
}

/** @returns a line with `room` bytes between `start` and `end`, and their offset */
function concatenate(start: Uint8Array, room: number, end: Uint8Array): { line: Uint8Array; offset: number } {
  const line = new Uint8Array(start.length + room + end.length);
  line.set(start);
  line.set(end, start.length + room);
  return { line, offset: start.length };
}
