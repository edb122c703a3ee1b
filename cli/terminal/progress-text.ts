/**
 * Formats upload progress. Over HTTP a byte counts as sent when this machine's system has accepted it, which at first
 * is as fast as memory: a rate is meaningful only after a while, and no longer once all is handed over.
 */
import { bytesText, durationText } from "./units.js";

/** Before this, nothing is said of how fast it goes, and nothing at all where there is no terminal. */
export const SILENT_MS = 1000;

/** All has been handed over, and the answer says when it is done. */
const TAKING = "the console receives and checks it";

type Progressed = { readonly sentBytes: number; readonly totalBytes: number; readonly elapsedMs: number };

/** Behind the bar. */
export function barText({ sentBytes, totalBytes, elapsedMs }: Progressed): string {
  if (sentBytes === totalBytes) return TAKING;
  const sent = `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`;
  if (elapsedMs < SILENT_MS || sentBytes === 0) return sent;
  const bytesPerMs = sentBytes / elapsedMs;
  const leftSeconds = Math.ceil((totalBytes - sentBytes) / bytesPerMs / 1000);
  return `${sent}  ${rateText(bytesPerMs)}  ${leftSeconds} s left`;
}

/** Behind the bar once the console has answered. */
export function doneText({
  totalBytes,
  elapsedMs,
}: {
  readonly totalBytes: number;
  readonly elapsedMs: number;
}): string {
  return `${bytesText(totalBytes)} in ${durationText(elapsedMs)}`;
}

/** A line without a bar. */
export function lineText({ sentBytes, totalBytes, elapsedMs }: Progressed): string {
  if (sentBytes === totalBytes) return `${bytesText(totalBytes)} sent, ${TAKING}`;
  const percent = Math.floor((100 * sentBytes) / totalBytes);
  const rate = rateText(sentBytes / elapsedMs);
  return `${percent} %, ${bytesText(sentBytes)} of ${bytesText(totalBytes)}, ${rate}`;
}

function rateText(bytesPerMs: number): string {
  return `${bytesText(Math.round(bytesPerMs * 1000))}/s`;
}
