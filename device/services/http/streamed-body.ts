/**
 * The body of an answer that is produced as the socket accepts it: in chunks (RFC 9112 §7.1), or unchanged where its
 * head contains its length, or the end of the connection is its end. Requests no more before the current part is handed
 * over, so that no client, however slow, costs more memory than the stream itself.
 */

import type { Outbox } from "../../../protocol/http/outbox.js";
import type { Encoder } from "../../../protocol/http/text.js";
import { Pacer, type PacerOptions } from "../api/pacer.js";
import type { ByteStream } from "../api/request.js";

export interface StreamedBodyOptions extends PacerOptions {
  readonly isChunked: boolean;
  readonly encoder: Pick<Encoder, "encode">;
  readonly outbox: Outbox;
  /** The stream has failed: its end is never going to be sent. */
  onFailure(error: unknown): void;
}

export class StreamedBody {
  readonly #stream: ByteStream;
  readonly #isChunked: boolean;
  readonly #encoder: Pick<Encoder, "encode">;
  readonly #outbox: Outbox;
  readonly #onFailure: (error: unknown) => void;
  readonly #pacer: Pacer;
  /** The end of the chunk before, which leaves together with the head of the next one. */
  #chunkEnd = "";
  #isComplete = false;
  #isClosed = false;

  /** @param stream which it takes over */
  constructor(stream: ByteStream, options: StreamedBodyOptions) {
    this.#stream = stream;
    this.#isChunked = options.isChunked;
    this.#encoder = options.encoder;
    this.#outbox = options.outbox;
    this.#onFailure = options.onFailure;
    this.#pacer = new Pacer(options);
  }

  /** Everything is in the outbox. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Sends while the outbox is empty. Throws what the socket throws. */
  advance(): void {
    this.#pacer.run(() => this.#sendNext());
  }

  /** May be called twice. */
  close(): void {
    this.#pacer.stop();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.close();
  }

  /** @returns whether there is room for more */
  #sendNext(): boolean {
    if (this.#isClosed || !this.#outbox.isEmpty) return false;
    const bytes = this.#next();
    if (this.#isClosed) return false;
    if (bytes) this.#sendPiece(bytes);
    else this.#end();
    return true;
  }

  #next(): Uint8Array | undefined {
    try {
      return this.#stream.next();
    } catch (error) {
      this.close();
      this.#onFailure(error);
      return undefined;
    }
  }

  #sendPiece(bytes: Uint8Array): void {
    if (bytes.length === 0) return; // a chunk of no length would be the last one
    if (this.#isChunked) this.#sendText(`${this.#chunkEnd}${bytes.length.toString(16)}\r\n`);
    this.#chunkEnd = "\r\n";
    this.#outbox.sendKept(bytes);
  }

  #end(): void {
    this.#isComplete = true;
    this.close();
    if (this.#isChunked) this.#sendText(`${this.#chunkEnd}0\r\n\r\n`);
  }

  #sendText(text: string): void {
    this.#outbox.send(this.#encoder.encode(text));
  }
}
