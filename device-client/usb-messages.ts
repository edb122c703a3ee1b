/**
 * Messages over USB, one per line: formats requests (docs/spec/usb.md#request), splits the input into lines, and
 * parses answers and events (docs/spec/usb.md#answer).
 */
import { base64Length, encodeBase64Into } from "./base64.js";
import { INPUT_LINE_LIMIT_BYTES } from "./limits.js";

export type UsbMessage =
  /** `id` is null if the console could not read the request's id. */
  | { readonly kind: "answer"; readonly id: number | null; readonly status: number; readonly body: unknown }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "status"; readonly status: unknown }
  /** A request, which no console sends: the port echoes its input. */
  | { readonly kind: "echo"; readonly id: number };

const START = '{"jsonrpc"';

/**
 * Parses a line, or else the message at its end: the port may have been opened, or left by its previous host, in the
 * middle of a line.
 * @returns `undefined` if the line holds no message
 */
export function readMessage(line: string): UsbMessage | undefined {
  const message = messageOf(parseJson(line));
  if (message) return message;
  const start = line.lastIndexOf(START);
  return start > 0 ? messageOf(parseJson(line.slice(start))) : undefined;
}

/** @returns `undefined`, which is not a JSON value, for invalid JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // boot loader output, or half a line
  }
}

function messageOf(value: unknown): UsbMessage | undefined {
  const { id, status, body, event, data, method } = Object(value);
  if (isId(id) && typeof status === "number") return { kind: "answer", id, status, body };
  if (event === "log" && typeof data === "string") return { kind: "log", line: data };
  if (event === "status") return { kind: "status", status: data };
  if (typeof method === "string" && typeof id === "number") return { kind: "echo", id };
  return undefined;
}

function isId(id: unknown): id is number | null {
  return id === null || typeof id === "number";
}

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

const LF = 0x0a;

/**
 * Splits input into lines that end in LF. Drops every CR, empty lines, and lines that are too long, each up to its end.
 */
export class LineSplitter {
  readonly #limitBytes: number;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #length = 0;
  #isDropping = false;
  #droppedLines = 0;

  constructor(limitBytes = INPUT_LINE_LIMIT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** Number of lines dropped for their length. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /**
   * @param bytes may be reused by the caller afterwards
   * @returns the lines that end in `bytes`, without their line ends
   */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      this.#add(bytes.subarray(start, end));
      const line = this.#take();
      if (line !== "") lines.push(line);
      start = end + 1;
    }
    this.#add(new Uint8Array(bytes.subarray(start)));
    return lines;
  }

  #add(bytes: Uint8Array): void {
    if (this.#isDropping || bytes.length === 0) return;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#length > this.#limitBytes) this.#drop();
  }

  #drop(): void {
    this.#isDropping = true;
    this.#droppedLines++;
    this.#pieces = [];
    this.#length = 0;
  }

  #take(): string {
    const line = new Uint8Array(this.#length);
    let offset = 0;
    for (const piece of this.#pieces) {
      line.set(piece, offset);
      offset += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    this.#isDropping = false;
    return this.#decoder.decode(line).replaceAll("\r", "");
  }
}
