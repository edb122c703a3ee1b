/**
 * `GET /api/sound`: what the loudspeaker has played, as a WAV file
 * (docs/spec/sound.md#played).
 */

import { soundFileHead } from "../../../protocol/device/sound-file.js";
import { Fault } from "../../../protocol/fault.js";
import type { PlayedSound, Sound } from "../../ports/sound.js";
import type { Call } from "../api/call.js";
import type { ByteStream, StreamedAnswer } from "../api/request.js";

/** Of the samples that are sent at a time. */
const PIECE_BYTES = 1024;

interface SoundServices {
  readonly sound: Sound;
}

/** @throws {Fault} `not_found`, `out_of_memory` */
export function showSound({ sound }: SoundServices, { parameters }: Call): StreamedAnswer {
  if (!sound.isKept) throw new Fault("not_found", "This console does not keep what it plays");
  const stream = new WavStream(take(sound, parameters.integer("since") ?? 0));
  return { status: 200, mediaType: "audio/wav", field: "wav", stream };
}

function take(sound: Sound, since: number): PlayedSound {
  try {
    return sound.played(since);
  } catch (cause) {
    throw new Fault("out_of_memory", "Not enough memory for a copy of the sound", { cause });
  }
}

class WavStream implements ByteStream {
  readonly #sound: PlayedSound;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #sent = -1;

  constructor(sound: PlayedSound) {
    this.#sound = sound;
  }

  next(): Uint8Array | undefined {
    if (this.#sent < 0) {
      this.#sent = 0;
      return soundFileHead(this.#sound);
    }
    const length = this.#sound.read(this.#piece, this.#sent);
    this.#sent += length;
    return length === 0 ? undefined : this.#piece.subarray(0, length);
  }

  close(): void {
    this.#sound.close();
  }
}
