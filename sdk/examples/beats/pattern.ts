/** The music: which note each row plays at each step, and how fast. It is kept in storage as it is in memory. */
import { storageRead, storageWrite } from "svc";

export const STEPS = 8;
export const ROWS = 4;
/** Notes of a row, 0 for none. */
export const NOTES = 5;

const FIRST_TEMPO = 6;
export const TEMPOS = 10;
const SLOWEST_BEATS = 60;
const BEATS_PER_TEMPO = 15;
/** Two steps are a beat. */
const MINUTE_MS = 60_000;

const KEY = "pattern";

/** What a new pad plays. */
const FIRST: StaticArray<u8> = [
  1,
  0,
  0,
  0,
  1,
  0,
  1,
  0, // drum
  0,
  0,
  1,
  0,
  0,
  0,
  1,
  0, // hiss
  1,
  0,
  1,
  0,
  3,
  0,
  2,
  0, // bass
  0,
  3,
  0,
  4,
  0,
  0,
  5,
  0, // lead
];

export class Pattern {
  /** A byte for each cell, row by row, and one for the tempo. */
  private readonly bytes: Uint8Array = new Uint8Array(ROWS * STEPS + 1);

  constructor() {
    for (let cell = 0; cell < FIRST.length; cell++) this.bytes[cell] = FIRST[cell];
    this.bytes[FIRST.length] = FIRST_TEMPO;
  }

  /** What was kept; what is no pattern is not taken. */
  load(): void {
    const kept = new Uint8Array(this.bytes.length);
    if (storageRead(KEY, 0, kept) !== kept.length) return;
    for (let cell = 0; cell < FIRST.length; cell++) if (i32(kept[cell]) > NOTES) return;
    if (i32(kept[FIRST.length]) < TEMPOS) this.bytes.set(kept);
  }

  store(): void {
    storageWrite(KEY, this.bytes);
  }

  note(row: i32, step: i32): i32 {
    return this.bytes[row * STEPS + step];
  }

  /** Puts the next note of the row, and none after the last one. */
  change(row: i32, step: i32): void {
    const notes = row < 2 ? 1 : NOTES; // the drums have one
    this.bytes[row * STEPS + step] = u8((this.note(row, step) + 1) % (notes + 1));
  }

  clearRow(row: i32): void {
    for (let step = 0; step < STEPS; step++) this.bytes[row * STEPS + step] = 0;
  }

  get tempo(): i32 {
    return this.bytes[FIRST.length];
  }

  set tempo(tempo: i32) {
    this.bytes[FIRST.length] = u8(max(0, min(tempo, TEMPOS - 1)));
  }

  get beatsPerMinute(): i32 {
    return SLOWEST_BEATS + BEATS_PER_TEMPO * this.tempo;
  }

  get stepMs(): i32 {
    return MINUTE_MS / this.beatsPerMinute / 2;
  }
}
