/** Streams the page to a client: decodes a piece when there is room, so that memory does not depend on the page. */
import type { Base64 } from "../../../protocol/ports/bytes.js";
import type { ByteStream } from "../api/request.js";

const CHARACTERS_PER_GROUP = 4;
const BYTES_PER_GROUP = 3;

export class PageStream implements ByteStream {
  readonly #pieces: readonly string[];
  readonly #base64: Pick<Base64, "decode">;
  #next = 0;

  /** @param pieces whole groups of base64 each, padded in the last one at most */
  constructor(pieces: readonly string[], base64: Pick<Base64, "decode">) {
    this.#pieces = pieces;
    this.#base64 = base64;
  }

  next(): Uint8Array | undefined {
    const piece = this.#pieces[this.#next++];
    return piece === undefined ? undefined : new Uint8Array(this.#base64.decode(piece));
  }

  close(): void {
    // There is nothing to let go of.
  }
}

/** Of what the pieces decode to, without decoding them. */
export function pageByteLength(pieces: readonly string[]): number {
  let byteLength = 0;
  for (const piece of pieces) byteLength += (piece.length / CHARACTERS_PER_GROUP) * BYTES_PER_GROUP;
  const last = pieces.at(-1) ?? "";
  return byteLength - (last.endsWith("==") ? 2 : last.endsWith("=") ? 1 : 0);
}
