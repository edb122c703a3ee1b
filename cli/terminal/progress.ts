/**
 * Shows upload progress on standard error: a bar with rate and time left on a terminal, else a line for every tenth,
 * and one while a console processes the whole file. Shows nothing for an upload of less than a second.
 */
import { Presets, SingleBar } from "cli-progress";
import { barText, doneText, lineText, SILENT_MS } from "./progress-text.js";

const TENTH_PERCENT = 10;
/** Of the bar: often enough to look alive. */
const FRAMES_PER_SECOND = 10;

export class Progress {
  #what;
  #totalBytes;
  #isSilent;
  #startMs = performance.now();
  #reportedPercent = 0;
  #bar: SingleBar | undefined;
  /** Runs once all has been handed over. */
  #timer: NodeJS.Timeout | undefined;

  constructor({ what, totalBytes, isSilent }: { what: string; totalBytes: number; isSilent: boolean }) {
    this.#what = what;
    this.#totalBytes = totalBytes;
    this.#isSilent = isSilent;
    if (!isSilent && process.stderr.isTTY) this.#bar = startedBar(what, totalBytes);
  }

  update(sentBytes: number): void {
    if (this.#bar) this.#bar.update(sentBytes, { text: barText(this.#progressed(sentBytes)) });
    else if (!this.#isSilent && sentBytes < this.#totalBytes) this.#reportTenth(sentBytes);
    else if (!this.#isSilent) this.#timer ??= setTimeout(() => this.#report(sentBytes), SILENT_MS);
  }

  /** The console has answered that it has all of it. */
  finish(): void {
    this.#bar?.update(this.#totalBytes, { text: doneText(this.#progressed(this.#totalBytes)) });
    this.stop();
  }

  /** May be called twice; what was shown stays. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#bar?.stop();
    this.#bar = undefined;
    this.#isSilent = true;
  }

  #progressed(sentBytes: number) {
    const elapsedMs = performance.now() - this.#startMs;
    return { sentBytes, totalBytes: this.#totalBytes, elapsedMs };
  }

  #reportTenth(sentBytes: number): void {
    const percent = Math.floor((100 * sentBytes) / this.#totalBytes);
    const isTenth = percent - this.#reportedPercent >= TENTH_PERCENT;
    if (!isTenth || performance.now() - this.#startMs < SILENT_MS) return;
    this.#reportedPercent = percent - (percent % TENTH_PERCENT);
    this.#report(sentBytes);
  }

  #report(sentBytes: number): void {
    process.stderr.write(`${this.#what}: ${lineText(this.#progressed(sentBytes))}\n`);
  }
}

function startedBar(what: string, totalBytes: number): SingleBar {
  const bar = new SingleBar(
    {
      format: `${what} {bar} {percentage} %  {text}`,
      stream: process.stderr,
      hideCursor: true,
      fps: FRAMES_PER_SECOND,
      barsize: 24,
      linewrap: false,
    },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0, { text: barText({ sentBytes: 0, totalBytes, elapsedMs: 0 }) });
  return bar;
}
