/**
 * Connects the console with one hub, until the hub is changed: keeps the push channel open, registers if necessary, and
 * reports the console's status. `HubCommands` executes the hub's commands.
 */

import type { HubLink, HubLinkOptions } from "../../../hub-client/hub-link.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { ConsoleIdentity, Registration } from "../../../hub-client/registration.js";
import type { DeviceStatus, HubQuestion, ResetReason } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { bindingOf } from "../../../protocol/hub/device-token.js";
import { type HubAddress, parseHubAddress } from "../../../protocol/hub/hub-address.js";
import {
  type AppCrashed,
  type CommandResult,
  type DeviceMessage,
  type DeviceStarted,
  type DeviceStatus as HubDeviceStatus,
  type HubMessage,
  STATUS_INTERVAL_MS,
} from "../../../protocol/hub/push-messages.js";
import type { Random, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { AppCrash } from "../apps/app-runner.js";
import type { Apps } from "../apps/apps.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import { fittingLine } from "../logs/log-line.js";
import { deviceAppsPieces, type ReportedApps, readable } from "./app-orders.js";
import { type DownloadConstructor, FileSource, type SignedAddressPorts } from "./file-source.js";
import { COMMAND_ID_LIMIT } from "./firmware-orders.js";
import { HubCommands, type HubCommandsOptions } from "./hub-commands.js";
import type { HubSettings } from "./hub-settings.js";

/** Delay before a message that the channel did not accept is sent again. */
const SEND_AGAIN_MS = 1000;

/** Minimum time between two rotations of the token, since each writes to flash and reconnects. */
const ROTATION_INTERVAL_MS = 10_000;

/** Delay from a change of the apps to the report: an update stops, replaces and starts an app, for one report. */
const APPS_REPORT_DELAY_MS = 500;

// The console's status report to its hub (`device.status` of docs/spec/hub-push.md#device-status).

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

/** @returns the `boot` of {@link DeviceStarted} for this run of the console */
export function newBoot(random: Random): number {
  const bytes = new Uint8Array(4);
  random.getRandomValues(bytes);
  return new DataView(bytes.buffer).getUint32(0);
}

export type Link = Pick<HubLink, "isOpen" | "send" | "sendPieces" | "retryNow" | "registerAgain" | "close">;
type LinkConstructor = new (options: HubLinkOptions) => Link;

export interface HubSessionOptions extends HubCommandsOptions {
  readonly ports: HubClientPorts;
  readonly Link: LinkConstructor;
  /** Holds the connection's heap while it is down, so that the console can reconnect. */
  readonly heap?: HeapAdmission;
  readonly Download: DownloadConstructor;
  readonly signatures: SignedAddressPorts;
  readonly apps: HubCommandsOptions["apps"] & ReportedApps;
  /** Called when the connection or the registration has changed. */
  onChange?(): void;
  identity(): Omit<ConsoleIdentity, "deviceToken">;
  deviceStatus(): Omit<HubDeviceStatus, "type">;
  readonly resetReason: ResetReason;
  /** Names this run of the console: see {@link DeviceStarted}. */
  readonly boot: number;
}

/**
 * Callers that wait for a registration; each keeps some kilobytes, also one whose connection has gone
 * (docs/spec/device-hub.md#register-callers).
 */
const CALLERS_LIMIT = 2;

/** Retry delay for a caller whose wait was ended. */
const RETRY_AFTER_S = 5;

/** A caller of `register` that waits for the result. */
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
  /** Timer of the next `device.apps`. */
  #appsReport: TimerHandle | undefined;
  /** Uptime before which the token is not rotated again. */
  #nextRotationMs = 0;
  #rotation: TimerHandle | undefined;
  /** The last crash that could not be sent. */
  #crash: AppCrashed | undefined;
  /** The hub gave no claim code at the last registration: do not register again for one. */
  #isWithoutCode = false;
  #reports: TimerHandle | undefined;
  #isHolding = false;
  #isClosed = false;

  /** @throws {Fault} `bad_parameter` if the stored hub address is invalid */
  constructor(options: HubSessionOptions, kept: HubSettings) {
    const { Download, Link, ports } = options;
    this.#options = options;
    this.#kept = kept;
    this.#address = parseHubAddress(kept.url);
    this.#holdRoom();
    this.#files = new FileSource({
      Download,
      ports,
      hub: this.#address,
      signatures: options.signatures,
      token: () => kept.deviceToken,
    });
    this.#link = new Link(this.#linkOptions());
    this.#commands = new HubCommands(options, {
      files: this.#files,
      report: (message) => this.#reportCommand(message),
      onDropped: () => this.#reconnect(),
    });
  }

  get isConnected(): boolean {
    return this.#link.isOpen;
  }

  /** To be called when the console's firmware update changes. */
  followUpdate(): void {
    this.#commands.followUpdate();
  }

  /** Start to download the available firmware. @returns its version, `undefined` if none is available */
  applyFirmware(): string | undefined {
    return this.#commands.applyFirmware();
  }

  get questions(): readonly HubQuestion[] {
    return this.#commands.questions;
  }

  /** See {@link HubCommands.answer}. */
  answer(id: string, isAccepted: boolean): void {
    this.#commands.answer(id, isAccepted);
  }

  /** To be called when the user has chosen what has to be asked. */
  followPreferences(): void {
    this.#commands.followPreferences();
  }

  /** To be called when the installed or running apps change. @param crash how the app has failed, if it has */
  appsChanged(crash?: AppCrash): void {
    if (crash) this.#reportCrash(crash);
    if (!this.isConnected || this.#appsReport) return;
    this.#reportAppsIn(APPS_REPORT_DELAY_MS);
  }

  /** Retries now instead of after the backoff, since the hub may be reachable. */
  retryNow(): void {
    this.#link.retryNow();
  }

  /**
   * Register with the hub again. One more caller than {@link CALLERS_LIMIT} ends the wait of the first.
   * @throws {Fault} why the registration failed; `busy` for a caller whose wait was ended
   */
  register(): Promise<Registration> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === CALLERS_LIMIT)
        this.#waiting.shift()?.reject(
          new Fault("busy", "The hub has not answered yet, and other clients are waiting", {
            details: { retry_after_s: RETRY_AFTER_S },
          }),
        );
      this.#waiting.push({ resolve, reject });
      this.#registerAgain();
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

  /** Closes an open connection, which the link does not tell of. */
  #registerAgain(): void {
    this.#link.registerAgain();
    this.#options.onChange?.();
  }

  /** Over a new connection the hub sends each command again that it has no result of. */
  #reconnect(): void {
    this.#stopReports();
    this.#link.close();
    this.#link = new this.#options.Link(this.#linkOptions());
    this.#options.onChange?.();
  }

  #linkOptions(): HubLinkOptions {
    const { logger, ports } = this.#options;
    return {
      ports,
      address: this.#address,
      isRegistered: this.#kept.isRegistered,
      takesBearer: this.#kept.takesBearer,
      identity: () => ({ ...this.#options.identity(), deviceToken: this.#kept.deviceToken }),
      onRegistered: (registration) => this.#registered(registration),
      onOpen: () => this.#opened(),
      onMessage: (message) => this.#execute(message),
      onClosed: ({ message }) => {
        this.#stopReports();
        if (!this.#isClosed) this.#holdRoom();
        logger.warning(`lost the hub: ${message}`);
        this.#options.onChange?.();
      },
      onRetry: (fault, retryMs) => {
        logger.warning(`retrying the hub in ${retryMs} ms: ${fault.message}`);
        this.#fail(fault);
      },
      onMalformed: ({ code, message }) => {
        logger.warning(`dropped a message of the hub: ${message}`);
        if (code === "busy") this.#commands.noteDropped();
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
    this.#options.onChange?.();
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
    this.#link.send(this.#started());
    this.#reportAppsIn(0);
    this.#reports = ports.timer.repeat(() => this.#report(), STATUS_INTERVAL_MS);
    this.#options.onChange?.();
  }

  #started(): DeviceStarted {
    const { boot, ports, resetReason } = this.#options;
    const uptime_s = Math.floor(ports.clock.uptimeMs() / 1000);
    return { type: "device.started", boot, reset_reason: resetReason, uptime_s };
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

  /** Sends the status once, without a retry: the next report replaces it. A crash that was not sent goes with it. */
  #report(): void {
    this.#link.send({ type: "device.status", ...this.#options.deviceStatus() });
    if (this.#crash && this.#link.send(this.#crash)) this.#crash = undefined;
  }

  /** Sends one report for successive changes. If the channel does not accept it, it is sent again later. */
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

  #reportCrash({ name, line }: AppCrash): void {
    const version = readable(this.#options.apps, name)?.version;
    if (version === undefined) return;
    const crashed: AppCrashed = { type: "app.crashed", app_id: name, version, message: fittingLine(line) };
    this.#crash = this.#link.send(crashed) ? undefined : crashed;
  }

  /**
   * Sends a pending app report before a command's result, so that the hub has the app list when the command ends. The log has the
   * command's id, as the hub's has (docs/spec/hub-api.md#correlation).
   */
  #reportCommand(message: CommandResult): void {
    const { command_id, error, type } = message;
    const outcome = error ?? ("state" in message ? message.state : "done");
    if (command_id !== undefined) this.#options.logger.info(`${type} of ${command_id}: ${outcome}`);
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

  /** Stores the next token beside the current one. The interval keeps repeated rotations from wearing out the flash. */
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

  /** The hub has accepted the next token. The new connection uses it, after which the hub can drop the old one. */
  #accepted(): void {
    const { logger, ports } = this.#options;
    try {
      if (!this.#kept.acceptNextToken()) return;
      logger.info("the device token was replaced");
      this.#nextRotationMs = ports.clock.uptimeMs() + ROTATION_INTERVAL_MS;
      this.#isWithoutCode = false; // the hub may give a code only now that the old token is invalid
      this.#reconnect();
    } catch (error) {
      logger.warning(`cannot store the new device token: ${error}`); // both tokens stay valid
    }
  }

  /** A claim code is valid until a user claims the console with it. Registers for a new one when it is free again. */
  #claimed(isClaimed: boolean): void {
    const hadCode = this.#kept.claimCode !== undefined;
    if (isClaimed) this.#kept.forgetClaimCode();
    if (isClaimed && hadCode) this.#options.onChange?.();
    const isMissing = !isClaimed && this.#kept.claimCode === undefined;
    if (isMissing && !this.#isWithoutCode) this.#registerAgain();
    this.#isWithoutCode = isMissing;
  }

  /** Retries while the channel is open but does not accept the message. Once it is closed, the hub asks again. */
  #send(message: DeviceMessage): void {
    if (this.#isClosed || this.#link.send(message) || !this.#link.isOpen) return;
    this.#options.ports.timer.set(() => this.#send(message), SEND_AGAIN_MS);
  }
}
