/**
 * Sends commands to the devices that this process holds. Runs one database query at a time, for all devices requested
 * in the meantime. A dequeued command is marked as sent over the device's present connection and is sent over no other,
 * so that a stale connection gets nothing. A command that cannot be sent, such as firmware whose file is missing, is held
 * and tried again later: it delays no other command, and the connection stays.
 */
import { sign } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { Fault } from "../../protocol/fault.js";
import type { Catalog } from "../catalog/catalog.js";
import type { Commands } from "../commands/commands.js";
import type { HubConfig } from "../config/read-config.js";
import type { Row } from "../database/schema.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { DeviceSocket } from "./device-socket.js";
import { type FileFacts, messageOf } from "./hub-message.js";

interface CommandDispatcherOptions {
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly config: Pick<HubConfig, "signingKey">;
  readonly firmwares: Firmwares;
  readonly logger: FastifyBaseLogger;
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

/** Time until commands that could not be sent are tried again: long enough that thousands of them are no load. */
export const HELD_RETRY_MS = 60_000;

/** Cached facts: few files are rolled out at the same time. */
const FILES_LIMIT = 64;

export class CommandDispatcher {
  readonly #options: CommandDispatcherOptions;
  readonly #opened = new Set<string>();
  readonly #named = new Set<string>();
  readonly #files = new Map<string, FileFacts>();
  /** Ids of commands to try again at the end of {@link HELD_RETRY_MS}. */
  readonly #held = new Set<string>();
  /** Why the facts of a file are not available, until then. */
  readonly #failures = new Map<string, unknown>();
  #retry: NodeJS.Timeout | undefined;
  #isSweepDue = false;
  #running: Promise<void> | undefined;

  constructor(options: CommandDispatcherOptions) {
    this.#options = options;
  }

  /** Sends all pending commands to a device that has just connected, even those sent before. */
  toOpened(deviceId: string): void {
    this.#opened.add(deviceId);
    this.#run();
  }

  toNamed(deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) if (this.#options.sockets.has(deviceId)) this.#named.add(deviceId);
    this.#run();
  }

  toAll(): void {
    this.#isSweepDue = true;
    this.#run();
  }

  /** Resolves when no work is in progress. */
  async close(): Promise<void> {
    clearTimeout(this.#retry);
    while (this.#running) await this.#running;
  }

  #run(): void {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = undefined;
      if (this.#isWanted) this.#run(); // since the last look of #deliver
    });
  }

  get #isWanted(): boolean {
    return this.#opened.size > 0 || this.#named.size > 0 || this.#isSweepDue;
  }

  async #deliver(): Promise<void> {
    while (this.#isWanted)
      try {
        await this.#deliverWanted();
      } catch (error) {
        this.#options.logger.warn({ err: error }, "cannot read commands: retrying at the next poll");
      }
  }

  async #deliverWanted(): Promise<void> {
    const { commands } = this.#options;
    const opened = drained(this.#opened);
    const named = drained(this.#named);
    const isSweep = this.#isSweepDue;
    this.#isSweepDue = false;
    if (opened.length > 0) await this.#send(await commands.dequeueAll(opened));
    if (named.length > 0) await this.#send(await commands.dequeue(named));
    if (isSweep) while (await this.#send(await commands.dequeue())) await new Promise(setImmediate);
  }

  /** @returns whether there were any commands */
  async #send(commands: readonly Row<"commands">[]): Promise<boolean> {
    for (const command of commands) {
      const socket = this.#options.sockets.get(command.device_id);
      if (socket?.connection === command.sent_connection) await this.#sendOne(socket, command);
    }
    return commands.length > 0;
  }

  async #sendOne(socket: DeviceSocket, command: Row<"commands">): Promise<void> {
    const { arch, apiUrl } = socket;
    try {
      const file = await this.#fileOf(command, arch);
      const signAddress = socket.isOtherOrigin ? this.#signAddress : undefined;
      socket.sendMessage(messageOf(command, { apiUrl, arch, file, signAddress }));
    } catch (error) {
      if (isWithdrawn(error)) return this.#cancel(command);
      this.#hold(command.id);
    }
  }

  /** The command counts as sent over this connection until it is tried again. */
  #hold(commandId: string): void {
    this.#held.add(commandId);
    this.#retry ??= setTimeout(() => void this.#retryHeld(), HELD_RETRY_MS);
  }

  async #retryHeld(): Promise<void> {
    this.#retry = undefined;
    this.#failures.clear();
    const held = drained(this.#held);
    try {
      await this.#options.commands.unsend(held);
      this.toAll();
    } catch (error) {
      this.#options.logger.warn({ err: error }, "cannot try held commands again yet");
      for (const id of held) this.#hold(id);
    }
  }

  /** For a command that was stored while the firmware was being withdrawn. */
  async #cancel({ device_id, id }: Row<"commands">): Promise<void> {
    try {
      await this.#options.commands.cancel(device_id, id);
    } catch (error) {
      this.#options.logger.debug({ err: error, command: id }, "the command to cancel has ended already");
    }
  }

  get #signAddress(): ((address: string) => string) | undefined {
    const { signingKey } = this.#options.config;
    return signingKey && ((address) => sign(null, Buffer.from(address), signingKey).toString("hex"));
  }

  /** @throws {Fault} `firmware_not_found`, `firmware_withdrawn` */
  async #fileOf({ kind, subject, version }: Row<"commands">, arch: string): Promise<FileFacts> {
    if (kind === "uninstall") return {};
    const key = kind === "firmware" ? `${kind} ${arch} ${version}` : `${kind} ${subject} ${version}`;
    const known = this.#files.get(key);
    if (known) return known;
    if (this.#failures.has(key)) throw this.#failures.get(key);
    const file = await this.#reportingOnce(key, () =>
      kind === "firmware" ? this.#bundle(arch, version) : this.#package(subject, version),
    );
    if (this.#files.size >= FILES_LIMIT) this.#files.clear();
    this.#files.set(key, file);
    return file;
  }

  async #bundle(arch: string, version: string): Promise<FileFacts> {
    const { firmwares } = this.#options;
    const firmware = await firmwares.require(arch, version);
    return { signature: await firmwares.servedSignature(firmware), sizeBytes: firmware.size_bytes };
  }

  /** The command of an app that was retracted is sent as it is: the download tells the console. */
  async #package(appId: string, version: string): Promise<FileFacts> {
    try {
      const { publisher } = await this.#options.catalog.requireApp(appId);
      const { size_bytes: sizeBytes } = await this.#options.catalog.requireVersion(appId, version);
      return { publisher, sizeBytes };
    } catch (error) {
      if (error instanceof Fault) return {};
      throw error;
    }
  }

  /** Reports a failure once, whatever number of devices wait for the file. */
  async #reportingOnce(key: string, read: () => Promise<FileFacts>): Promise<FileFacts> {
    try {
      return await read();
    } catch (error) {
      this.#failures.set(key, error);
      if (!isWithdrawn(error))
        this.#options.logger.error(
          { err: error, file: key, retry_ms: HELD_RETRY_MS },
          "cannot send a command now",
        );
      throw error;
    }
  }
}

function isWithdrawn(error: unknown): boolean {
  return error instanceof Fault && error.code === "firmware_withdrawn";
}

function drained(set: Set<string>): readonly string[] {
  const items = [...set];
  set.clear();
  return items;
}
