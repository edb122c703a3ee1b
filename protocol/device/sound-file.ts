/**
 * The file that `GET /api/sound` answers with: a WAV file whose chunk `svc ` says where in all that was played it begins
 * (docs/spec/sound.md#played).
 *
 *     RIFF, its length, WAVE | fmt : one channel, 16 bits | svc : number of the first sample, 64 bits | data: samples
 */

/** Where the chunks begin, and the samples. Numbers have their low byte first. */
const FORMAT_AT = 12;
const POSITION_AT = 36;
const DATA_AT = 52;
const HEAD_BYTES = 60;

const FORMAT_BYTES = 16;
const POSITION_BYTES = 8;
const SAMPLE_BYTES = 2;
const PCM = 1;
const CHANNELS = 1;

export interface SoundFile {
  /** Number of the first sample. */
  readonly start: number;
  /** Samples a second. */
  readonly rate: number;
  readonly samples: Int16Array;
}

/** Everything before the samples. */
export function soundFileHead({
  start,
  byteLength,
  rate,
}: Pick<SoundFile, "start" | "rate"> & {
  /** Of the samples. */
  readonly byteLength: number;
}): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  const put = (id: string, at: number, value: number) => {
    for (let index = 0; index < id.length; index++) bytes[at + index] = id.charCodeAt(index);
    view.setUint32(at + id.length, value, true);
  };
  put("RIFF", 0, HEAD_BYTES - 8 + byteLength);
  put("WAVEfmt ", 8, FORMAT_BYTES);
  view.setUint16(FORMAT_AT + 8, PCM, true);
  view.setUint16(FORMAT_AT + 10, CHANNELS, true);
  view.setUint32(FORMAT_AT + 12, rate, true);
  view.setUint32(FORMAT_AT + 16, rate * SAMPLE_BYTES, true);
  view.setUint16(FORMAT_AT + 20, SAMPLE_BYTES, true);
  view.setUint16(FORMAT_AT + 22, 8 * SAMPLE_BYTES, true);
  put("svc ", POSITION_AT, POSITION_BYTES);
  view.setUint32(POSITION_AT + 8, start % 2 ** 32, true);
  view.setUint32(POSITION_AT + 12, Math.floor(start / 2 ** 32), true);
  put("data", DATA_AT, byteLength);
  return bytes;
}

/** @throws {Error} if these are not the bytes of such a file */
export function readSoundFile(bytes: Uint8Array): SoundFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const idAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < HEAD_BYTES || idAt(POSITION_AT) !== "svc " || idAt(DATA_AT) !== "data")
    throw new Error("not the sound of a console");
  const byteLength = Math.min(view.getUint32(DATA_AT + 4, true), bytes.length - HEAD_BYTES);
  const samples = new Int16Array(Math.floor(byteLength / SAMPLE_BYTES));
  for (let index = 0; index < samples.length; index++)
    samples[index] = view.getInt16(HEAD_BYTES + SAMPLE_BYTES * index, true);
  const start = view.getUint32(POSITION_AT + 8, true) + 2 ** 32 * view.getUint32(POSITION_AT + 12, true);
  return { start, rate: view.getUint32(FORMAT_AT + 12, true), samples };
}
