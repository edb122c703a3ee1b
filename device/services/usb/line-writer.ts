/**
 * The only writer of the port. It holds one line at a time and writes it in pieces as large as the port accepts, so
 * that lines never interleave.
 */
import type { Json } from "../../../protocol/json.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Pacer } from "../api/pacer.js";
import type { BinaryAnswer, ByteStream, JsonAnswer, StreamedAnswer } from "../api/request.js";

// The lines that the console writes over USB (docs/spec/usb.md#answer).

/** The line of an answer (docs/spec/usb.md#answer-or-event). @param id the request's, `null` if it was not readable */
export function answerLine(id: number | null, answer: JsonAnswer | BinaryAnswer, base64: Base64): string {
  const { status } = answer;
  return `{"jsonrpc":"2.0","id":${id},"status":${status},"body":${bodyText(answer, base64)}}\n`;
}

/** The beginning of an answer line, up to the body. */
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

// The line of a long answer, produced part by part as the port accepts it. JSON is passed on unchanged. Other bytes are
// encoded as base64 in multiples of three bytes, so that the result does not depend on the division into parts.

const GROUP_BYTES = 3;

type Part = "start" | "bytes" | "closed";

export class StreamedLine implements LineSource {
  readonly #stream: ByteStream;
  readonly #base64: Base64;
  readonly #start: string;
  readonly #isText: boolean;
  readonly #decoder = new TextDecoder();
  /** Bytes left over from the previous part: an incomplete group, which the next part completes. */
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

  /** The error that the stream threw. It cuts off the line, which is then not valid JSON. */
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

  /** Continues the incomplete group, if there is one. @returns the number of bytes taken */
  #completeGroup(bytes: Uint8Array): number {
    if (this.#groupLength === 0) return 0;
    const taken = Math.min(GROUP_BYTES - this.#groupLength, bytes.length);
    this.#group.set(bytes.subarray(0, taken), this.#groupLength);
    this.#groupLength += taken;
    return taken;
  }
}

/** A line that is produced while it is written. */
interface LineSource {
  /** The next part, never empty; `undefined` after the line feed. */
  next(): string | undefined;
  /** Called after the last part, or to end the line early. */
  close(): void;
}

export class LineWriter {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #pacer: Pacer;
  readonly #step = (): boolean => this.#advance();
  readonly #encoder = new TextEncoder();
  /** Unwritten rest of the line or part; never empty. */
  #rest: Uint8Array | undefined;
  #source: LineSource | undefined;
  #writableBytes = 0;
  #onSent: (() => void) | undefined;

  /**
   * @param write writes all of its bytes, never more than `makeRoom` has announced
   * @param pacer bounds the work per turn; its owner must call `resume`
   */
  constructor(write: (bytes: Uint8Array) => void, pacer: Pacer) {
    this.#write = write;
    this.#pacer = pacer;
  }

  /** Whether the last line is written completely. */
  get isIdle(): boolean {
    return this.#rest === undefined && this.#source === undefined;
  }

  /**
   * Begin a line; the writer must be idle.
   * @param line complete text, or a source that produces it
   * @param onSent called when the port has accepted the whole line, or after {@link forget}
   */
  send(line: string | LineSource, onSent?: () => void): void {
    if (!this.isIdle) throw new Error("Cannot begin a line within a line");
    if (typeof line === "string") this.#sendText(line, onSent);
    else this.#begin(line, onSent);
  }

  /** Note that the port now accepts `byteLength` bytes. */
  makeRoom(byteLength: number): void {
    this.#writableBytes = byteLength;
    if (!this.isIdle) this.resume();
  }

  /** Continue after a pause of the pacer. */
  resume(): void {
    this.#pacer.run(this.#step);
  }

  /** Drop the rest of the line: the host is gone. */
  forget(): void {
    this.#rest = undefined;
    this.#pacer.stop();
    this.#finish();
  }

  /** Writes the line at once if it fits, the usual case; else keeps the rest. */
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

  /** Takes as much of the rest as the port accepts. */
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
