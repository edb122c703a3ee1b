/**
 * The answer to `GET /api/logs`, produced as it is read: all lines of the buffer in one JSON text need more than the
 * management VM's heap, once an app has filled the buffer.
 */
import type { ByteStream } from "../api/request.js";
import type { LogLines } from "./log.js";

/** Lines are added to a piece until it has so many characters: a few pieces, and none of them large. */
const PIECE_CHARACTERS = 768;

export class LogPage implements ByteStream {
  readonly #log: LogLines;
  readonly #end: number;
  readonly #encoder = new TextEncoder();
  #position: number;
  #dropped: number;
  #part: "head" | "lines" | "nothing" = "head";
  #separator = "";

  /**
   * @param start number of the first line, `end` that of the line after the last
   * @param dropped lines that were asked for and are gone; those that go while this is read are added
   */
  constructor(log: LogLines, start: number, end: number, dropped: number) {
    this.#log = log;
    this.#position = start;
    this.#end = end;
    this.#dropped = dropped;
  }

  next(): Uint8Array | undefined {
    if (this.#part === "nothing") return undefined;
    let text = this.#part === "head" ? '{"lines":[' : "";
    this.#part = "lines";
    this.#passOverDropped();
    while (this.#position < this.#end && text.length < PIECE_CHARACTERS) text += this.#nextLine();
    if (this.#position >= this.#end) {
      text += `],"next":${this.#end},"dropped":${this.#dropped}}`;
      this.#part = "nothing";
    }
    return this.#encoder.encode(text);
  }

  close(): void {
    this.#part = "nothing";
  }

  #nextLine(): string {
    const line = `${this.#separator}${JSON.stringify(this.#log.line(this.#position))}`;
    this.#separator = ",";
    this.#position += 1;
    return line;
  }

  #passOverDropped(): void {
    const first = Math.min(this.#end, Math.max(this.#position, this.#log.first));
    this.#dropped += first - this.#position;
    this.#position = first;
  }
}
