/**
 * One question to a web server, asked in steps that never wait, so that the app looks at its buttons meanwhile.
 *
 *     IDLE ── begin ──▶ WAITING ── status ──▶ READING ── end of the body ──▶ IDLE
 *                          └──────── an error ────┴───────────────────────────▶ IDLE
 */
import { Errno, httpClose, httpField, httpRead, httpRequest, httpStatus } from "svc";

export enum Phase {
  IDLE,
  WAITING,
  READING,
}

/** What is beyond is not read. */
const LIMIT_BYTES = 2048;
/** A server tells it once. */
const DATE_LIMIT_BYTES = 40;

const body = new Uint8Array(LIMIT_BYTES);
const date = new Uint8Array(DATE_LIMIT_BYTES);

export class Inquiry {
  phase: Phase = Phase.IDLE;
  /** Of the last answer, such as 200; below 0 the error for which there is none. */
  status: i32 = 0;
  /** The last text that came. */
  text: string = "";
  /** When the server changed it, in the server's own words. */
  private changed: string = "";
  private handle: i32 = 0;
  private length: i32 = 0;

  /** Asks for the text, unless it is still the one that is known. */
  begin(address: string): void {
    let request = `GET ${address}\naccept: text/plain\n`;
    if (this.changed !== "") request += `if-modified-since: ${this.changed}\n`;
    this.handle = httpRequest(request);
    this.length = 0;
    if (this.handle < 0) this.end(this.handle);
    else this.phase = Phase.WAITING;
  }

  /** @returns whether this was the last step */
  step(): bool {
    if (this.phase === Phase.WAITING) this.waitForStatus();
    else if (this.phase === Phase.READING) this.readOn();
    return this.phase === Phase.IDLE;
  }

  private waitForStatus(): void {
    const status = httpStatus(this.handle, 0);
    if (status === Errno.BUSY) return; // not yet
    if (status !== 200) {
      this.end(status);
      return;
    }
    const length = httpField(this.handle, "last-modified", date);
    const isDate = length > 0 && length <= DATE_LIMIT_BYTES;
    this.changed = isDate ? String.UTF8.decodeUnsafe(date.dataStart, length) : "";
    this.phase = Phase.READING;
  }

  private readOn(): void {
    const got = httpRead(this.handle, body.subarray(this.length), 0);
    if (got === Errno.BUSY) return;
    if (got < 0) {
      this.end(got);
      return;
    }
    this.length += got;
    if (got > 0 && this.length < LIMIT_BYTES) return;
    this.text = String.UTF8.decodeUnsafe(body.dataStart, this.length);
    this.end(200);
  }

  /** Whatever came of it: there are few handles, which all apps share. */
  private end(status: i32): void {
    if (this.handle >= 0) httpClose(this.handle);
    if (status < 0) this.changed = ""; // the text may have come in part
    this.status = status;
    this.phase = Phase.IDLE;
  }
}
