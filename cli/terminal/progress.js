/**
 * How far an upload is, on standard error: a bar with rate and time left on a terminal, else a line for every tenth,
 * unless it is over within a second.
 */
import { Presets, SingleBar } from "cli-progress";
import { bytesText } from "./units.js";

const SILENT_MS = 1000;
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

  /** @param {{ what: string, totalBytes: number, isSilent: boolean }} options */
  constructor({ what, totalBytes, isSilent }) {
    this.#what = what;
    this.#totalBytes = totalBytes;
    this.#isSilent = isSilent;
    if (!isSilent && process.stderr.isTTY) this.#bar = startedBar(what, totalBytes);
  }

  /** @param {number} sentBytes */
  update(sentBytes) {
    if (this.#bar) this.#bar.update(sentBytes, this.#payload(sentBytes));
    else if (!this.#isSilent) this.#tell(sentBytes);
  }

  /** May be called twice; what was shown stays. */
  stop() {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#isSilent = true;
  }

  /** @param {number} sentBytes */
  #payload(sentBytes) {
    const seconds = (performance.now() - this.#startMs) / 1000;
    const rate = seconds > 0 ? sentBytes / seconds : 0;
    const leftSeconds = rate > 0 ? Math.ceil((this.#totalBytes - sentBytes) / rate) : 0;
    return {
      sent: bytesText(sentBytes),
      rate: `${bytesText(Math.round(rate))}/s`,
      left: `${leftSeconds} s left`,
    };
  }

  /** @param {number} sentBytes */
  #tell(sentBytes) {
    const percent = Math.floor((100 * sentBytes) / this.#totalBytes);
    const isTenth = percent - this.#toldPercent >= TENTH_PERCENT;
    if (!isTenth || performance.now() - this.#startMs < SILENT_MS) return;
    this.#toldPercent = percent - (percent % TENTH_PERCENT);
    const { sent, rate } = this.#payload(sentBytes);
    process.stderr.write(`${this.#what}: ${percent} %, ${sent} of ${bytesText(this.#totalBytes)}, ${rate}\n`);
  }
}

/** @param {string} what @param {number} totalBytes */
function startedBar(what, totalBytes) {
  const format = `${what} {bar} {percentage} %  {sent} of ${bytesText(totalBytes)}  {rate}  {left}`;
  const bar = new SingleBar(
    {
      format,
      stream: process.stderr,
      hideCursor: true,
      fps: FRAMES_PER_SECOND,
      barsize: 24,
      linewrap: false,
    },
    Presets.shades_classic,
  );
  bar.start(totalBytes, 0, { sent: bytesText(0), rate: "", left: "" });
  return bar;
}
