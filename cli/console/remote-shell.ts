/**
 * A console's shell for one command after the other. A command that restarts the console would lose the next one, so
 * the shell waits for the console in between.
 */
import type { Device } from "../../device-client/device.js";
import type { ShellAnswer } from "../../protocol/device/answers.js";
import type { Call } from "../command.js";
import { comeBack } from "./restart.js";

/** How a console answers commands that restart it: `reboot`, `ota apply`. */
const RESTARTS = /^(?:Rebooting\.|Restarting into firmware .*)\n$/;

export class RemoteShell {
  #call;
  #device;
  /** When it was asked for, as `performance.now()` says it. */
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
    this.#device = await comeBack(this.#call, this.#device, {
      mac: this.#mac ?? "",
      askedMs: this.#restartedAt,
    });
    this.#restartedAt = undefined;
    return this.#device;
  }
}
