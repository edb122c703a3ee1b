/** The console of a call of `svc`, found and opened when the command first uses it. */
import { loadClient } from "./client.js";
import { findDeviceRoute } from "./device-route.js";
import { pairedConsoles, tokenFor } from "./paired-consoles.js";

/** @typedef {import("./client.js").Device} Device */
/** @typedef {import("./device-route.js").DeviceRoute} DeviceRoute */

export class CommandDevice {
  #values;
  #output;
  #lifetime;
  /** @type {Promise<DeviceRoute> | undefined} */
  #way;
  /** @type {Promise<Device> | undefined} */
  #device;

  /**
   * @param {object} options
   * @param {Readonly<Record<string, string | undefined>>} options.values those of `--device` and `--token`
   * @param {import("../terminal/output.js").Output} options.output
   * @param {import("../lifetime.js").Lifetime} options.lifetime closes what was opened
   */
  constructor({ values, output, lifetime }) {
    this.#values = values;
    this.#output = output;
    this.#lifetime = lifetime;
  }

  /** @returns {Promise<DeviceRoute>} */
  way() {
    this.#way ??= this.#find();
    return this.#way;
  }

  /** @returns {Promise<Device>} */
  device() {
    this.#device ??= this.#open();
    return this.#device;
  }

  async #find() {
    const selector = this.#values["device"] ?? process.env["SVC_DEVICE"];
    const way = await findDeviceRoute({
      selector,
      tokenOf: await this.#tokens(),
      signal: this.#lifetime.signal,
    });
    // Note which console was found, for users who did not name one; redirected output needs no note.
    if (!selector && process.stderr.isTTY) this.#output.note(`using ${way.name} at ${way.address}`);
    return way;
  }

  /** The token that was named, else those of the consoles that were paired. @returns {Promise<import("./device-route.js").TokenOf>} */
  async #tokens() {
    const named = this.#values["token"] ?? process.env["SVC_DEVICE_TOKEN"];
    if (named !== undefined) return () => named;
    const paired = await pairedConsoles();
    return (found) => tokenFor(paired, found);
  }

  async #open() {
    const { Device } = await loadClient();
    const way = await this.way();
    const transport = await way.open(this.#lifetime.signal);
    this.#lifetime.defer(() => transport.close());
    return Device.identify(transport, this.#lifetime.signal);
  }
}
