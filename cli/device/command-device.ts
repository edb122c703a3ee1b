/** The console of a call of `svc`, found and opened when the command first uses it. */
import type { Device } from "../../device-client/device.js";
import type { Lifetime } from "../lifetime.js";
import type { Output } from "../terminal/output.js";
import { loadClient } from "./client.js";
import { type DeviceRoute, findDeviceRoute, type TokenOf } from "./device-route.js";
import { pairedConsoles, tokenFor } from "./paired-consoles.js";

export class CommandDevice {
  #values;
  #output;
  #lifetime;
  #way: Promise<DeviceRoute> | undefined;
  #device: Promise<Device> | undefined;

  /**
   * @param options.values of `--device` and `--token`
   * @param options.lifetime closes the opened transport
   */
  constructor({
    values,
    output,
    lifetime,
  }: {
    readonly values: Readonly<Record<string, string | undefined>>;
    readonly output: Output;
    readonly lifetime: Lifetime;
  }) {
    this.#values = values;
    this.#output = output;
    this.#lifetime = lifetime;
  }

  way(): Promise<DeviceRoute> {
    this.#way ??= this.#find();
    return this.#way;
  }

  device(): Promise<Device> {
    this.#device ??= this.#open();
    return this.#device;
  }

  async #find(): Promise<DeviceRoute> {
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

  /** The given token, else the tokens of paired consoles. */
  async #tokens(): Promise<TokenOf> {
    const named = this.#values["token"] ?? process.env["SVC_DEVICE_TOKEN"] ?? "";
    if (named !== "") return () => named;
    const paired = await pairedConsoles();
    return (found) => tokenFor(paired, found);
  }

  async #open(): Promise<Device> {
    const { Device } = await loadClient();
    const way = await this.way();
    const transport = await way.open(this.#lifetime.signal);
    this.#lifetime.defer(() => transport.close());
    return Device.identify(transport, this.#lifetime.signal);
  }
}
