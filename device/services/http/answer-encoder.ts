/**
 * Encodes answers. Assembles a small answer in one buffer that all connections share, body first, since the head
 * contains the length of the body; so it leaves in one write and allocates nothing. The head stays in the buffer, and
 * the next answer reuses it where it is of the same kind and length.
 *
 *   |<-- ANSWER_HEAD_BYTES -->|
 *   |          head           | body      |
 *              ^ right-aligned
 */

import type { Encoder } from "../../../protocol/http/text.js";
import type { Answer, StreamedAnswer } from "../api/request.js";
import type { AnswerOptions } from "./answer-options.js";
import { ANSWER_BUFFER_BYTES, ANSWER_HEAD_BYTES } from "./limits.js";
import {
  faultFieldLines,
  JSON_TYPE,
  noContentHead,
  type ResponseHead,
  responseHead,
  streamedHead,
} from "./response-head.js";

/** Where answers go. */
export interface AnswerSink {
  /** `bytes` are reused once this returns. */
  send(bytes: Uint8Array): void;
  /** `bytes` stay as they are. */
  sendKept(bytes: Uint8Array): void;
}

export class AnswerEncoder {
  readonly #encoder: Encoder;
  readonly #bytes = new Uint8Array(ANSWER_BUFFER_BYTES);
  readonly #body = this.#bytes.subarray(ANSWER_HEAD_BYTES);
  /** What the head in the buffer says, and where it begins. */
  #head: ResponseHead | undefined;
  #byteLength = 0;
  #start = ANSWER_HEAD_BYTES;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** Passes the whole answer to `sink`, or its head alone where the body is streamed. */
  encode(answer: Answer, options: AnswerOptions, sink: AnswerSink): void {
    const { status } = answer;
    const fieldLines = status < 400 ? options.fieldLines : options.fieldLines + faultFieldLines(answer);
    if (status === 204) sink.send(this.#encoder.encode(noContentHead(fieldLines)));
    else if ("stream" in answer)
      sink.send(this.#encoder.encode(headOfStream(answer, fieldLines, options.takesChunks)));
    else if ("bytes" in answer) {
      const head = { status, mediaType: answer.mediaType, fieldLines };
      this.#encodeKept(head, answer.bytes, options.omitsBody, sink);
    } else {
      const head = { status, mediaType: JSON_TYPE, fieldLines };
      this.#encodeText(head, JSON.stringify(answer.body), options.omitsBody, sink);
    }
  }

  #encodeText(head: ResponseHead, text: string, omitsBody: boolean, sink: AnswerSink): void {
    const bytes = this.#encodeSmall(head, text, omitsBody);
    if (bytes) sink.send(bytes);
    else this.#encodeKept(head, this.#encoder.encode(text), omitsBody, sink);
  }

  /** The answer in the shared buffer, `undefined` where it is too large for that. */
  #encodeSmall(head: ResponseHead, text: string, omitsBody: boolean): Uint8Array | undefined {
    // UTF-8 has at least a byte for each unit, so a longer text needs no trying.
    if (text.length > this.#body.length) return undefined;
    const { read, written } = this.#encoder.encodeInto(text, this.#body);
    if (read < text.length || !this.#putHead(head, written)) return undefined;
    return this.#bytes.subarray(this.#start, ANSWER_HEAD_BYTES + (omitsBody ? 0 : written));
  }

  /** @returns whether there is room for it */
  #putHead(head: ResponseHead, byteLength: number): boolean {
    if (this.#head && isSame(this.#head, head) && this.#byteLength === byteLength) return true;
    const text = responseHead(head, byteLength);
    if (text.length > ANSWER_HEAD_BYTES) return false;
    this.#head = head;
    this.#byteLength = byteLength;
    this.#start = ANSWER_HEAD_BYTES - text.length;
    this.#encoder.encodeInto(text, this.#bytes.subarray(this.#start, ANSWER_HEAD_BYTES));
    return true;
  }

  #encodeKept(head: ResponseHead, body: Uint8Array, omitsBody: boolean, sink: AnswerSink): void {
    sink.send(this.#encoder.encode(responseHead(head, body.length)));
    if (!omitsBody) sink.sendKept(body);
  }
}

function headOfStream(answer: StreamedAnswer, fieldLines: string, isChunked: boolean): string {
  const { status, mediaType, byteLength } = answer;
  const head = { status, mediaType, fieldLines: fieldLines + (answer.fieldLines ?? "") };
  return byteLength === undefined ? streamedHead(head, isChunked) : responseHead(head, byteLength);
}

function isSame(one: ResponseHead, other: ResponseHead): boolean {
  return (
    one.status === other.status && one.mediaType === other.mediaType && one.fieldLines === other.fieldLines
  );
}
