/**
 * Keeps values in a file of the app's storage, two bytes each, in hundredths. They are appended sixteen at a time: flash
 * wears with each write, and a loss of power takes fifteen at most.
 */
import {
  cardDelete,
  cardWrite,
  LogLevel,
  log,
  storageDelete,
  storageRead,
  storageSize,
  storageWriteAt,
} from "svc";
import { decimal } from "./sensors";

const KEY = "recording";
const AT_END = -1;
const VALUE_BYTES = 2;
const GATHERED = 16;
/** On the SD card, below `apps/plot`. */
const CARD_FILE = "recording.csv";

export class Recording {
  isOn: bool = false;
  private readonly gathered: Uint8Array = new Uint8Array(GATHERED * VALUE_BYTES);
  private count: i32 = 0;
  /** Values in the file. */
  private stored: i32 = 0;
  private note: string = "";

  get text(): string {
    if (this.note.length > 0) return this.note;
    return `${this.isOn ? "recording" : "recorded"}: ${this.stored + this.count}`;
  }

  /** Looks how many values the file has. To be called first. */
  open(): void {
    this.stored = max(storageSize(KEY), 0) / VALUE_BYTES;
  }

  toggle(): void {
    this.note = "";
    if (this.isOn) this.stop();
    else this.isOn = true;
  }

  add(value: i32): void {
    if (!this.isOn) return;
    store<i16>(this.gathered.dataStart + this.count * VALUE_BYTES, i16(value / 10));
    this.count++;
    if (this.count === GATHERED) this.write();
  }

  /** @returns false if the last values could not be kept */
  stop(): bool {
    this.isOn = false;
    return this.write();
  }

  clear(): void {
    storageDelete(KEY);
    this.count = 0;
    this.stored = 0;
    this.note = "";
  }

  /** Writes what is recorded to the SD card as text, a value a line, in place of what is there. */
  export(): void {
    if (!this.write()) return;
    cardDelete(CARD_FILE);
    let result: i32 = 0;
    for (let offset = 0; result >= 0; offset += this.gathered.length) {
      const length = storageRead(KEY, offset, this.gathered);
      if (length <= 0) break;
      let lines = "";
      for (let at = 0; at + VALUE_BYTES <= length; at += VALUE_BYTES)
        lines += `${decimal(i32(load<i16>(this.gathered.dataStart + at)) * 10)}\n`;
      result = cardWrite(CARD_FILE, AT_END, Uint8Array.wrap(String.UTF8.encode(lines)));
    }
    this.note =
      result === -19 ? "no SD card" : result < 0 ? `card: error ${result}` : `on the card: ${this.stored}`;
  }

  /** What does not fit is dropped, and nothing is recorded any more: the file stays as it is. */
  private write(): bool {
    const bytes = this.gathered.subarray(0, this.count * VALUE_BYTES);
    const result = this.count === 0 ? 0 : storageWriteAt(KEY, AT_END, bytes);
    if (result < 0) log(LogLevel.WARNING, `cannot keep the recording: ${result}`);
    if (result < 0) {
      this.note = "no room to record";
      this.isOn = false;
    } else {
      this.stored += this.count;
    }
    this.count = 0;
    return result >= 0;
  }
}
