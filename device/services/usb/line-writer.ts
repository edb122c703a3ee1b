/**
 * The one writer of the port. It holds one line at a time and writes it in pieces as large as the port
 * accepts, so that lines never interleave.
 */
import type { Json } from "../../../protocol/json.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Pacer } from "../api/pacer.js";
import type { BinaryAnswer, ByteStream, JsonAnswer, StreamedAnswer } from "../api/request.js";

// What the console writes over USB, a line each (docs/spec/usb.md#answer).

/** The line of an answer (docs/spec/usb.md#answer-or-event). @param id the request's, `null` where it could not be read */
export function answerLine(id: number | null, answer: JsonAnswer | BinaryAnswer, base64: Base64): string {
  const { status } = answer;
  return `{"jsonrpc":"2.0","id":${id},"status":${status},"body":${bodyText(answer, base64)}}\n`;
}

/** Everything before the body. */
function answerStart(id: number | null, { status }: { readonly status: number }): string {
  return `{"jsonrpc":"2.0","id":${id},"status":${status},"body":`;
}

export function eventLine(event: "log" | "status", data: Json): string {
  return `{"jsonrpc":"2.0","id":null,"event":"${event}","data":${JSON.stringify(data)}}\n`;
}

function bodyText(answer: JsonAnswer | BinaryAnswer, base64: Base64): string {
  if ("body" in answer) return JSON.stringify(answer.body);
  return `{${JSON.stringify(answer.field)}:"${base64.encode(answer.bytes)}"}`;
}

// The line of a long answer, produced part by part as the port accepts it. JSON is passed on unchanged. Other bytes
// travel as base64, which does not depend on the division into parts as long as the parts have multiples of three
// bytes.

const GROUP_BYTES = 3;

type Part = "start" | "bytes" | "closed";

export class StreamedLine implements LineSource {
  readonly #stream: ByteStream;
  readonly #base64: Base64;
  readonly #start: string;
  readonly #isText: boolean;
  readonly #decoder = new TextDecoder();
  /** What was left over of the bytes before: less than a group, completed by those to come. */
  readonly #group = new Uint8Array(GROUP_BYTES);
  #groupLength = 0;
  #part: Part = "start";
  #failure: unknown;

  /** @param id the request's */
  constructor(id: number | null, answer: StreamedAnswer, base64: Base64) {
    this.#stream = answer.stream;
    this.#base64 = base64;
    this.#isText = answer.field === undefined;
    const opening = answer.field === undefined ? "" : `{${JSON.stringify(answer.field)}:"`;
    this.#start = answerStart(id, answer) + opening;
  }

  /** What the stream has thrown. The line is then cut off where it was, and no JSON. */
  get failure(): unknown {
    return this.#failure;
  }

