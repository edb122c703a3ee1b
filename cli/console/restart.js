/** Restarts a console and waits until the same console is back, after a new start. */
import { setTimeout as pause } from "node:timers/promises";
import { deviceError, loadClient } from "../device/client.js";

/** @typedef {import("../device/client.js").Device} Device */

/** Between two attempts. */
const PAUSE_MS = 200;
/** How long one attempt may take: a connection that leads to the run before is never answered. */
const ATTEMPT_MS = 1500;
/** A board that writes new firmware before it starts takes its time. */
const LIMIT_MS = 120_000;

/**
 * @param {import("../command.js").Call} call
 * @param {Device} device is of no use afterwards
 * @param {() => Promise<unknown>} [ask] has it restart; left out: `POST /api/reboot`
 * @returns {Promise<Device>} the same console; closed with the call
 * @throws {Error} `device_timeout`, and what asking throws
 */
export async function restart(call, device, ask = () => device.reboot()) {
  const { mac } = await device.system(call.signal);
  const askedMs = performance.now();
  await ask();
  return comeBack(call, device, { mac, askedMs });
}

/**
 * @param {import("../command.js").Call} call
 * @param {Device} device which restarts; of no use afterwards
 * @param {{ readonly mac: string, readonly askedMs: number }} run whose restart was asked for, and when
 * @returns {Promise<Device>} the same console; closed with the call
 * @throws {Error} `device_timeout`
 */
export async function comeBack(call, device, { mac, askedMs }) {
  await device.transport.close();
  call.output.note("waiting for the console to come back");
  while (performance.now() - askedMs < LIMIT_MS) {
    const back = await attempt(call, mac, askedMs);
    if (back) return back;
    await pause(PAUSE_MS, undefined, { signal: call.signal });
  }
  throw await deviceError(
    "device_timeout",
    `The console is not back ${LIMIT_MS / 1000} s after it was to restart`,
  );
}

/**
 * @param {import("../command.js").Call} call
 * @param {string} mac
 * @param {number} askedMs
 * @returns {Promise<Device | undefined>} `undefined` while it is away, not yet restarted, or another console answers
 */
async function attempt({ way, signal: whole, defer }, mac, askedMs) {
  const signal = AbortSignal.any([whole, AbortSignal.timeout(ATTEMPT_MS)]);
  const { Device } = await loadClient();
  /** @type {import("../device/client.js").Transport | undefined} */
  let transport;
  try {
    transport = await (await way()).open(signal);
    const device = await Device.identify(transport, signal);
    const system = await device.system(signal);
    const { uptime_ms } = await device.status(signal);
    if (system.mac === mac && uptime_ms < performance.now() - askedMs) {
      const opened = transport;
      defer(() => opened.close());
      return device;
    }
  } catch {
    // Whatever it was: it is tried again, until the time is up.
  }
  await transport?.close();
  return undefined;
}
