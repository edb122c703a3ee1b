/**
 * Answers as bytes. A small one is put together in one buffer that all connections share, body first,
 * since the head says how long the body is; so it leaves in one write and allocates nothing.
 *
 *   |<-- ANSWER_HEAD_BYTES -->|
 *   |          head           | body      |
 *              ^ right-aligned
 */
import type { Answer } from "../api/request.js";
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
import type { Encoder } from "./text.js";

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

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** Passes the whole answer to `sink`, or its head alone where the body is streamed. */
  encode(answer: Answer, options: AnswerOptions, sink: AnswerSink): void {
    const { status } = answer;
    const fieldLines = status < 400 ? options.fieldLines : options.fieldLines + faultFieldLines(answer);
    if (status === 204) sink.send(this.#encoder.encode(noContentHead(fieldLines)));
    else if ("stream" in answer) {
      const head = { status, mediaType: answer.mediaType, fieldLines };
      sink.send(this.#encoder.encode(streamedHead(head, options.takesChunks)));
    } else if ("bytes" in answer) {
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
    const headText = responseHead(head, written);
    if (read < text.length || headText.length > ANSWER_HEAD_BYTES) return undefined;
    const start = ANSWER_HEAD_BYTES - headText.length;
    this.#encoder.encodeInto(headText, this.#bytes.subarray(start, ANSWER_HEAD_BYTES));
    return this.#bytes.subarray(start, ANSWER_HEAD_BYTES + (omitsBody ? 0 : written));
  }

  #encodeKept(head: ResponseHead, body: Uint8Array, omitsBody: boolean, sink: AnswerSink): void {
    sink.send(this.#encoder.encode(responseHead(head, body.length)));
    if (!omitsBody) sink.sendKept(body);
  }
}
