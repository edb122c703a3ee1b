/**
 * The console and one hub, from the time that its address is set until another is: keeps the push channel open,
 * registers where necessary, and reports the console's status. `HubCommands` executes the hub's commands.
 */

import type { HubLink, HubLinkOptions } from "../../../hub-client/hub-link.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { ConsoleIdentity, Registration } from "../../../hub-client/registration.js";
import type { DeviceStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { bindingOf } from "../../../protocol/hub/device-token.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import {
  type DeviceMessage,
  type DeviceStatus as HubDeviceStatus,
  type HubMessage,
  STATUS_INTERVAL_MS,
} from "../../../protocol/hub/push-messages.js";
import type { TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Apps } from "../apps/apps.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import { deviceAppsPieces, type ReportedApps } from "./app-orders.js";
import { type DownloadConstructor, FileSource, type SignedAddressPorts } from "./file-source.js";
import { COMMAND_ID_LIMIT } from "./firmware-orders.js";
import { HubCommands, type HubCommandsOptions } from "./hub-commands.js";
import type { HubSettings } from "./hub-settings.js";

/** Before a message is offered again that the channel did not take. */
const SEND_AGAIN_MS = 1000;

/** Between two rotations of the token, each of which is written to flash and connects anew. */
const ROTATION_INTERVAL_MS = 10_000;

/** From a change of the apps to the report: an update stops an app, replaces it and starts it. */
const APPS_REPORT_DELAY_MS = 500;

// The console's report about itself to its hub (`device.status` of docs/spec/hub-push.md#device-status).

export function deviceStatus(
  { fw_version, free_heap_bytes, wifi_rssi }: DeviceStatus,
  apps: Pick<Apps, "names" | "isRunning">,
): Omit<HubDeviceStatus, "type"> {
  return {
    firmware_version: fw_version,
    free_heap_bytes,
    running_apps: apps.names.filter((name) => apps.isRunning(name)),
    wifi_rssi,
  };
}

export type Link = Pick<HubLink, "isOpen" | "send" | "sendPieces" | "retryNow" | "registerAgain" | "close">;
type LinkConstructor = new (options: HubLinkOptions) => Link;

export interface HubSessionOptions extends HubCommandsOptions {
  readonly ports: HubClientPorts;
  readonly Link: LinkConstructor;
  /** Keeps the room of the connection while it is down, so that there is some when it comes back. */
  readonly heap?: HeapAdmission;
  readonly Download: DownloadConstructor;
  readonly signatures: SignedAddressPorts;
  readonly apps: HubCommandsOptions["apps"] & ReportedApps;
  identity(): Omit<ConsoleIdentity, "deviceToken">;
  deviceStatus(): Omit<HubDeviceStatus, "type">;
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
  /** A `device.apps` to send. */
  #appsReport: TimerHandle | undefined;
  /** Before this, the token is not replaced once more. */
  #nextRotationMs = 0;
  #rotation: TimerHandle | undefined;
  /** There was no code to be had: the hub is not asked for one again and again. */
  #isWithoutCode = false;
  #reports: TimerHandle | undefined;
  #isHolding = false;
  #isClosed = false;

  /** @throws {Fault} `bad_parameter` where the hub's address is none */
  constructor(options: HubSessionOptions, kept: HubSettings) {
    const { Download, Link, ports } = options;
    this.#options = options;
    this.#kept = kept;
    this.#address = parseHubAddress(kept.url);
    this.#holdRoom();
    this.#files = new FileSource({
      ...{ Download, ports, hub: this.#address, signatures: options.signatures },
      token: () => kept.deviceToken,
    });
    this.#link = new Link(this.#linkOptions());
    this.#commands = new HubCommands(options, {
      files: this.#files,
      report: (message) => this.#reportCommand(message),
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

