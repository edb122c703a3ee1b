/**
 * The console's hub (docs/spec/device-hub.md#which-hub): its address and whether it is connected. Without a hub, this
 * does nothing, and keeps only device tokens.
 */

import type { Registration } from "../../../hub-client/registration.js";
import type { HubStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { ResetReason } from "../../ports/system.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import { safeModeFault } from "../restart/restart.js";
import { HubSession, type HubSessionOptions } from "./hub-session.js";
import { addressOf, HubSettings } from "./hub-settings.js";

// `GET` and `POST /api/hub` (docs/spec/device-hub.md#set-hub).

interface Needed {
  readonly hub: HubService;
}

export function showHub({ hub }: Needed, { request }: Call): JsonAnswer {
  return { status: 200, body: hub.status({ withClaimCode: request.transport === "usb" }) };
}

/** @throws {Fault} `bad_parameter`, `unauthorized`, `hub_unset`, `storage_full` */
export function setHub(services: Needed, call: Call): JsonAnswer {
  const { parameters, request } = call;
  const isSameHub = parameters.flag("same_hub") ?? false;
  services.hub.set(parameters.text("url") ?? "", { isOwner: request.isOwner, isSameHub });
  return showHub(services, call);
}

export interface HubServiceOptions extends HubSessionOptions {
  /**
   * The hub that the host says (`--hub`), `""` for none. It counts whenever the power comes on, in place of the one
   * that is kept, and is kept itself; the restarts that follow leave what has been set meanwhile.
   */
  readonly hostUrl: string | undefined;
  readonly resetReason: ResetReason;
  /** After crashes in a row no hub is asked for anything. */
  readonly isSafeMode?: boolean;
}

/** How to set the hub, and which client sets it. */
interface HubChange {
  /** Over the cable, or with the bearer token: anyone else in the network may only set a hub where there is none. */
  readonly isOwner: boolean;
  /** The hub that is set has moved: it keeps the console's token and its registration. */
  readonly isSameHub?: boolean;
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
      this.#kept.recover();
      if (hostUrl !== undefined && resetReason === "power_on") this.#change(checked(hostUrl), false);
      this.#begin();
    } catch (error) {
      options.logger.error(`cannot connect to the hub: ${error}`);
    }
  }

  /** @param withClaimCode whether the client holds the cable, and so owns the console */
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
   * Keeps the address of a hub and goes there; a connection to another ends. The one that it has already is tried now
   * where there is no connection.
   * @param url `""` for no hub
   * @throws {Fault} `bad_parameter`, `unauthorized`, `hub_unset`, and nothing changes; `storage_full`
   */
  set(url: string, { isOwner, isSameHub = false }: HubChange): void {
    this.#requireHub(checked(url));
    const isChange = url !== this.#kept.url && this.#kept.url !== "";
    if (!isOwner && (isChange || isSameHub)) throw notOwner("To change or forget the console's hub");
    if (isSameHub && this.#kept.url === "") throw new Fault("hub_unset", "The console has no hub");
    if (url === this.#kept.url && this.#session) this.#session.retryNow();
    else this.#change(url, isSameHub);
  }

  /**
   * Registers with the hub now, whether or not that was done before. A connection that is open ends for it, which takes
   * the owner; else it is one more try.
   * @throws {Fault} `unauthorized`, `safe_mode`, `hub_unset`, `hub_unreachable`, or why the hub refuses it
   */
  register(isOwner: boolean): Promise<Registration> {
    if (this.#options.isSafeMode) throw safeModeFault("it does not go to its hub");
    if (!this.#session) throw new Fault("hub_unset", "The console has no hub");
    if (!isOwner && this.#session.isConnected) throw notOwner("To register anew while the hub is connected");
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

  /** What is installed, or what runs, has changed. */
  appsChanged(): void {
    this.#session?.appsChanged();
  }

  /** The console's network has changed: there may be a way to the hub now. */
  networkChanged(): void {
    this.#session?.retryNow();
  }

  /** The run ends. May be called twice. */
  close(): void {
    this.#end();
  }

  #change(url: string, isSameHub: boolean): void {
    const isOther = url !== this.#kept.url;
    if (isOther) this.#end();
    try {
      this.#kept.setUrl(url, isSameHub);
      if (isOther) this.#options.logger.info(url === "" ? "the console has no hub" : `the hub is ${url}`);
    } finally {
      this.#begin(); // the one before where the other could not be kept
    }
  }

  /** A name is checked once it is resolved (`hub-client/connection.ts`). */
  #requireHub(url: string): void {
    const address = addressOf(url);
    if (address && this.#options.ports.isOwnPort?.(address.host, address.port))
      throw new Fault("bad_parameter", "The console cannot be its own hub: the port is its own");
  }

  #begin(): void {
    if (this.#session || this.#kept.url === "" || this.#options.isSafeMode) return;
    this.#session = new HubSession(this.#options, this.#kept);
  }

  #end(): void {
    this.#session?.close();
    this.#session = undefined;
  }
}

/** @param url `""` for no hub @throws {Fault} `bad_parameter` for an invalid address */
function checked(url: string): string {
  if (url !== "") parseHubAddress(url);
  return url;
}

function notOwner(what: string): Fault {
  return new Fault("unauthorized", `${what}, use the cable or send the console's bearer token`);
}
