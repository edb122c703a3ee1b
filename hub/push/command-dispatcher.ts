/**
 * Sends commands to the devices that this process holds. Runs one database query at a time, for all devices requested
 * in the meantime. A dequeued command is marked as sent over the device's present connection and is sent over no other,
 * so that a stale connection gets nothing.
 */
import { sign } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { Fault } from "../../protocol/fault.js";
import type { Commands } from "../commands/commands.js";
import type { HubConfig } from "../config/read-config.js";
import type { Row } from "../database/schema.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { DeviceSocket } from "./device-socket.js";
import { CloseCode, messageOf } from "./hub-message.js";

interface CommandDispatcherOptions {
  readonly commands: Commands;
  readonly config: Pick<HubConfig, "signingKey">;
  readonly firmwares: Firmwares;
  readonly logger: FastifyBaseLogger;
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

/** Cached signatures: few bundles are rolled out at the same time. */
const SIGNATURES_LIMIT = 64;

export class CommandDispatcher {
  readonly #options: CommandDispatcherOptions;
  readonly #opened = new Set<string>();
  readonly #named = new Set<string>();
  readonly #signatures = new Map<string, string>();
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
    await this.#running;
  }

  #run(): void {
    this.#running ??= this.#deliver().finally(() => {
      this.#running = undefined;
    });
  }

  async #deliver(): Promise<void> {
    while (this.#opened.size > 0 || this.#named.size > 0 || this.#isSweepDue)
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
      const signature = command.kind === "firmware" ? await this.#signature(arch, command.version) : "";
      const signAddress = socket.isOtherOrigin ? this.#signAddress : undefined;
      socket.sendMessage(messageOf(command, { apiUrl, arch, signature, signAddress }));
    } catch (error) {
      if (error instanceof Fault && error.code === "firmware_withdrawn") return this.#cancel(command);
      // The command counts as sent over this connection, so close it: the device gets the command over the next one.
      this.#options.logger.warn({ err: error, command: command.id }, "cannot send a command now");
      socket.close(CloseCode.tryAgainLater);
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

  async #signature(arch: string, version: string): Promise<string> {
    const key = `${arch} ${version}`;
    const known = this.#signatures.get(key);
    if (known !== undefined) return known;
    const { firmwares } = this.#options;
    const signature = await firmwares.servedSignature(await firmwares.require(arch, version));
    if (this.#signatures.size >= SIGNATURES_LIMIT) this.#signatures.clear();
    this.#signatures.set(key, signature);
    return signature;
  }
}

function drained(set: Set<string>): readonly string[] {
  const items = [...set];
  set.clear();
  return items;
}
