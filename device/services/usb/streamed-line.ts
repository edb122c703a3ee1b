/**
 * The line of a long answer, produced part by part as the port accepts it. JSON is passed on unchanged. Other bytes
 * travel as base64, which does not depend on the division into parts as long as the parts have multiples of three
 * bytes.
 */
import type { Base64 } from "../../../protocol/ports/bytes.js";
import type { ByteStream, StreamedAnswer } from "../api/request.js";
import type { LineSource } from "./line-writer.js";
import { answerStart } from "./output-line.js";

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
