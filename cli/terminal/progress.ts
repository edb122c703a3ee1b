/**
 * Shows upload progress on standard error: a bar with rate and time left on a terminal, else a line for every tenth,
 * and one while a console processes the whole file. Shows nothing for an upload of less than a second.
 */
import { Presets, SingleBar } from "cli-progress";
import { bytesText, durationText } from "./format.js";

const TENTH_PERCENT = 10;
/** Frame rate of the bar. */
const FRAMES_PER_SECOND = 10;

export class Progress {
  #what;
  #totalBytes;
  #isSilent;
  #startMs = performance.now();
  #reportedPercent = 0;
  #bar: SingleBar | undefined;
  /** Runs after all bytes are sent. */
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

  /** Call when the console has answered. */
  finish(): void {
    this.#bar?.update(this.#totalBytes, { text: doneText(this.#progressed(this.#totalBytes)) });
    this.stop();
  }

  /** May be called twice; the shown output stays. */
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

/** Time before a rate is shown, and before anything is shown without a terminal. */
const SILENT_MS = 1000;

/** Shown after all bytes are sent, until the answer. */
const PROCESSING = "the console receives and checks it";

type Progressed = { readonly sentBytes: number; readonly totalBytes: number; readonly elapsedMs: number };

/** Text after the bar. */
export function barText({ sentBytes, totalBytes, elapsedMs }: Progressed): string {
  if (sentBytes === totalBytes) return PROCESSING;
  const sent = `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`;
  if (elapsedMs < SILENT_MS || sentBytes === 0) return sent;
  const bytesPerMs = sentBytes / elapsedMs;
  const leftSeconds = Math.ceil((totalBytes - sentBytes) / bytesPerMs / 1000);
  return `${sent}  ${rateText(bytesPerMs)}  ${leftSeconds} s left`;
}

/** Text after the bar when the console has answered. */
export function doneText({
  totalBytes,
  elapsedMs,
}: {
  readonly totalBytes: number;
  readonly elapsedMs: number;
}): string {
  return `${bytesText(totalBytes)} in ${durationText(elapsedMs)}`;
}

/** A line of text, without a bar. */
export function lineText({ sentBytes, totalBytes, elapsedMs }: Progressed): string {
  if (sentBytes === totalBytes) return `${bytesText(totalBytes)} sent, ${PROCESSING}`;
  const percent = Math.floor((100 * sentBytes) / totalBytes);
  const rate = rateText(sentBytes / elapsedMs);
  return `${percent} %, ${bytesText(sentBytes)} of ${bytesText(totalBytes)}, ${rate}`;
}

function rateText(bytesPerMs: number): string {
  return `${bytesText(Math.round(bytesPerMs * 1000))}/s`;
}
