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
  #toldPercent = 0;
  /** @type {SingleBar | undefined} */
  #bar;
  /** Runs once all has been handed over. @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {{ what: string, totalBytes: number, isSilent: boolean }} options */
  constructor({ what, totalBytes, isSilent }) {
    this.#what = what;
    this.#totalBytes = totalBytes;
    this.#isSilent = isSilent;
    if (!isSilent && process.stderr.isTTY) this.#bar = startedBar(what, totalBytes);
  }

  /** @param {number} sentBytes */
  update(sentBytes) {
    if (this.#bar) this.#bar.update(sentBytes, { text: barText(this.#progressed(sentBytes)) });
    else if (!this.#isSilent && sentBytes < this.#totalBytes) this.#tellTenth(sentBytes);
    else if (!this.#isSilent) this.#timer ??= setTimeout(() => this.#tell(sentBytes), SILENT_MS);
  }

  /** The console has answered that it has all of it. */
  finish() {
    this.#bar?.update(this.#totalBytes, { text: doneText(this.#progressed(this.#totalBytes)) });
    this.stop();
  }

  /** May be called twice; what was shown stays. */
  stop() {
    clearTimeout(this.#timer);
    this.#bar?.stop();
    this.#bar = undefined;
    this.#isSilent = true;
  }

  /** @param {number} sentBytes */
  #progressed(sentBytes) {
    const elapsedMs = performance.now() - this.#startMs;
    return { sentBytes, totalBytes: this.#totalBytes, elapsedMs };
  }

  /** @param {number} sentBytes */
  #tellTenth(sentBytes) {
    const percent = Math.floor((100 * sentBytes) / this.#totalBytes);
    const isTenth = percent - this.#toldPercent >= TENTH_PERCENT;
    if (!isTenth || performance.now() - this.#startMs < SILENT_MS) return;
    this.#toldPercent = percent - (percent % TENTH_PERCENT);
    this.#tell(sentBytes);
  }

  /** @param {number} sentBytes */
  #tell(sentBytes) {
    process.stderr.write(`${this.#what}: ${lineText(this.#progressed(sentBytes))}\n`);
  }
}

/** @param {string} what @param {number} totalBytes */
function startedBar(what, totalBytes) {
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
