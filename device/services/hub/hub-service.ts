/**
 * Sets the console's hub and reports whether it is connected (docs/spec/device-hub.md). Without a hub, the service
 * keeps only the device tokens.
 */

import type { Registration } from "../../../hub-client/registration.js";
import type { HubQuestion, HubStatus } from "../../../protocol/device/answers.js";
import { Fault, quoted } from "../../../protocol/fault.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import type { AppCrash } from "../apps/app-runner.js";
import { type Asker, requireRight } from "../auth/rights.js";
import { safeModeFault } from "../restart/restart.js";
import type { OwnerKeys } from "../trust/owner-keys.js";
import { HubSession, type HubSessionOptions } from "./hub-session.js";
import { addressOf, HubSettings } from "./hub-settings.js";

// `GET` and `POST /api/hub` (docs/spec/device-hub.md#set-hub).

interface Needed {
  readonly hub: HubService;
}

interface NeededForQuestions extends Needed {
  readonly ownerKeys: Pick<OwnerKeys, "answer" | "questions">;
}

export function showHub({ hub }: Needed, { request }: Call): JsonAnswer {
  return { status: 200, body: hub.status({ withClaimCode: request.transport !== "http" }) };
}

/** @throws {Fault} `bad_parameter`, `unauthorized`, `hub_unset`, `storage_full` */
export function setHub(services: Needed, call: Call): JsonAnswer {
  const { parameters, request } = call;
  const isSameHub = parameters.flag("same_hub") ?? false;
  services.hub.set(parameters.text("url") ?? "", { asker: request, isSameHub });
  return showHub(services, call);
}

// `GET` and `POST /api/hub/questions` (docs/spec/device-hub.md#questions), with those about the owner's keys.

export function showQuestions({ hub, ownerKeys }: NeededForQuestions): JsonAnswer {
  return { status: 200, body: { questions: [...ownerKeys.questions, ...hub.questions] } };
}

/**
 * A question about a key was asked over the network, so that it is not accepted there.
 * @throws {Fault} `command_not_found`, `busy`, `usb_only`; what has come of a key meanwhile, as `OwnerKeys.change` has it
 */
export function answerQuestion(services: NeededForQuestions, { parameters, request }: Call): JsonAnswer {
  const { hub, ownerKeys } = services;
  const id = parameters.text("id") ?? "";
  const isAccepted = parameters.flag("accept") ?? false;
  if (isAccepted && request.transport === "http" && ownerKeys.questions[0]?.id === id)
    throw new Fault("usb_only", "A key is accepted on the display, or over USB");
  if (!ownerKeys.answer(id, isAccepted)) hub.answer(id, isAccepted);
  return showQuestions(services);
}

export interface HubServiceOptions extends HubSessionOptions {
  /**
   * The hub that the host sets (`--hub`), `""` for none. At each power-on it replaces the stored hub. Restarts without
   * a power-on ignore it and keep the hub that was set meanwhile.
   */
  readonly hostUrl: string | undefined;
  /** In safe mode the console does not connect to its hub. */
  readonly isSafeMode?: boolean;
}

/** How the hub is set, and by whom. */
interface HubChange {
  /** Who is not the owner may set a hub only if none is set. */
  readonly asker: Asker;
  /** Whether the current hub has moved to this address: its token and registration are kept. */
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

  /** @param withClaimCode whether the client uses the cable, and so may see the claim code */
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
   * Stores the hub's address and connects to it; a connection to another hub ends. If the address is the stored one,
   * retries to connect now, unless it is connected.
   * @param url `""` for no hub
   * @throws {Fault} `bad_parameter`, `unauthorized`, `hub_unset`, and nothing changes; `storage_full`
   */
  set(url: string, { asker, isSameHub = false }: HubChange): void {
    this.#requireHub(checked(url));
    const isChange = url !== this.#kept.url && this.#kept.url !== "";
    if (isChange || isSameHub) requireRight(asker, "change_hub");
    if (isSameHub && this.#kept.url === "") throw new Fault("hub_unset", "The console has no hub");
    if (url === this.#kept.url && this.#session) this.#session.retryNow();
    else this.#change(url, isSameHub);
    this.#options.onChange?.();
  }

  /**
   * Registers with the hub now, even if the console is registered already. Closes an open connection first, which only
   * the owner may do.
   * @throws {Fault} `unauthorized`, `safe_mode`, `hub_unset`, `hub_unreachable`, or the hub's refusal
   */
  register(asker: Asker): Promise<Registration> {
    if (this.#options.isSafeMode) throw safeModeFault("it does not go to its hub");
    if (!this.#session) throw new Fault("hub_unset", "The console has no hub");
    if (this.#session.isConnected) requireRight(asker, "register_anew");
    return this.#session.register();
  }

  /** Start to download the available firmware. @returns its version, `undefined` if none is available */
  applyFirmware(): string | undefined {
    return this.#session?.applyFirmware();
  }

  /** What the hub has ordered and the user has not answered. */
  get questions(): readonly HubQuestion[] {
    return this.#session?.questions ?? [];
  }

  /**
   * Execute or decline what waits for the user's answer.
   * @throws {Fault} `command_not_found`; `busy` if it cannot be executed now, and the question stays
   */
  answer(id: string, isAccepted: boolean): void {
    if (!this.#session)
      throw new Fault("command_not_found", `No hub asks anything with the id ${quoted(id)}`);
    this.#session.answer(id, isAccepted);
  }

  /** To be called when the user has chosen what has to be asked: takes what waits and needs no answer any more. */
  followPreferences(): void {
    this.#session?.followPreferences();
  }

  /** To be called when the console's firmware update may have changed. */
  followUpdate(): void {
    this.#session?.followUpdate();
  }

  /** To be called when the installed or running apps change. @param crash how the app has failed, if it has */
  appsChanged(crash?: AppCrash): void {
    this.#session?.appsChanged(crash);
  }

  /** The console's network has changed: retries now, since the hub may be reachable. */
  networkChanged(): void {
    this.#session?.retryNow();
  }

  /** Ends the session with the hub. May be called twice. */
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
      this.#begin(); // continues with the previous hub if the new one could not be stored
    }
  }

  /** Rejects the console's own address. A host name is checked once it is resolved (`hub-client/connection.ts`). */
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
