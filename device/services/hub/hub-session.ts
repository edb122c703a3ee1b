/**
 * The console and one hub, from the time that its address is set until another is: keeps the push channel, registers
 * where that is needed, and tells how the console is doing. What the hub says is done by `HubCommands`.
 */
import type { HubLink, HubLinkOptions } from "../../../hub-client/hub-link.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { ConsoleIdentity, Registration } from "../../../hub-client/registration.js";
import { Fault } from "../../../protocol/fault.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import {
  type DeviceMessage,
  type DeviceStatus,
  type HubMessage,
  STATUS_INTERVAL_MS,
} from "../../../protocol/hub/push-messages.js";
import type { TimerHandle } from "../../ports/timer.js";
import { type DownloadConstructor, FileSource } from "./file-source.js";
import { HubCommands, type HubCommandsOptions } from "./hub-commands.js";
import type { HubSettings } from "./hub-settings.js";
import { TELL_AGAIN_MS } from "./limits.js";

export type Link = Pick<HubLink, "isOpen" | "send" | "retryNow" | "registerAgain" | "close">;
export type LinkConstructor = new (options: HubLinkOptions) => Link;

export interface HubSessionOptions extends HubCommandsOptions {
  readonly ports: HubClientPorts;
  readonly Link: LinkConstructor;
  readonly Download: DownloadConstructor;
  identity(): Omit<ConsoleIdentity, "deviceToken">;
  deviceStatus(): Omit<DeviceStatus, "type">;
}

/** Who waits for a registration. */
interface Waiting {
  readonly resolve: (registration: Registration) => void;
  readonly reject: (fault: Fault) => void;
}

export class HubSession {
  readonly #options: HubSessionOptions;
  readonly #kept: HubSettings;
  readonly #address: HubAddress;
  readonly #files: FileSource;
  readonly #commands: HubCommands;
  readonly #waiting: Waiting[] = [];
  #link: Link;
  /** There was no code to be had: the hub is not asked for one again and again. */
  #isWithoutCode = false;
  #reports: TimerHandle | undefined;
  #isClosed = false;

  /** @throws {Fault} `bad_parameter` where the hub's address is none */
  constructor(options: HubSessionOptions, kept: HubSettings) {
    const { Download, Link, ports } = options;
    this.#options = options;
    this.#kept = kept;
    this.#address = parseHubAddress(kept.url);
    this.#files = new FileSource(Download, { ports, hub: this.#address, token: kept.deviceToken });
    this.#link = new Link(this.#linkOptions());
    this.#commands = new HubCommands(options, {
      files: this.#files,
      tell: (message) => this.#tell(message),
      onLeftOut: () => this.#reconnect(),
    });
  }

  get isConnected(): boolean {
    return this.#link.isOpen;
  }

  /** The console's firmware update has changed. */
  followUpdate(): void {
    this.#commands.followUpdate();
  }

  /** @returns the version of the firmware that is fetched from now on, `undefined` where none is available */
  applyFirmware(): string | undefined {
    return this.#commands.applyFirmware();
  }

  /** There may be a way to the hub now. */
  retryNow(): void {
    this.#link.retryNow();
  }

  /** Settles once the hub has registered the console anew, or has not. @throws {Fault} why not */
  register(): Promise<Registration> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#link.registerAgain();
    });
  }

  /** Ends what is under way, and tells the hub nothing more. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#stopReports();
    this.#link.close();
    this.#commands.close();
    this.#files.close();
    this.#fail(new Fault("hub_unset", "The console has another hub now, or none"));
  }

  /** Over the next connection the hub sends what it has no result of. */
  #reconnect(): void {
    this.#stopReports();
    this.#link.close();
    this.#link = new this.#options.Link(this.#linkOptions());
  }

  #linkOptions(): HubLinkOptions {
    const { logger, ports } = this.#options;
    return {
      ...{ ports, address: this.#address },
      isRegistered: this.#kept.deviceId !== undefined,
      identity: () => ({ ...this.#options.identity(), deviceToken: this.#kept.deviceToken }),
      onRegistered: (registration) => this.#registered(registration),
      onOpen: () => this.#opened(),
      onMessage: (message) => this.#obey(message),
      onClosed: ({ message }) => {
        this.#stopReports();
        logger.warning(`the hub is gone: ${message}`);
      },
      onRetry: (fault, retryMs) => {
        logger.warning(`the hub is tried again in ${retryMs} ms: ${fault.message}`);
        this.#fail(fault);
      },
      onMalformed: ({ message }) => logger.warning(`a message of the hub is dropped: ${message}`),
    };
  }

  #registered(registration: Registration): void {
    const { logger } = this.#options;
    try {
      this.#kept.setRegistration(registration);
    } catch (error) {
      logger.warning(`the registration cannot be kept: ${error}`);
    }
    logger.info(`registered as ${registration.deviceId}`);
    for (const { resolve } of this.#waiting.splice(0)) resolve(registration);
  }

  #fail(fault: Fault): void {
    for (const { reject } of this.#waiting.splice(0)) reject(fault);
  }

  #opened(): void {
    const { logger, ports } = this.#options;
    logger.info(`connected to ${this.#address.origin}`);
    this.#stopReports();
    this.#report();
    this.#reports = ports.timer.repeat(() => this.#report(), STATUS_INTERVAL_MS);
  }

  #stopReports(): void {
    this.#options.ports.timer.clear(this.#reports);
    this.#reports = undefined;
  }

  /** The next one makes up for one that is not sent. */
  #report(): void {
    this.#link.send({ type: "device.status", ...this.#options.deviceStatus() });
  }

  #obey(message: HubMessage): void {
    if (message.type === "device.claimed") this.#claimed(message.claimed);
    else this.#commands.obey(message);
  }

  /** The code is of use until somebody has used it, and there is a new one once the console is free again. */
  #claimed(isClaimed: boolean): void {
    if (isClaimed) this.#kept.forgetClaimCode();
    const isMissing = !isClaimed && this.#kept.claimCode === undefined;
    if (isMissing && !this.#isWithoutCode) this.#link.registerAgain();
    this.#isWithoutCode = isMissing;
  }

  /** What the channel does not take now, it takes soon; once it is closed, the hub asks again. */
  #tell(message: DeviceMessage): void {
    if (this.#isClosed || this.#link.send(message) || !this.#link.isOpen) return;
    this.#options.ports.timer.set(() => this.#tell(message), TELL_AGAIN_MS);
  }
}
