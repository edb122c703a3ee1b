/** State of the player: which app there is, whether it runs, and what it has logged. The page shows it. */
import { signal } from "@preact/signals";
import { HeldButtons } from "../panels/screen/buttons.js";
import { type AppEnding, AppRun } from "./app-run.js";
import type { AppSource, PlayedApp } from "./app-source.js";
import { DISPLAY_HEIGHT, DISPLAY_WIDTH } from "./drawing.js";
import { endingLine } from "./ending-text.js";
import { connectedPads, GameControllers } from "./game-controllers.js";
import { keepValues, readValues } from "./kept-values.js";
import type { AppFacts } from "./messages.js";
import { SoundOutput } from "./player-sound.js";
import type { LogLine } from "./shared-memory.js";

export type Play =
  | { readonly phase: "waiting" }
  | { readonly phase: "opening" }
  | { readonly phase: "running"; readonly facts: AppFacts; readonly isPaused: boolean }
  | { readonly phase: "over"; readonly facts: AppFacts | undefined; readonly ending: AppEnding };

export interface ShownLine extends LogLine {
  /** Counts up from 0. */
  readonly number: number;
}

/** Lines that the page keeps. */
const LINES_LIMIT = 500;

const WORKER = "app-worker.js";

export class PlaySession {
  readonly play = signal<Play>({ phase: "waiting" });
  readonly lines = signal<readonly ShownLine[]>([]);
  /** What keeps the source from bringing an app, as a sentence. */
  readonly problem = signal<string | undefined>(undefined);
  /** Whether the browser has the app's stored values, and stores what the app asks it to. */
  readonly isKept = signal(true);
  readonly bits = signal(0);
  readonly isMuted = signal(false);
  readonly held: HeldButtons;

  readonly #source: AppSource;
  readonly #sound = new SoundOutput();
  #app: PlayedApp | undefined;
  #run: AppRun | undefined;
  #context: CanvasRenderingContext2D | null = null;
  readonly #image = new ImageData(DISPLAY_WIDTH, DISPLAY_HEIGHT);
  #lineCount = 0;

  constructor(source: AppSource) {
    this.#source = source;
    this.held = new HeldButtons((bits) => {
      this.bits.value = bits;
      if (this.#run) this.#run.buttons = bits;
    });
  }

  /** Starts the app of the source as soon as there is one. Call it once. */
  open(): void {
    this.#source.open(
      (app) => {
        this.#app = app;
        this.start();
      },
      (problem) => {
        this.problem.value = problem;
      },
    );
    document.addEventListener("visibilitychange", () => this.#tellFront());
    const controllers = new GameControllers(this.held);
    const readPads = () => {
      controllers.read(connectedPads(), document.hasFocus());
      requestAnimationFrame(readPads);
    };
    readPads();
  }

  /** The canvas that shows the display. */
  showOn(canvas: HTMLCanvasElement | null): void {
    if (canvas) {
      canvas.width = DISPLAY_WIDTH;
      canvas.height = DISPLAY_HEIGHT;
    }
    this.#context = canvas?.getContext("2d") ?? null;
    this.#draw();
  }

  /** Starts the app anew, which ends the run that there is. */
  start(): void {
    const app = this.#app;
    if (!app) return;
    const replaced = this.#run;
    this.#run = undefined; // so that its end is none of the app's
    replaced?.stop();
    this.#fill(() => 0);
    this.play.value = { phase: "opening" };
    let facts: AppFacts | undefined;
    let hasValues = false;
    const run = new AppRun({
      script: WORKER,
      file: app.file,
      sound: this.#sound,
      onOpened: async (opened) => {
        facts = opened;
        this.play.value = { phase: "running", facts, isPaused: false };
        this.#source.report?.({ kind: "started", name: facts.name, version: facts.version });
        const values = await readValues(app.owner, facts.name);
        hasValues = values !== undefined;
        this.isKept.value = hasValues;
        return values ?? new Uint8Array(0);
      },
      onPicture: (rgb565) => this.#fill((pixel) => rgb565[pixel] as number),
      onLog: (lines) => this.#addLines(lines, facts),
      onValues: async (encoded) => {
        // What earlier runs have stored, and the browser did not give, is not replaced by less.
        if (facts && hasValues) this.isKept.value = await keepValues(app.owner, facts.name, encoded);
      },
      onEnd: (ending) => {
        if (this.#run !== run) return;
        this.#run = undefined;
        this.play.value = { phase: "over", facts, ending };
        this.#source.report?.({ kind: "ended", name: facts?.name ?? "", message: endingLine(ending) });
      },
    });
    this.#run = run;
    run.buttons = this.held.bits;
    this.#tellFront();
  }

  stop(): void {
    this.#run?.stop();
  }

  mute(isMuted: boolean): void {
    this.isMuted.value = isMuted;
    this.#sound.isMuted = isMuted;
  }

  pause(isPaused: boolean): void {
    const { value } = this.play;
    if (value.phase !== "running" || !this.#run) return;
    this.#run.isPaused = isPaused;
    this.play.value = { ...value, isPaused };
  }

  /** An app in a hidden page is not in front (docs/spec/web-player.md#in-front). */
  #tellFront(): void {
    if (this.#run) this.#run.isInFront = document.visibilityState === "visible";
  }

  #addLines(lines: readonly LogLine[], facts: AppFacts | undefined): void {
    const numbered = lines.map((line) => ({ ...line, number: this.#lineCount++ }));
    this.lines.value = [...this.lines.value, ...numbered].slice(-LINES_LIMIT);
    this.#source.report?.({ kind: "log", name: facts?.name ?? "", lines });
  }

  #fill(rgb565: (pixel: number) => number): void {
    const { data } = this.#image;
    for (let pixel = 0; pixel < DISPLAY_WIDTH * DISPLAY_HEIGHT; pixel++) {
      const colour = rgb565(pixel);
      const [red, green, blue] = [colour >> 11, (colour >> 5) & 0x3f, colour & 0x1f];
      data[4 * pixel] = (red << 3) | (red >> 2); // low bits repeat the high ones, as in the console's pictures
      data[4 * pixel + 1] = (green << 2) | (green >> 4);
      data[4 * pixel + 2] = (blue << 3) | (blue >> 2);
      data[4 * pixel + 3] = 0xff;
    }
    this.#draw();
  }

  #draw(): void {
    this.#context?.putImageData(this.#image, 0, 0);
  }
}