  next(): string | undefined {
    if (this.#part === "closed") return undefined;
    if (this.#part === "bytes") return this.#nextBytes();
    this.#part = "bytes";
    return this.#start;
  }

  close(): void {
    if (this.#part !== "closed") this.#stream.close();
    this.#part = "closed";
  }

  #nextBytes(): string {
    try {
      let text = "";
      while (text === "") {
        const bytes = this.#stream.next();
        if (!bytes) return this.#end();
        text = this.#isText ? this.#decoder.decode(bytes) : this.#encode(bytes);
      }
      return text;
    } catch (error) {
      this.close();
      this.#failure = error;
      return "\n";
    }
  }

  #end(): string {
    this.close();
    if (this.#isText) return "}\n";
    return `${this.#base64.encode(this.#group.subarray(0, this.#groupLength))}"}}\n`;
  }

  #encode(bytes: Uint8Array): string {
    const start = this.#completeGroup(bytes);
    if (this.#groupLength > 0 && this.#groupLength < GROUP_BYTES) return "";
    const first = this.#base64.encode(this.#group.subarray(0, this.#groupLength));
    const end = bytes.length - ((bytes.length - start) % GROUP_BYTES);
    this.#group.set(bytes.subarray(end));
    this.#groupLength = bytes.length - end;
    return first + this.#base64.encode(bytes.subarray(start, end));
  }

  /** Adds to the group that was begun, if one was. @returns how many bytes it took */
  #completeGroup(bytes: Uint8Array): number {
    if (this.#groupLength === 0) return 0;
    const taken = Math.min(GROUP_BYTES - this.#groupLength, bytes.length);
    this.#group.set(bytes.subarray(0, taken), this.#groupLength);
    this.#groupLength += taken;
    return taken;
  }
}

/** A line that is made as it is written. */
interface LineSource {
  /** The next part, never empty; `undefined` once the line feed was handed out. */
  next(): string | undefined;
  /** Comes once, after the last part or in its stead. */
  close(): void;
}

export class LineWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #pacer: Pacer;
  readonly #step = (): boolean => this.#advance();
  readonly #encoder = new TextEncoder();
  /** Never empty. */
  #rest: Uint8Array | undefined;
  #source: LineSource | undefined;
  #writableBytes = 0;
  #onSent: (() => void) | undefined;

  /**
   * @param write takes as many bytes as `makeRoom` has announced, all or nothing
   * @param pacer whose owner calls `resume`
   */
  constructor(write: (bytes: Uint8Array) => void, pacer: Pacer) {
    this.#write = write;
    this.#pacer = pacer;
  }

  /** Whether the line before has been written to its end. */
  get isIdle(): boolean {
    return this.#rest === undefined && this.#source === undefined;
  }

  /**
   * Begins a line; the writer must be idle.
   * @param line whole, or made as it is written
   * @param onSent runs once the port has taken all of it, or it was forgotten
   */
  send(line: string | LineSource, onSent?: () => void): void {
    if (!this.isIdle) throw new Error("Cannot begin a line within a line");
    if (typeof line === "string") this.#sendText(line, onSent);
    else this.#begin(line, onSent);
  }

  /** The port takes `byteLength` bytes now. */
  makeRoom(byteLength: number): void {
    this.#writableBytes = byteLength;
    if (!this.isIdle) this.resume();
  }

  /** Goes on after the pacer has paused. */
  resume(): void {
    this.#pacer.run(this.#step);
  }

  /** Drops the rest of the line: its reader has gone. */
  forget(): void {
    this.#rest = undefined;
    this.#pacer.stop();
    this.#finish();
  }

  /** In one piece, as it mostly goes, there is nothing to remember. */
  #sendText(line: string, onSent: (() => void) | undefined): void {
    const bytes = this.#encoder.encode(line);
    if (bytes.length <= this.#writableBytes) {
      this.#writableBytes -= bytes.length;
      this.#write(bytes);
      onSent?.();
    } else {
      this.#rest = bytes;
      this.#begin(undefined, onSent);
    }
  }

  #begin(source: LineSource | undefined, onSent: (() => void) | undefined): void {
    this.#source = source;
    this.#onSent = onSent;
    this.resume();
  }

  /** @returns whether there is more to do immediately */
  #advance(): boolean {
    if (this.#writableBytes === 0) return false;
    if (!this.#rest && this.#source) this.#load(this.#source);
    if (!this.#rest) return false;
    const piece = this.#takePiece(this.#rest);
    this.#writableBytes -= piece.length;
    this.#write(piece);
    if (!this.isIdle) return true;
    this.#finish();
    return !this.isIdle;
  }

  /** As much of the rest as there is room for, which is all of it mostly. */
  #takePiece(rest: Uint8Array): Uint8Array {
    const isLast = rest.length <= this.#writableBytes;
    this.#rest = isLast ? undefined : rest.subarray(this.#writableBytes);
    return isLast ? rest : rest.subarray(0, this.#writableBytes);
  }

  #load(source: LineSource): void {
    const part = source.next();
    if (part === undefined) this.#finish();
    else this.#rest = this.#encoder.encode(part);
  }

  #finish(): void {
    const onSent = this.#onSent;
    this.#source?.close();
    this.#source = undefined;
    this.#onSent = undefined;
    onSent?.();
  }
}
