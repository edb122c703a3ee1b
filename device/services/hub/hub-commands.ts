/**
 * Executes the hub's commands (docs/spec/device-hub.md#commands-once). Stores a result before it reports it, and
 * reports it again whenever its command comes again: so a hub that repeats commands without a result loses nothing,
 * whatever message is lost in between.
 */
import type { HubClientPorts } from "../../../hub-client/ports.js";
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import type {
  AppInstall,
  AppResult,
  AppUninstall,
  DeviceMessage,
  FirmwareUpdate,
  KeysRevoke,
} from "../../../protocol/hub/push-messages.js";
import { isAppName } from "../../../protocol/manifest/manifest.js";
import type { Base64, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Logger } from "../logs/log-line.js";
import type { Settings } from "../settings/settings.js";
import type { Revocations } from "../trust/revocations.js";
import { AppOrders, type AppOrdersOptions } from "./app-orders.js";
import { type Command, CommandQueue, isTransient, type KeptResult, ResultStore } from "./command-queue.js";
import type { FileSource } from "./file-source.js";
import { COMMAND_ID_LIMIT, FirmwareOrders, type FirmwareOrdersOptions } from "./firmware-orders.js";

/** Before the hub is asked again for what it has said while there was no room to read it. */
const LEFT_OUT_AGAIN_MS = 10_000;

export interface HubCommandsOptions extends AppOrdersOptions, FirmwareOrdersOptions {
  readonly ports: Pick<HubClientPorts, "timer" | "clock" | "random" | "base64">;
  readonly revocations: Pick<Revocations, "accept">;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** The hub that they are of. */
interface CommandingHub {
  readonly files: FileSource;
  report(message: DeviceMessage): void;
  /** Commands were left out because too many came, and there is room again. */
  onLeftOut(): void;
}

type AppCommand = AppInstall | AppUninstall;

/** No app has this name. */
const REVOCATIONS_SUBJECT = "the revoked keys";

export class HubCommands {
  readonly #options: Pick<HubCommandsOptions, "logger" | "ports" | "revocations">;
  readonly #hub: CommandingHub;
  readonly #results: ResultStore;
  readonly #queue: CommandQueue;
  readonly #apps: AppOrders;
  readonly #firmware: FirmwareOrders;
  #hasLeftOut = false;
  #again: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: HubCommandsOptions, hub: CommandingHub) {
    const { logger, settings } = options;
    const { clock, random, timer } = options.ports;
    this.#options = options;
    this.#hub = hub;
    this.#results = new ResultStore(settings, logger);
    this.#queue = new CommandQueue({
      ...{ clock, random, timer },
      onPutOff: ({ subject }, error, retryMs) =>
        logger.warning(`retrying "${subject}" in ${retryMs} ms: ${error}`),
      onIdle: () => this.#makeUpForLeftOut(),
    });
    this.#apps = new AppOrders(options);
    this.#firmware = new FirmwareOrders(options, { ...hub, queue: this.#queue });
  }

  execute(command: AppCommand | FirmwareUpdate | KeysRevoke): void {
    if (command.type === "firmware.update") this.#firmware.accept(command);
    else if (command.type === "keys.revoke") this.#revoke(command);
    else this.#executeOnce(command);
  }

  /** The console's firmware update has changed. */
  followUpdate(): void {
    this.#firmware.followUpdate();
  }

  /** The hub has said something that there was no room to read: it is asked for it once there is nothing else to do. */
  leaveOut(): void {
    this.#hasLeftOut = true;
    const { timer } = this.#options.ports;
    if (this.#queue.isIdle) this.#again ??= timer.set(() => this.#makeUpForLeftOut(), LEFT_OUT_AGAIN_MS);
  }

  /** @returns the version of the firmware that is fetched from now on, `undefined` where none is available */
  applyFirmware(): string | undefined {
    return this.#firmware.apply();
  }

  /** Begins and reports nothing more. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#options.ports.timer.clear(this.#again);
    this.#queue.close();
    this.#firmware.close();
  }

  #executeOnce(command: AppCommand): void {
    const known = command.command_id === undefined ? undefined : this.#results.find(command.command_id);
    if (known) this.#hub.report(known);
    else if (!this.#queue.add(this.#queued(command))) this.#hasLeftOut = true;
  }

  /** A list that comes again changes nothing, so its result need not be kept. */
  #revoke({ command_id, list }: KeysRevoke): void {
    const report = (error: FaultCode | null) => {
      if (this.#isClosed) return;
      const success = error === null;
      this.#hub.report({
        ...{ type: "keys.revoke.result", success, error },
        ...(command_id !== undefined && { command_id }),
      });
    };
    const isQueued = this.#queue.add({
      ...{ id: command_id ?? list, subject: REVOCATIONS_SUBJECT, characters: list.length },
      run: async (tries) => report(await this.#takeRevocations(list, tries)),
      supersede: () => report("superseded"),
    });
    if (!isQueued) this.#hasLeftOut = true;
  }

  /** @returns why the list is not taken @throws what passes */
  async #takeRevocations(list: string, tries: number): Promise<FaultCode | null> {
    const { logger, ports, revocations } = this.#options;
    try {
      await revocations.accept(bytesOf(list, ports.base64));
      return null;
    } catch (error) {
      if (this.#isClosed || isTransient(error, tries)) throw error;
      logger.error(`rejected the hub's list of revoked keys: ${error}`);
      return error instanceof Fault ? error.code : "internal_error";
    }
  }

  #queued(command: AppCommand): Command {
    const { app_id: subject, command_id, type } = command;
    const id = command_id ?? (type === "app.install" ? `${type} ${command.version}` : type);
    return {
      ...{ id, subject, characters: charactersOf(command) },
      run: (tries) => this.#carryOut(command, tries),
      supersede: () => this.#finish(command, "superseded"),
    };
  }

  async #carryOut(command: AppCommand, tries: number): Promise<void> {
    try {
      if (command.type === "app.install") await this.#apps.install(command, this.#hub.files);
      else await this.#apps.uninstall(command);
    } catch (error) {
      if (this.#isClosed || isTransient(error, tries)) throw error;
      this.#options.logger.error(`"${command.type}" of "${command.app_id}" has failed: ${error}`);
      return this.#finish(command, error instanceof Fault ? error.code : "internal_error");
    }
    this.#finish(command, null);
  }

  #finish({ type, command_id, app_id }: AppCommand, error: string | null): void {
    if (this.#isClosed) return;
    const result: AppResult = {
      type: `${type}.result`,
      ...(command_id !== undefined && { command_id }),
      ...{ app_id, success: error === null, error },
    };
    if (canBeKept(result)) this.#results.write(result);
    this.#hub.report(result);
  }

  #makeUpForLeftOut(): void {
    this.#options.ports.timer.clear(this.#again);
    this.#again = undefined;
    if (!this.#hasLeftOut) return;
    this.#hasLeftOut = false;
    this.#hub.onLeftOut();
  }
}

function charactersOf(command: AppCommand): number {
  const { command_id = "", app_id } = command;
  const { length } = command_id + app_id;
  if (command.type === "app.uninstall") return length;
  return length + command.version.length + command.download_url.length;
}

function bytesOf(text: string, base64: Base64): Uint8Array {
  try {
    return new Uint8Array(base64.decode(text));
  } catch (cause) {
    throw new Fault("revocations_invalid", "The list of revoked keys is not base64", { cause });
  }
}

/** Among others in one setting. */
function canBeKept(result: AppResult): result is KeptResult {
  const { app_id, command_id } = result;
  return command_id !== undefined && command_id.length <= COMMAND_ID_LIMIT && isAppName(app_id);
}
