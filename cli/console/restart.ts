/**
 * Restarts a console, and waits until the same console is back after a new start. A remote shell waits in the same
 * way after commands that restart the console, which would lose the next command.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Device } from "../../device-client/device.js";
import type { Transport } from "../../device-client/transport.js";
import type { ShellAnswer } from "../../protocol/device/answers.js";
import type { Call } from "../command.js";
import { deviceError, loadClient } from "../device/client.js";

/** Pause between attempts. */
const PAUSE_MS = 200;
/** Timeout of an attempt: a connection to the previous run never gets an answer. */
const ATTEMPT_MS = 1500;
/** Covers a board that writes new firmware before it starts. */
const LIMIT_MS = 120_000;

/**
 * @param device unusable afterwards
 * @param ask requests the restart; default: `POST /api/reboot`
 * @returns the same console; closed at the end of the call
 * @throws {Error} `device_timeout`, and the errors of `ask`
 */
export async function restart(
  call: Call,
  device: Device,
  ask: () => Promise<unknown> = () => device.reboot(),
): Promise<Device> {
  const { mac } = await device.system(call.signal);
  const askedMs = performance.now();
  await ask();
  return waitForRestart(call, device, { mac, askedMs });
}

/**
 * @param device the restarting console; unusable afterwards
 * @param run.mac of the console
 * @param run.askedMs time of the restart request
 * @returns the same console; closed at the end of the call
 * @throws {Error} `device_timeout`
 */
async function waitForRestart(
  call: Call,
  device: Device,
  { mac, askedMs }: { readonly mac: string; readonly askedMs: number },
): Promise<Device> {
  await device.transport.close();
  call.output.note("waiting for the console to restart");
  while (performance.now() - askedMs < LIMIT_MS) {
    const back = await attempt(call, mac, askedMs);
    if (back) return back;
    await pause(PAUSE_MS, undefined, { signal: call.signal });
  }
  throw await deviceError("device_timeout", `The console did not restart within ${LIMIT_MS / 1000} s`);
}

/** @returns `undefined` while it is away, not yet restarted, or another console answers */
async function attempt(
  { way, signal: whole, defer }: Call,
  mac: string,
  askedMs: number,
): Promise<Device | undefined> {
  const signal = AbortSignal.any([whole, AbortSignal.timeout(ATTEMPT_MS)]);
  const { Device } = await loadClient();
  let transport: Transport | undefined;
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
    // Retried after any error until the time limit.
  }
  await transport?.close();
  return undefined;
}

/** Output of commands that restart the console: `reboot`, `ota apply`. */
const RESTARTS = /^(?:Rebooting\.|Restarting into firmware .*)\n$/;

export class RemoteShell {
  #call;
  #device;
  /** Time of the last restart request, of `performance.now()`. */
  #restartedAt: number | undefined;
  #mac: string | undefined;

  constructor(call: Call, device: Device) {
    this.#call = call;
    this.#device = device;
  }

  async perform(line: string): Promise<ShellAnswer> {
    const device = await this.#ready();
    this.#mac ??= (await device.system(this.#call.signal)).mac;
    const askedAt = performance.now();
    const answer = await device.shell(line);
    if (RESTARTS.test(answer.output)) this.#restartedAt = askedAt;
    return answer;
  }

  async #ready(): Promise<Device> {
    if (this.#restartedAt === undefined) return this.#device;
    this.#device = await waitForRestart(this.#call, this.#device, {
      mac: this.#mac ?? "",
      askedMs: this.#restartedAt,
    });
    this.#restartedAt = undefined;
    return this.#device;
  }
}
