/**
 * The newest lines of the log, as signals that change once per animation frame rather than once per line: a console
 * that replays its log sends hundreds at once.
 */
import { batch, type ReadonlySignal, signal } from "@preact/signals";

/** Some hours of an ordinary log, and as much as a page can show smoothly. */
export const LOG_LIMIT_LINES = 4000;

export class LogBuffer {
  readonly #lines = signal<readonly string[]>([]);
  readonly #start = signal(0);
  readonly #schedule: (flush: () => void) => void;
  #pending: string[] = [];

  /** @param schedule calls back once, soon, and asynchronously */
  constructor(schedule: (flush: () => void) => void = beforeNextPicture) {
    this.#schedule = schedule;
  }

  get lines(): ReadonlySignal<readonly string[]> {
    return this.#lines;
  }

  /** Number of the first line of `lines`. */
  get start(): ReadonlySignal<number> {
    return this.#start;
  }

  add(line: string): void {
    if (this.#pending.push(line) === 1) this.#schedule(() => this.#flush());
  }

  /** Call when another console is connected. */
  clear(): void {
    this.#pending.length = 0;
    batch(() => {
      this.#start.value += this.#lines.value.length;
      this.#lines.value = [];
    });
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const all = this.#lines.value.concat(this.#pending);
    const surplus = Math.max(0, all.length - LOG_LIMIT_LINES);
    this.#pending = [];
    batch(() => {
      this.#lines.value = surplus === 0 ? all : all.slice(surplus);
      this.#start.value += surplus;
    });
  }
}

/** Hidden pages get no animation frames, so a timer takes their place: pending lines must not pile up. */
function beforeNextPicture(flush: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(flush);
  else setTimeout(flush, 500);
}
