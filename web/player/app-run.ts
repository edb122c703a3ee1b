/**
 * One run of an app in the page: its worker, and what it shows, logs and stores. Whoever made it ends it; an app that never
 * yields ends as any other, for its worker is terminated.
 */
import type { GuestExit } from "../../device/ports/guest.js";
import { DISPLAY_HEIGHT, DISPLAY_WIDTH } from "./drawing.js";
import type { AppFacts, FromWorker, ToWorker } from "./messages.js";
import { PlayerSound, type SoundOutput } from "./player-sound.js";
import { type LogLine, SharedMemory, VALUES_LIMIT_BYTES } from "./shared-memory.js";
import { encodedPart } from "./stored-values.js";

/** Between two looks at what the app has logged and stored. */
const LOOK_MS = 50;
/** Stored values reach the browser's storage no more often than this. */
const STORE_MS = 500;

export type AppEnding =
  | { readonly kind: "ended"; readonly exit: GuestExit }
  | { readonly kind: "refused"; readonly code: string; readonly message: string };

export interface AppRunOptions {
  /** The worker's script. */
  readonly script: string;
  /** The app's package. */
  readonly file: Uint8Array;
  readonly sound: SoundOutput;
  /** @returns the app's stored values (`stored-values.ts`) */
  onOpened(facts: AppFacts): Promise<Uint8Array>;
  onPicture(rgb565: Uint16Array): void;
  onLog(lines: readonly LogLine[]): void;
  onValues(encoded: Uint8Array): void;
  /** Called once, last. */
  onEnd(ending: AppEnding): void;
}

export class AppRun {
  readonly #options: AppRunOptions;
  readonly #worker: Worker;
  readonly #shared = new SharedMemory();
  readonly #picture = new Uint16Array(DISPLAY_WIDTH * DISPLAY_HEIGHT);
  readonly #sound: PlayerSound;
  readonly #timer: ReturnType<typeof setInterval>;
  #frame = 0;
  #shownPictures = 0;
  #storedValues = 0;
  #storedAt = 0;
  #hasEnded = false;

  constructor(options: AppRunOptions) {
    this.#options = options;
    this.#sound = new PlayerSound(this.#shared, options.sound);
    this.#worker = new Worker(options.script, { type: "module", name: "app" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#onMessage(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#end({ kind: "ended", exit: { reason: "host_error", message: event.message || "no worker" } });
    };
    this.#send({ kind: "open", file: options.file, memory: this.#shared.buffer });
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#nextFrame();
  }

  set buttons(bits: number) {
    this.#shared.buttons = bits;
  }

  set isInFront(isInFront: boolean) {
    this.#shared.isInFront = isInFront;
    if (!isInFront) this.#sound.silence();
  }

  set isPaused(isPaused: boolean) {
    this.#shared.isPaused = isPaused;
  }

  /** Ends the app, whatever it does. Can be called twice. */
  stop(): void {
    this.#end({ kind: "ended", exit: { reason: "stopped" } });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #onMessage(message: FromWorker): void {
    if (this.#hasEnded) return;
    if (message.kind !== "opened") this.#end(message);
    else
      this.#options.onOpened(message.facts).then((values) => {
        if (!this.#hasEnded) this.#send({ kind: "run", values });
      });
  }

  #end(ending: AppEnding): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#worker.terminate();
    clearInterval(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#show();
    this.#look();
    this.#options.onEnd(ending);
  }

  #nextFrame(): void {
    this.#frame = requestAnimationFrame((now) => {
      this.#nextFrame(); // first: whatever fails in this frame, the next one comes
      this.#show();
      this.#sound.advance(now);
    });
  }

  #show(): void {
    const { pictures } = this.#shared;
    const { count } = pictures;
    if (count === this.#shownPictures) return;
    this.#shownPictures = count;
    pictures.read(new Uint8Array(this.#picture.buffer));
    this.#options.onPicture(this.#picture);
  }

  #look(): void {
    const lines = this.#shared.takeLog(this.#hasEnded);
    if (lines.length > 0) this.#options.onLog(lines);
    const now = performance.now();
    const { values } = this.#shared;
    const { count } = values;
    if (count === this.#storedValues || (now < this.#storedAt + STORE_MS && !this.#hasEnded)) return;
    this.#storedValues = count;
    this.#storedAt = now;
    const encoded = new Uint8Array(VALUES_LIMIT_BYTES);
    values.read(encoded);
    this.#options.onValues(encodedPart(encoded));
  }
}
