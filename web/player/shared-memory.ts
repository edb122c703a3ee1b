/**
 * What the page and the worker of a running app share. All that the app sends while it runs goes through this memory, which has
 * a fixed size: an app that draws, logs or stores without end only replaces what it sent before. The worker sends no messages
 * until the app has ended, and the page needs none from the app to end it.
 *
 * The page writes buttons, and whether the app is in front or paused. The worker writes pictures, log lines, stored values and sound.
 */
import { DISPLAY_HEIGHT, DISPLAY_WIDTH } from "./drawing.js";
import { SharedSound, SOUND_QUEUE_BYTES, SOUND_WORDS } from "./shared-sound.js";

const WORDS = 64;
const WORD_BUTTONS = 0;
const WORD_FRONT = 1;
const WORD_PAUSED = 2;
const WORD_PICTURES = 4;
const WORD_VALUES = 8;
const WORD_LOG = 12;
const WORD_PRESSED = 16;
const WORD_RELEASED = 17;
const WORD_SOUND = 24;

const PICTURE_BYTES = 2 * DISPLAY_WIDTH * DISPLAY_HEIGHT;

/** Longest log line; longer ones are cut. As on the console (`device/wasm/native/guest.h`). */
export const LOG_LINE_BYTES = 256;
const LOG_LINES = 32;
/** Level, lost lines, length, and the text. */
const LOG_SLOT_BYTES = 12 + LOG_LINE_BYTES;
/** Wait of an app whose lines nobody has taken yet, before it overwrites the oldest one; as on the console. */
const LOG_PATIENCE_MS = 2;

/** All values of an app with their keys (`stored-values.ts`). */
export const VALUES_LIMIT_BYTES = 68 * 1024;

const LOG_AT = 4 * WORDS;
const VALUES_AT = LOG_AT + LOG_LINES * LOG_SLOT_BYTES;

const SLOTS = 3;
const PICTURES_AT = VALUES_AT + SLOTS * VALUES_LIMIT_BYTES;
const SOUND_AT = PICTURES_AT + SLOTS * PICTURE_BYTES;
const TOTAL_BYTES = SOUND_AT + SOUND_QUEUE_BYTES;

export interface LogLine {
  /** 0 debug, 1 info, 2 warning, 3 error. */
  readonly level: number;
  readonly text: string;
  /** Lines that were dropped before this one. */
  readonly lost: number;
}

export class SharedMemory {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** Pictures, RGB565. */
  readonly pictures: LatestBytes;
  readonly values: LatestBytes;
  readonly sound: SharedSound;
  readonly #log: LogRing;

