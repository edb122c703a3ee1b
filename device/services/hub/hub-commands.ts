/**
 * Executes the hub's commands (docs/spec/device-hub.md#commands-once). Stores a result before it reports it, and
 * reports it again whenever the hub repeats the command. So a hub that repeats commands until it has a result gets each
 * result, whichever message is lost.
 */
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { HubQuestion } from "../../../protocol/device/answers.js";
import { Fault, type FaultCode, quoted } from "../../../protocol/fault.js";
import type {
  AppInstall,
  AppResult,
  AppUninstall,
  CommandResult,
  FirmwareUpdate,
  KeysRevoke,
} from "../../../protocol/hub/push-messages.js";
import { canonicalAppName, isAppName } from "../../../protocol/manifest/app-name.js";
import type { Base64, TimerHandle } from "../../../protocol/ports/runtime.js";
import { parseVersion } from "../../../protocol/version.js";
import type { Logger } from "../logs/log-line.js";
import type { Settings } from "../settings/settings.js";
import type { Revocations } from "../trust/revocations.js";
import { AppOrders, type AppOrdersOptions } from "./app-orders.js";
import { type Command, CommandQueue, isTransient, type KeptResult, ResultStore } from "./command-queue.js";
import type { FileSource } from "./file-source.js";
import { COMMAND_ID_LIMIT, FirmwareOrders, type FirmwareOrdersOptions } from "./firmware-orders.js";
import { type AskedCommand, Questions, questionId } from "./questions.js";

/** For a client whose answer comes while too many commands wait. */
const RETRY_AFTER_S = 5;

/** Delay before the console asks the hub to repeat messages that it had no memory to read. */
const REPEAT_DROPPED_MS = 10_000;

