/**
 * Sends the held buttons to the console, one request at a time. During a request the newest state waits; a button that
 * is pressed and released in the meantime is still sent as a press. A press is sent immediately. A release waits until
 * apps have had time to poll the press, unless the button is pressed again: then the release is sent first, so that two
 * taps do not become one. A release is never lost: if a request fails, it is sent when the console answers again.
 */
import { type ClientClock, systemClock } from "../../../device-client/clock.js";

export class ButtonSender {
  readonly #send: (bits: number) => Promise<unknown>;
  readonly #clock: ClientClock;
  readonly #fresh = new FreshPresses();
  #wanted = 0;
  /** Buttons pressed since the last request; some may already be released. */
  #tapped = 0;
  /** Buttons pressed again while the console still has them as pressed: their release is sent first. */
  #anew = 0;
  /** The state that was sent last. */
  #reported = 0;
  /** Whether the console is known to have received it. */
  #isKnown = true;
  #isSending = false;
  #timer: object | undefined;

  /** @param send sends one state to the console; rejects unless the console has confirmed it */
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

  /** Call when the console answers: sends a state that is still pending. */
  resume(): void {
    void this.#catchUp();
  }

  /** Call after a restart of the console, or for another console: sends the held buttons again. */
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
      // The state stays pending. A concurrent screenshot request reports the error.
      this.#forget();
      this.#tapped = 0; // a late tap is dropped; a late release is not
    } finally {
      this.#isSending = false;
      this.#releaseLater();
    }
  }

  /** The state to send next. */
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

/** Apps poll the buttons once per frame: at 30 frames a second, this is three frames. */
export const PRESS_MS = 100;

/** Tracks buttons that were pressed too recently for every app to have polled them. */
class FreshPresses {
  /** Time of each press, by the button's bit. */
  readonly #sinceMs = new Map<number, number>();

  /** @param pressed bits that have just been pressed */
  add(pressed: number, nowMs: number): void {
    for (let bit = 1; bit <= pressed; bit <<= 1) if (pressed & bit) this.#sinceMs.set(bit, nowMs);
  }

  clear(): void {
    this.#sinceMs.clear();
  }

  /** Buttons whose press an app may not have polled yet. */
  bits(nowMs: number): number {
    let bits = 0;
    for (const [bit, sinceMs] of this.#sinceMs) if (nowMs - sinceMs < PRESS_MS) bits |= bit;
    return bits;
  }

  /** Time until the first fresh press of `wanted` is old enough; `undefined` if none is fresh. */
  waitMs(wanted: number, nowMs: number): number | undefined {
    let shortest: number | undefined;
    for (const [bit, sinceMs] of this.#sinceMs) {
      const leftMs = sinceMs + PRESS_MS - nowMs;
      if (wanted & bit && leftMs > 0) shortest = Math.min(shortest ?? leftMs, leftMs);
    }
    return shortest;
  }
}
