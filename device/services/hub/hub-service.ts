/**
 * The console's hub (section 14 of the decisions): which one it is, and whether it is there. While there is none, nothing
 * is done, and nothing but the device token is kept.
 */
import type { Registration } from "../../../hub-client/registration.js";
import type { HubStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { ResetReason } from "../../ports/system.js";
import { HubSession, type HubSessionOptions } from "./hub-session.js";
import { HubSettings } from "./hub-settings.js";

export interface HubServiceOptions extends HubSessionOptions {
  /**
   * The hub that the host says (`--hub`), `""` for none. It counts whenever the power comes on, in place of the one that
   * is kept, and is kept itself; the restarts that follow leave what has been set meanwhile.
   */
  readonly hostUrl: string | undefined;
  readonly resetReason: ResetReason;
}

export class HubService {
  readonly #options: HubServiceOptions;
  readonly #kept: HubSettings;
  #session: HubSession | undefined;

  constructor(options: HubServiceOptions) {
    const { hostUrl, ports, resetReason, settings } = options;
    this.#options = options;
    this.#kept = new HubSettings(settings, ports.random);
    try {
      if (hostUrl !== undefined && resetReason === "power_on") this.set(hostUrl);
      this.#begin();
    } catch (error) {
      options.logger.error(`cannot go to the hub: ${error}`);
    }
  }

  /** @param withClaimCode whether whoever asks holds the cable, and so owns the console */
  status({ withClaimCode }: { readonly withClaimCode: boolean }): HubStatus {
    const { claimCode, deviceId, url } = this.#kept;
    return {
      url,
      connected: this.#session?.isConnected ?? false,
      ...(deviceId !== undefined && { device_id: deviceId }),
      ...(withClaimCode && claimCode !== undefined && { claim_code: claimCode }),
    };
  }

  /**
   * Keeps the address of a hub and goes there; a connection to another ends. The one that it has already is tried at
   * once where it is not there.
   * @param url `""` for no hub
   * @throws {Fault} `bad_parameter`, and nothing changes; `storage_full`
   */
  set(url: string): void {
    if (url !== "") parseHubAddress(url);
    if (url === this.#kept.url && this.#session) this.#session.retryNow();
    else this.#change(url);
  }

  /**
   * Registers with the hub now, whether or not that was done before.
   * @throws {Fault} `hub_unset`, `hub_unreachable`, or why the hub refuses it
   */
  register(): Promise<Registration> {
    if (!this.#session) throw new Fault("hub_unset", "The console has no hub");
    return this.#session.register();
  }

  /** @returns the version of the firmware that is fetched from now on, `undefined` where none is available */
  applyFirmware(): string | undefined {
    return this.#session?.applyFirmware();
  }

  /** The console's firmware update may have changed. */
  followUpdate(): void {
    this.#session?.followUpdate();
  }

  /** The console's network has changed: there may be a way to the hub now. */
  networkChanged(): void {
    this.#session?.retryNow();
  }

  /** The run ends. May be called twice. */
  close(): void {
    this.#end();
  }

  #change(url: string): void {
    this.#end();
    this.#kept.setUrl(url);
    this.#options.logger.info(url === "" ? "the console has no hub" : `the hub is ${url}`);
    this.#begin();
  }

  #begin(): void {
    if (this.#session || this.#kept.url === "") return;
    this.#session = new HubSession(this.#options, this.#kept);
  }

  #end(): void {
    this.#session?.close();
    this.#session = undefined;
  }
}
