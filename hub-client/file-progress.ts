/**
 * Tracks how much of a file has arrived, and whether the next response continues where the last one was cut (RFC 9110
 * §13.1.5, §14). Has no connection.
 */
import { Fault } from "../protocol/fault.js";
import type { Fields } from "../protocol/http/fields.js";
import type { AnswerHead } from "./answer-head.js";
import { type DownloadFacts, readContentRange, readFacts, strongTag } from "./file-facts.js";

export interface FileSink {
  /** Comes once, before any bytes. */
  onHead?(facts: DownloadFacts): void;
  /** The next bytes in order, each once, reused once this returns. */
  onBytes(bytes: Uint8Array): void;
}

/** What is known of the file once the first answer has come. */
interface KnownFile {
  readonly facts: DownloadFacts;
  /** Without one it cannot be resumed. */
  readonly tag: string | undefined;
}

const OK = 200;
const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;

export class FileProgress {
  readonly #sink: FileSink;
  #file: KnownFile | undefined;
  #receivedBytes = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** What is known of the file, once all of it was handed over. */
  get complete(): DownloadFacts | undefined {
    const facts = this.#file?.facts;
    return facts && this.#receivedBytes === facts.sizeBytes ? facts : undefined;
  }

  /** Whether what is missing can be asked for. */
  get isResumable(): boolean {
    return this.#receivedBytes === 0 || this.#file?.tag !== undefined;
  }

  /** The fields that ask for what is missing. */
  get fields(): Readonly<Record<string, string>> {
    if (this.#receivedBytes === 0) return {};
    return { range: `bytes=${this.#receivedBytes}-`, "if-range": this.#file?.tag ?? "" };
  }

  /**
   * An answer begins.
   * @returns whether it is the file, or the part of it that was asked for; else it is a refusal
   * @throws {Fault} `download_failed` where it is another file, or another part; what the sink throws
   */
  begin(head: AnswerHead): boolean {
    if (head.status === PARTIAL_CONTENT) this.#checkPart(head);
    else if (head.status === OK) this.#beginWhole(head);
    else if (head.status === RANGE_NOT_SATISFIABLE && this.#receivedBytes > 0) throw another();
    else return false;
    return true;
  }

  /** @throws {Fault} `download_failed` for more than was announced; what the sink throws */
  take(bytes: Uint8Array): void {
    const sizeBytes = this.#file?.facts.sizeBytes ?? 0;
    if (this.#receivedBytes + bytes.length > sizeBytes)
      throw new Fault("download_failed", `More than the ${sizeBytes} bytes came that were announced`);
    this.#receivedBytes += bytes.length;
    this.#sink.onBytes(bytes);
  }

  #beginWhole(head: AnswerHead): void {
    // The hub sends a part only where the tag is still the same: all of it is another file.
    if (this.#receivedBytes > 0) throw another();
    const facts = readFacts(head);
    const tag = strongTag(head.fields);
    const before = this.#file;
    if (before && (before.tag !== tag || before.facts.sizeBytes !== facts.sizeBytes)) throw another();
    this.#file = { facts, tag };
    if (!before) this.#sink.onHead?.(facts);
  }

  #checkPart({ fields, framing }: AnswerHead): void {
    const { firstByte, lastByte, sizeBytes } = readContentRange(fields);
    if (!this.#isSame(fields) || sizeBytes !== this.#file?.facts.sizeBytes) throw another();
    const isWhatFollows = firstByte === this.#receivedBytes && this.#receivedBytes > 0;
    const isThatLong = framing.kind !== "length" || framing.byteLength === lastByte - firstByte + 1;
    if (!isWhatFollows || !isThatLong)
      throw new Fault("download_failed", `Not the part from byte ${this.#receivedBytes} on is what came`);
  }

  /** RFC 9110 §15.3.7: a part comes with the tag that the whole would have. */
  #isSame(fields: Fields): boolean {
    const tag = strongTag(fields);
    return tag !== undefined && tag === this.#file?.tag;
  }
}

function another(): Fault {
  return new Fault("download_failed", "The file has become another one while it was downloaded");
}
