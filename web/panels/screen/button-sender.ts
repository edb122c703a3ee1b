/**
 * Sends the held buttons to the console, one request at a time. During a request the newest state waits; a button that
 * was pressed and released meanwhile is still sent as a press. A press is sent at once. A release waits until apps have
 * had the time to poll the press, unless the button is pressed again: then the release goes first, or two taps would be
 * one. A release is never lost: one that could not be sent is sent once the console answers again.
 */
import { type ClientClock, systemClock } from "../../../device-client/clock.js";

export class ButtonSender {
  readonly #send: (bits: number) => Promise<unknown>;
  readonly #clock: ClientClock;
  readonly #fresh = new FreshPresses();
  #wanted = 0;
  /** Pressed since a request had them last, and perhaps let go already. */
  #tapped = 0;
  /** Pressed anew while the console has them pressed still. */
  #anew = 0;
  /** What the console was told last. */
  #reported = 0;
  /** Whether it knows that. */
  #isKnown = true;
  #isSending = false;
  #timer: object | undefined;

  /** @param send brings one state to the console; rejects where that is not known to have worked */
  constructor(send: (bits: number) => Promise<unknown>, clock: ClientClock = systemClock) {
    this.#send = send;
    this.#clock = clock;
  }

  hold(bits: number): void {
    const pressed = bits & ~this.#wanted;
    this.#tapped |= pressed;
    this.#anew |= pressed & this.#reported;
    this.#wanted = bits;
    void this.#catchUp();
  }

  /** The console answers: sends what is owed, if anything is. */
  resume(): void {
    void this.#catchUp();
  }

  /** Another run of the console, or another console, knows nothing of what is held. */
  restart(): void {
    this.#forget();
    void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (!this.#isKnown || this.#reported !== this.#next()) await this.#sendOnce();
    } catch {
      // The state stays owed. A concurrent screenshot request reports the error.
      this.#forget();
      this.#tapped = 0; // too late for a tap, never for a release
    } finally {
      this.#isSending = false;
      this.#releaseLater();
    }
  }

  /** What the console is to be told now. */
  #next(): number {
    return (this.#wanted | this.#tapped | this.#fresh.bits(this.#clock.uptimeMs())) & ~this.#anew;
  }

  async #sendOnce(): Promise<void> {
    const bits = this.#next();
    const pressed = bits & ~this.#reported;
    this.#tapped &= ~bits;
    this.#anew = 0;
    this.#reported = bits;
    this.#isKnown = false;
    await this.#send(bits);
    this.#isKnown = true;
    this.#fresh.add(pressed, this.#clock.uptimeMs());
  }

  #releaseLater(): void {
    this.#clock.clear(this.#timer);
    const waitMs = this.#fresh.waitMs(this.#reported & ~this.#wanted, this.#clock.uptimeMs());
    if (waitMs !== undefined) this.#timer = this.#clock.set(() => void this.#catchUp(), waitMs);
  }

  #forget(): void {
    this.#isKnown = false;
    this.#reported = 0;
    this.#anew = 0;
    this.#fresh.clear();
  }
}

/** Apps look at the buttons with each picture that they draw: of thirty a second, this is three. */
export const PRESS_MS = 100;

/** Tracks buttons that were pressed too recently for every app to have polled them. */
class FreshPresses {
  /** Since when each is, by its bit. */
  readonly #sinceMs = new Map<number, number>();

  /** @param pressed bits that have just been pressed */
  add(pressed: number, nowMs: number): void {
    for (let bit = 1; bit <= pressed; bit <<= 1) if (pressed & bit) this.#sinceMs.set(bit, nowMs);
  }

  clear(): void {
    this.#sinceMs.clear();
  }

  /** Those that an app may not have seen. */
  bits(nowMs: number): number {
    let bits = 0;
    for (const [bit, sinceMs] of this.#sinceMs) if (nowMs - sinceMs < PRESS_MS) bits |= bit;
    return bits;
  }

  /** Until the first of `wanted` has been seen; `undefined` where all have. */
  waitMs(wanted: number, nowMs: number): number | undefined {
    let shortest: number | undefined;
    for (const [bit, sinceMs] of this.#sinceMs) {
      const leftMs = sinceMs + PRESS_MS - nowMs;
      if (wanted & bit && leftMs > 0) shortest = Math.min(shortest ?? leftMs, leftMs);
    }
    return shortest;
  }
}
