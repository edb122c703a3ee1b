/** Reads the stored lines of a console's log, without following it. */
import type { Device } from "../../device-client/device.js";
import { deviceError } from "../device/client.js";

/** An app may log faster than a port takes it: then there is no end, and this is enough. */
const LINES_LIMIT = 10_000;

/** @returns over HTTP with `next` and `dropped` beside them */
export async function keptLog(
  device: Device,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly string[] }> {
  if (device.transport.kind === "usb") return { lines: await replayedLog(device, signal) };
  const { status, body } = await device.transport.request({ method: "GET", path: "/api/logs", signal });
  if (status === 200) return body as { lines: string[] };
  const { error, message } = Object(body);
  throw await deviceError(
    String(error ?? "answer_invalid"),
    String(message ?? `The console answers ${status}`),
  );
}

/**
 * Over USB the log is replayed as events, of which none says that it is the last. But a console goes on with them as soon
 * as an answer is out, before it can have the next request: where two requests one after the other are answered and
 * nothing comes meanwhile, there is nothing.
 */
async function replayedLog(device: Device, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  const stop = device.transport.followLog((line) => void lines.push(line));
  for (let before = -1; lines.length > before && lines.length < LINES_LIMIT; ) {
    before = lines.length;
    await device.status(signal);
    await device.status(signal);
  }
  stop();
  return lines;
}