  /** @param buffer of the other side; left out: a new one */
  constructor(buffer = new SharedArrayBuffer(TOTAL_BYTES)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, WORDS);
    this.pictures = new LatestBytes(this.#words, WORD_PICTURES, slotsOf(buffer, PICTURES_AT, PICTURE_BYTES));
    this.values = new LatestBytes(this.#words, WORD_VALUES, slotsOf(buffer, VALUES_AT, VALUES_LIMIT_BYTES));
    this.sound = new SharedSound(
      this.#words.subarray(WORD_SOUND, WORD_SOUND + SOUND_WORDS),
      new Int16Array(buffer, SOUND_AT, SOUND_QUEUE_BYTES / 2),
    );
    this.#log = new LogRing(this.#words, buffer);
  }

  get buttons(): number {
    return Atomics.load(this.#words, WORD_BUTTONS);
  }

  set buttons(bits: number) {
    const changed = Atomics.exchange(this.#words, WORD_BUTTONS, bits) ^ bits;
    Atomics.or(this.#words, WORD_PRESSED, changed & bits);
    Atomics.or(this.#words, WORD_RELEASED, changed & ~bits);
  }

  /** Buttons that have gone down since the last call. */
  takePressed(): number {
    return Atomics.exchange(this.#words, WORD_PRESSED, 0);
  }

  /** Buttons that have gone up since the last call. */
  takeReleased(): number {
    return Atomics.exchange(this.#words, WORD_RELEASED, 0);
  }

  get isInFront(): boolean {
    return Atomics.load(this.#words, WORD_FRONT) !== 0;
  }

  set isInFront(isInFront: boolean) {
    const wasInFront = Atomics.exchange(this.#words, WORD_FRONT, isInFront ? 1 : 0) !== 0;
    if (isInFront && !wasInFront) {
      this.takePressed(); // before the app came to the front, they were none of its
      this.takeReleased();
    }
  }

  get isPaused(): boolean {
    return Atomics.load(this.#words, WORD_PAUSED) !== 0;
  }

  set isPaused(isPaused: boolean) {
    Atomics.store(this.#words, WORD_PAUSED, isPaused ? 1 : 0);
    Atomics.notify(this.#words, WORD_PAUSED);
  }

  /** Of the app's thread: returns once the app is not paused. */
  waitWhilePaused(): void {
    while (this.isPaused) Atomics.wait(this.#words, WORD_PAUSED, 1);
  }

  /** Of the app's thread. */
  sleep(milliseconds: number): void {
    const word = WORDS - 1; // which nothing changes
    Atomics.wait(this.#words, word, 0, milliseconds);
  }

  /** @param text UTF-8, at most {@link LOG_LINE_BYTES} */
  log(level: number, text: Uint8Array): void {
    if (this.#log.isFull) this.sleep(LOG_PATIENCE_MS);
    this.#log.add(level, text);
  }

  /**
   * Takes the lines that are there, at most 32.
   * @param hasEnded whether the worker has ended, which may have been at any point
   */
  takeLog(hasEnded = false): readonly LogLine[] {
    return this.#log.take(hasEnded);
  }
}

function slotsOf(buffer: SharedArrayBuffer, at: number, byteLength: number): readonly Uint8Array[] {
  return Array.from(
    { length: SLOTS },
    (_, slot) => new Uint8Array(buffer, at + slot * byteLength, byteLength),
  );
}

/**
 * The last of many byte strings, from one thread to another that reads when it wants to. Neither waits for the other: the writer
 * fills a slot that is neither the latest nor being read, and there always is one among three (as in the console's display.c).
 */
export class LatestBytes {
  readonly #words: Int32Array;
  readonly #latest: number;
  readonly #read: number;
  readonly #count: number;
  readonly #slots: readonly Uint8Array[];

  /** @param at of three words, all 0 at first */
  constructor(words: Int32Array, at: number, slots: readonly Uint8Array[]) {
    this.#words = words;
    this.#latest = at;
    this.#read = at + 1;
    this.#count = at + 2;
    this.#slots = slots;
  }

  /** How often something was published. */
  get count(): number {
    return Atomics.load(this.#words, this.#count);
  }

  publish(bytes: Uint8Array): void {
    // What the reader reads is kept as its number plus 1, so that 0 is none.
    const isTaken = (slot: number) =>
      slot === Atomics.load(this.#words, this.#latest) || slot === Atomics.load(this.#words, this.#read) - 1;
    let slot = 0;
    while (isTaken(slot)) slot++;
    this.#slots[slot]?.set(bytes);
    Atomics.store(this.#words, this.#latest, slot);
    Atomics.add(this.#words, this.#count, 1);
  }

  /** Copies the latest into `into`, whose length is that of a slot. */
  read(into: Uint8Array): void {
    let slot: number;
    do {
      slot = Atomics.load(this.#words, this.#latest);
      Atomics.store(this.#words, this.#read, slot + 1);
    } while (slot !== Atomics.load(this.#words, this.#latest));
    into.set((this.#slots[slot] as Uint8Array).subarray(0, into.length));
    Atomics.store(this.#words, this.#read, 0);
  }
}

/** The newest lines of an app, which say most. Each side holds the lock for no longer than it copies. */
class LogRing {
  readonly #words: Int32Array;
  readonly #view: DataView;
  readonly #bytes: Uint8Array;

  constructor(words: Int32Array, buffer: SharedArrayBuffer) {
    this.#words = words;
    this.#view = new DataView(buffer, LOG_AT, LOG_LINES * LOG_SLOT_BYTES);
    this.#bytes = new Uint8Array(buffer, LOG_AT, LOG_LINES * LOG_SLOT_BYTES);
  }

  get isFull(): boolean {
    return Atomics.load(this.#words, WORD_LOG + 2) >= LOG_LINES;
  }

  add(level: number, text: Uint8Array): void {
    while (!this.#tryLock());
    if (this.#lineCount === LOG_LINES) this.#dropOldest();
    const slot = LOG_SLOT_BYTES * ((this.#first + this.#lineCount) % LOG_LINES);
    this.#view.setUint32(slot, level);
    this.#view.setUint32(slot + 4, 0);
    this.#view.setUint32(slot + 8, text.length);
    this.#bytes.set(text, slot + 12);
    this.#set(this.#first, this.#lineCount + 1);
    this.#unlock();
  }

  take(hasEnded: boolean): readonly LogLine[] {
    if (!this.#tryLock() && !hasEnded) return []; // the worker is about to add a line
    const lines: LogLine[] = [];
    for (let index = 0; index < this.#lineCount; index++) {
      const slot = LOG_SLOT_BYTES * ((this.#first + index) % LOG_LINES);
      const length = Math.min(LOG_LINE_BYTES, this.#view.getUint32(slot + 8));
      lines.push({
        level: this.#view.getUint32(slot),
        lost: this.#view.getUint32(slot + 4),
        text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(
          this.#bytes.slice(slot + 12, slot + 12 + length), // a decoder takes no shared memory
        ),
      });
    }
    this.#set(0, 0);
    this.#unlock();
    return lines;
  }

  /** The line that is then the oldest tells how many are lost. */
  #dropOldest(): void {
    const lost = this.#view.getUint32(LOG_SLOT_BYTES * this.#first + 4) + 1;
    const first = (this.#first + 1) % LOG_LINES;
    const at = LOG_SLOT_BYTES * first + 4;
    this.#view.setUint32(at, this.#view.getUint32(at) + lost);
    this.#set(first, LOG_LINES - 1);
  }

  get #first(): number {
    return Atomics.load(this.#words, WORD_LOG + 1);
  }

  get #lineCount(): number {
    return Atomics.load(this.#words, WORD_LOG + 2);
  }

  #set(first: number, count: number): void {
    Atomics.store(this.#words, WORD_LOG + 1, first);
    Atomics.store(this.#words, WORD_LOG + 2, count);
  }

  #tryLock(): boolean {
    return Atomics.compareExchange(this.#words, WORD_LOG, 0, 1) === 0;
  }

  #unlock(): void {
    Atomics.store(this.#words, WORD_LOG, 0);
  }
}