export interface HubCommandsOptions extends AppOrdersOptions, FirmwareOrdersOptions {
  readonly ports: Pick<HubClientPorts, "timer" | "clock" | "random" | "base64">;
  readonly revocations: Pick<Revocations, "accept">;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** The hub that sends the commands. */
interface CommandingHub {
  readonly files: FileSource;
  report(message: CommandResult): void;
  /** Commands were dropped for lack of memory, and there is memory again. */
  onDropped(): void;
}

type AppCommand = AppInstall | AppUninstall;

/** Not a valid app name, so it differs from every app's subject. */
const REVOCATIONS_SUBJECT = "the revoked keys";

export class HubCommands {
  readonly #options: Pick<
    HubCommandsOptions,
    "apps" | "logger" | "onQuestions" | "ports" | "revocations" | "updates"
  >;
  readonly #hub: CommandingHub;
  readonly #results: ResultStore;
  readonly #queue: CommandQueue;
  readonly #apps: AppOrders;
  readonly #firmware: FirmwareOrders;
  readonly #questions = new Questions();
  /** Commands were dropped because too many wait for an answer. */
  #hasUnasked = false;
  #hasDropped = false;
  #again: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: HubCommandsOptions, hub: CommandingHub) {
    const { logger, settings } = options;
    const { clock, random, timer } = options.ports;
    this.#options = options;
    this.#hub = hub;
    this.#results = new ResultStore(settings, logger);
    this.#queue = new CommandQueue({
      clock,
      random,
      timer,
      onRetry: ({ subject }, error, retryMs) =>
        logger.warning(`retrying "${subject}" in ${retryMs} ms: ${error}`),
      onIdle: () => this.#requestDropped(),
    });
    this.#apps = new AppOrders(options);
    this.#firmware = new FirmwareOrders(options, { ...hub, queue: this.#queue });
  }

  execute(command: AppCommand | FirmwareUpdate | KeysRevoke): void {
    if (command.type === "firmware.update") this.#firmware.accept(command);
    else if (command.type === "keys.revoke") this.#revoke(command);
    else this.#executeOnce(command);
  }

  /** To be called when the console's firmware update changes. */
  followUpdate(): void {
    this.#firmware.followUpdate();
  }

  /** A message was dropped for lack of memory: asks the hub to repeat it once the queue is idle. */
  noteDropped(): void {
    this.#hasDropped = true;
    const { timer } = this.#options.ports;
    if (this.#queue.isIdle) this.#again ??= timer.set(() => this.#requestDropped(), REPEAT_DROPPED_MS);
  }

  /** Start to download the available firmware. @returns its version, `undefined` if none is available */
  applyFirmware(): string | undefined {
    return this.#firmware.apply();
  }

  /** What waits for the user's answer: the firmware first, apps in the order of their arrival. */
  get questions(): readonly HubQuestion[] {
    const { question } = this.#firmware;
    return question ? [question, ...this.#questions.list] : this.#questions.list;
  }

  /**
   * Execute or decline what waits for an answer.
   * @throws {Fault} `command_not_found`; `busy` if too many commands wait to be executed, and the question stays
   */
  answer(id: string, isAccepted: boolean): void {
    const asked = this.#questions.find(id);
    if (asked) this.#answerFor(asked, isAccepted);
    else if (this.#firmware.question?.id !== id)
      throw new Fault("command_not_found", `The hub asks nothing with the id ${quoted(id)}`);
    else if (isAccepted) this.#firmware.apply();
    else this.#firmware.decline();
  }

  /** To be called when the user has chosen what has to be asked: executes what needs no answer any more. */
  followPreferences(): void {
    this.#firmware.followPreferences();
    if (this.#options.updates() === "ask_all") return;
    for (const { command } of this.#questions.takeAll()) this.#enqueue(command);
    this.#requestUnasked();
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
    if (known) {
      this.#hub.report(known);
      return;
    }
    const queued = this.#queued(command);
    if (this.#hasToAsk(command) && !this.#queue.has(queued.id)) this.#ask(command, queued);
    else this.#enqueue(queued);
  }

  #enqueue(command: Command): void {
    if (!this.#queue.add(command)) this.#hasDropped = true;
  }

  /** A command that fails or changes nothing, whatever the answer, is executed without one. */
  #hasToAsk(command: AppCommand): boolean {
    if (this.#options.updates() !== "ask_all" || !isAppName(command.app_id)) return false;
    if (command.type === "app.uninstall") return this.#options.apps.has(command.app_id);
    return parseVersion(command.version) !== undefined;
  }

  #ask(command: AppCommand, queued: Command): void {
    this.#queue.supersede(queued.subject);
    const decline = () => this.#finish(command, "declined");
    const isAsked = this.#questions.add({ command: queued, question: questionOf(command), decline });
    if (!isAsked) this.#hasUnasked = true;
    this.#options.onQuestions?.();
  }

  #answerFor(asked: AskedCommand, isAccepted: boolean): void {
    if (isAccepted && !this.#queue.add(asked.command))
      throw new Fault("busy", "Too many commands of the hub wait to be executed", {
        details: { retry_after_s: RETRY_AFTER_S },
      });
    this.#questions.remove(asked);
    if (!isAccepted) asked.decline();
    this.#options.onQuestions?.();
    this.#requestUnasked();
  }

  /** Has the hub repeat the commands for which there was no room among the questions. */
  #requestUnasked(): void {
    if (!this.#hasUnasked) return;
    this.#hasUnasked = false;
    this.#hub.onDropped();
  }

  /** Accepting the same list again changes nothing, so the result is not stored. */
  #revoke({ command_id, list }: KeysRevoke): void {
    const report = (error: FaultCode | null) => {
      if (this.#isClosed) return;
      const success = error === null;
      this.#hub.report({
        type: "keys.revoke.result",
        success,
        error,
        ...(command_id !== undefined && { command_id }),
      });
    };
    const isQueued = this.#queue.add({
      id: command_id ?? list,
      subject: REVOCATIONS_SUBJECT,
      characters: list.length,
      run: async (tries) => report(await this.#takeRevocations(list, tries)),
      supersede: () => report("superseded"),
    });
    if (!isQueued) this.#hasDropped = true;
  }

  /** @returns why the list was rejected, `null` if it was accepted @throws transient errors */
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
    const { app_id, command_id, type } = command;
    const subject = canonicalAppName(app_id);
    const id = command_id ?? `${type} ${subject} ${type === "app.install" ? command.version : ""}`;
    return {
      id,
      subject,
      characters: charactersOf(command),
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
      app_id,
      success: error === null,
      error,
    };
    if (canBeKept(result)) this.#results.write(result);
    this.#hub.report(result);
  }

  #requestDropped(): void {
    this.#options.ports.timer.clear(this.#again);
    this.#again = undefined;
    if (!this.#hasDropped) return;
    this.#hasDropped = false;
    this.#hub.onDropped();
  }
}

function questionOf(command: AppCommand): HubQuestion {
  const { app_id: name, command_id } = command;
  if (command.type === "app.uninstall")
    return { id: questionId("uninstall", command_id, name), kind: "uninstall", name };
  const { version, size_bytes, publisher } = command;
  return {
    id: questionId("install", command_id, `${name}-${version}`),
    kind: "install",
    name,
    version,
    ...(size_bytes !== undefined && { size_bytes }),
    ...(publisher !== undefined && { publisher }),
  };
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

/** Whether the result is small enough to share one setting with the others. */
function canBeKept(result: AppResult): result is KeptResult {
  const { app_id, command_id } = result;
  return command_id !== undefined && command_id.length <= COMMAND_ID_LIMIT && isAppName(app_id);
}
