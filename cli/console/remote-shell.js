/**
 * A console's shell for one command after the other. A command that restarts the console would lose the next one, so
 * the shell waits for the console in between.
 */
import { comeBack } from "./restart.js";

/** @typedef {import("../device/client.js").Device} Device */

/** How a console answers commands that restart it: `reboot`, `ota apply`. */
const RESTARTS = /^(?:Rebooting\.|Restarting into firmware .*)\n$/;

export class RemoteShell {
  #call;
  #device;
  /** When it was asked for, as `performance.now()` says it. @type {number | undefined} */
  #restartedAt;
  /** @type {string | undefined} */
  #mac;

  /** @param {import("../command.js").Call} call @param {Device} device */
  constructor(call, device) {
    this.#call = call;
    this.#device = device;
  }

  /** @param {string} line @returns {Promise<import("../../protocol/device/answers.ts").ShellAnswer>} */
  async perform(line) {
    const device = await this.#ready();
    this.#mac ??= (await device.system(this.#call.signal)).mac;
    const askedAt = performance.now();
    const answer = await device.shell(line);
    if (RESTARTS.test(answer.output)) this.#restartedAt = askedAt;
    return answer;
  }

  async #ready() {
    if (this.#restartedAt === undefined) return this.#device;
    this.#device = await comeBack(this.#call, this.#device, {
      mac: this.#mac ?? "",
      askedMs: this.#restartedAt,
    });
    this.#restartedAt = undefined;
    return this.#device;
  }
}