  /** What is installed, or what runs, has changed. */
  appsChanged(): void {
    if (!this.isConnected || this.#appsReport) return;
    this.#reportAppsIn(APPS_REPORT_DELAY_MS);
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

  /** Ends work in progress, and reports nothing more to the hub. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#releaseRoom();
    this.#stopReports();
    this.#link.close();
    this.#commands.close();
    this.#files.close();
    this.#fail(new Fault("hub_unset", "The console's hub was changed"));
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
      isRegistered: this.#kept.isRegistered,
      identity: () => ({ ...this.#options.identity(), deviceToken: this.#kept.deviceToken }),
      onRegistered: (registration) => this.#registered(registration),
      onOpen: () => this.#opened(),
      onMessage: (message) => this.#execute(message),
      onClosed: ({ message }) => {
        this.#stopReports();
        if (!this.#isClosed) this.#holdRoom();
        logger.warning(`lost the hub: ${message}`);
      },
      onRetry: (fault, retryMs) => {
        logger.warning(`retrying the hub in ${retryMs} ms: ${fault.message}`);
        this.#fail(fault);
      },
      onMalformed: ({ code, message }) => {
        logger.warning(`dropped a message of the hub: ${message}`);
        if (code === "busy") this.#commands.leaveOut();
      },
    };
  }

  #registered(registration: Registration): void {
    const { logger } = this.#options;
    try {
      this.#kept.setRegistration(registration);
    } catch (error) {
      logger.warning(`cannot store the registration: ${error}`);
    }
    const { deviceId } = registration;
    logger.info(deviceId === undefined ? "registered" : `registered as ${deviceId}`);
    for (const { resolve } of this.#waiting.splice(0)) resolve(registration);
  }

  #fail(fault: Fault): void {
    for (const { reject } of this.#waiting.splice(0)) reject(fault);
  }

  #opened(): void {
    const { logger, ports } = this.#options;
    this.#releaseRoom();
    logger.info(`connected to ${this.#address.origin}`);
    this.#stopReports();
    this.#report();
    this.#reportAppsIn(0);
    this.#reports = ports.timer.repeat(() => this.#report(), STATUS_INTERVAL_MS);
  }

  #holdRoom(): void {
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.#options.heap?.hold(HEAP_NEEDS.hubLink);
  }

  #releaseRoom(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#options.heap?.releaseHeld(HEAP_NEEDS.hubLink);
  }

  #stopReports(): void {
    const { timer } = this.#options.ports;
    timer.clear(this.#reports);
    timer.clear(this.#appsReport);
    timer.clear(this.#rotation);
    this.#reports = undefined;
    this.#appsReport = undefined;
    this.#rotation = undefined;
  }

  /** The next one makes up for one that is not sent. */
  #report(): void {
    this.#link.send({ type: "device.status", ...this.#options.deviceStatus() });
  }

  /** Reports successive changes together; what the channel does not accept now, it accepts soon. */
  #reportAppsIn(delayMs: number): void {
    this.#appsReport = this.#options.ports.timer.set(() => {
      this.#appsReport = undefined;
      this.#reportApps();
    }, delayMs);
  }

  #reportApps(): void {
    const isSent = this.#link.sendPieces(deviceAppsPieces(this.#options.apps));
    if (!isSent && this.isConnected) this.#reportAppsIn(SEND_AGAIN_MS);
  }

  /** Reports what a command has changed before its result: when it is done, the hub knows what is installed. */
  #reportCommand(message: DeviceMessage): void {
    if (this.#appsReport && message.type.startsWith("app.")) {
      this.#options.ports.timer.clear(this.#appsReport);
      this.#appsReport = undefined;
      this.#reportApps();
    }
    this.#send(message);
  }

  #execute(message: HubMessage): void {
    switch (message.type) {
      case "device.claimed":
        this.#claimed(message.claimed);
        break;
      case "token.rotate":
        this.#rotate(message.command_id);
        break;
      case "token.accepted":
        this.#accepted();
        break;
      default:
        this.#commands.execute(message);
    }
  }

  /** Both tokens are kept from here on. A hub that asks again and again, and accepts, wears out no flash. */
  #rotate(command_id: string): void {
    const { identity, logger, ports } = this.#options;
    const waitMs = this.#nextRotationMs - ports.clock.uptimeMs();
    ports.timer.clear(this.#rotation);
    this.#rotation = waitMs > 0 ? ports.timer.set(() => this.#rotate(command_id), waitMs) : undefined;
    if (waitMs > 0 || command_id.length > COMMAND_ID_LIMIT) return;
    try {
      const device_token = this.#kept.nextToken();
      const binding = bindingOf(device_token, identity().mac, ports.Digest);
      this.#send({ type: "token.rotated", command_id, device_token, binding });
    } catch (error) {
      logger.warning(`cannot replace the device token: ${error}`); // the hub asks again
    }
  }

  /** The next connection reports to the hub that it need not accept the old token any more. */
  #accepted(): void {
    const { logger, ports } = this.#options;
    try {
      if (!this.#kept.acceptNextToken()) return;
      logger.info("the device token was replaced");
      this.#nextRotationMs = ports.clock.uptimeMs() + ROTATION_INTERVAL_MS;
      this.#isWithoutCode = false; // there may be a code only now that the old token is invalid
      this.#reconnect();
    } catch (error) {
      logger.warning(`cannot store the new device token: ${error}`); // both hold
    }
  }

  /** The code is valid until a user claims the console with it; the console makes a new one once it is free again. */
  #claimed(isClaimed: boolean): void {
    if (isClaimed) this.#kept.forgetClaimCode();
    const isMissing = !isClaimed && this.#kept.claimCode === undefined;
    if (isMissing && !this.#isWithoutCode) this.#link.registerAgain();
    this.#isWithoutCode = isMissing;
  }

  /** What the channel does not take now, it takes soon; once it is closed, the hub asks again. */
  #send(message: DeviceMessage): void {
    if (this.#isClosed || this.#link.send(message) || !this.#link.isOpen) return;
    this.#options.ports.timer.set(() => this.#send(message), SEND_AGAIN_MS);
  }
}
