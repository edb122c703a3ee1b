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
import { yieldIfLong } from "../event-loop.js";
import type { Firmwares } from "../firmware/firmwares.js";
import { type EventDetails, SharedDetails } from "../history/device-events.js";
import type { History } from "../history/history.js";
import {
  type Context,
  context,
  markFailed,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
  tracer,
} from "../tracing/spans.js";
import type { DeviceSocket } from "./device-socket.js";
import { type FileFacts, MessageWriter } from "./hub-message.js";

interface CommandDispatcherOptions {
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly config: Pick<HubConfig, "signingKey">;
  readonly firmwares: Firmwares;
  readonly history: Pick<History, "add">;
  readonly logger: FastifyBaseLogger;
  readonly sockets: ReadonlyMap<string, DeviceSocket>;
}

/** Time until commands that could not be sent are tried again: long enough that thousands of them are no load. */
export const HELD_RETRY_MS = 60_000;

const NO_FILE: FileFacts = Object.freeze({});

const NO_DETAILS: EventDetails = Object.freeze({});

const NO_ORDERS: ReadonlyMap<string, Context> = new Map();

/** Cached facts: few files are rolled out at the same time. */
const FILES_LIMIT = 64;

export class CommandDispatcher {
  readonly #options: CommandDispatcherOptions;
  /** New commands, which count as sent over the connections that they name, with the traces of their orders. */
  #stored: (readonly [Row<"commands">, Context])[] = [];
  readonly #opened = new Set<string>();
  /** With the trace of the order. */
  readonly #named = new Map<string, Context>();
  /** Devices for which a query failed, which may have marked their commands as sent: the next sweep sends all again. */
  readonly #missed = new Set<string>();
  readonly #files = new Map<string, FileFacts>();
  readonly #messages = new MessageWriter();
  readonly #signAddress: ((address: string) => string) | undefined;
  /** For the history. */
  readonly #details = new SharedDetails();
  /** Ids of commands to try again at the end of {@link HELD_RETRY_MS}. */
  readonly #held = new Set<string>();
  /** Why the facts of a file are not available, until then. */
  readonly #failures = new Map<string, unknown>();
  #retry: NodeJS.Timeout | undefined;
  #isSweepDue = false;
  #running: Promise<void> | undefined;

  constructor(options: CommandDispatcherOptions) {
    this.#options = options;
    const { signingKey } = options.config;
    if (signingKey)
      this.#signAddress = (address) => sign(null, Buffer.from(address), signingKey).toString("hex");
  }

  /** Sends new commands to devices that are connected; the others get them when they connect. */
  toStored(commands: readonly Row<"commands">[]): void {
    const order = context.active();
    for (const command of commands)
      if (this.#options.sockets.has(command.device_id)) this.#stored.push([command, order]);
    this.#run();
  }

  /** Sends all pending commands to a device that has just connected, even those sent before. */
  toOpened(deviceId: string): void {
    this.#opened.add(deviceId);
    this.#run();
  }

  toNamed(deviceIds: readonly string[]): void {
    const order = context.active();
    for (const deviceId of deviceIds)
      if (this.#options.sockets.has(deviceId)) this.#named.set(deviceId, order);
    this.#run();
  }

  toAll(): void {
    for (const deviceId of drained(this.#missed))
      if (this.#options.sockets.has(deviceId)) this.#opened.add(deviceId);
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
    return this.#stored.length > 0 || this.#opened.size > 0 || this.#named.size > 0 || this.#isSweepDue;
  }

  async #deliver(): Promise<void> {
    while (this.#isWanted) {
      await this.#sendStored();
      const opened = drained(this.#opened);
      const named = new Map(this.#named);
      this.#named.clear();
      const isSweep = this.#isSweepDue;
      this.#isSweepDue = false;
      try {
        await this.#deliverTo(opened, named, isSweep);
      } catch (error) {
        this.#options.logger.warn({ err: error }, "cannot read commands: retrying at the next poll");
        const missed = isSweep ? this.#options.sockets.keys() : [...opened, ...named.keys()];
        for (const deviceId of missed) this.#missed.add(deviceId);
      }
    }
  }

  async #deliverTo(
    opened: readonly string[],
    named: ReadonlyMap<string, Context>,
    isSweep: boolean,
  ): Promise<void> {
    const { commands } = this.#options;
    if (opened.length > 0) await this.#send(await commands.dequeueAll(opened));
    if (named.size > 0) await this.#send(await commands.dequeue([...named.keys()]), named);
    if (isSweep) while (await this.#send(await commands.dequeue())) await new Promise(setImmediate);
  }

  /**
   * Where a later command has been sent before, the device gets all that are pending, in order; so it does where it has
   * just connected. A look at its pending commands may have found a new one before it was announced here.
   */
  async #sendStored(): Promise<void> {
    const stored = this.#stored;
    this.#stored = [];
    for (const [command, order] of stored) {
      const socket = this.#options.sockets.get(command.device_id);
      if (socket?.connection !== command.sent_connection) continue;
      if (this.#opened.has(command.device_id) || command.position === socket.lastPosition) continue;
      if (command.position < socket.lastPosition) {
        this.#opened.add(command.device_id);
        continue;
      }
      const sending = this.#sendOne(socket, command, order);
      if (sending) await sending; // waiting for nothing, ten thousand times, takes long
      const pause = yieldIfLong();
      if (pause) await pause;
    }
  }

  /** @returns whether there were any commands */
  async #send(
    commands: readonly Row<"commands">[],
    orders: ReadonlyMap<string, Context> = NO_ORDERS,
  ): Promise<boolean> {
    for (const command of commands) {
      const socket = this.#options.sockets.get(command.device_id);
      const isHere = socket?.connection === command.sent_connection;
      const sending = isHere ? this.#sendOne(socket, command, orders.get(command.device_id)) : undefined;
      if (sending) await sending;
      const pause = yieldIfLong();
      if (pause) await pause;
    }
    return commands.length > 0;
  }

  /**
   * @param order the trace of the order, if it is known
   * @returns `undefined` if the command is sent: all that is to be known of its file is known already
   */
  #sendOne(socket: DeviceSocket, command: Row<"commands">, order = ROOT_CONTEXT): Promise<void> | undefined {
    socket.lastPosition = Math.max(socket.lastPosition, command.position);
    const { id, kind } = command;
    const attributes = { "svc.command": id, "svc.command_kind": kind };
    const span = tracer.startSpan("command delivery", { kind: SpanKind.PRODUCER, attributes }, order);
    const file = this.#knownFile(command, socket.arch);
    if (!file)
      return context.with(trace.setSpan(order, span), () => this.#sendWithFile(socket, command, span));
    try {
      this.#sendMessage(socket, command, file, span);
      return undefined;
    } catch (error) {
      return this.#afterFailure(command, span, error);
    }
  }

  async #sendWithFile(socket: DeviceSocket, command: Row<"commands">, span: Span): Promise<void> {
    try {
      this.#sendMessage(socket, command, await this.#fileOf(command, socket.arch), span);
    } catch (error) {
      await this.#afterFailure(command, span, error);
    }
  }

  async #afterFailure(command: Row<"commands">, span: Span, error: unknown): Promise<void> {
    markFailed(span, error);
    span.end();
    if (isWithdrawn(error)) await this.#cancel(command);
    else this.#hold(command.id);
  }

  #sendMessage(socket: DeviceSocket, command: Row<"commands">, file: FileFacts, span: Span): void {
    const { arch, apiUrl } = socket;
    const signAddress = socket.isOtherOrigin ? this.#signAddress : undefined;
    socket.sendText(this.#messages.write(command, { apiUrl, arch, file, signAddress }));
    this.#recordSent(socket, command);
    span.end();
  }

  #recordSent({ connection }: DeviceSocket, command: Row<"commands">): void {
    const { history, logger } = this.#options;
    const { id: commandId, device_id: deviceId } = command;
    const details = this.#details.of(command, NO_DETAILS);
    history.add({ deviceId, kind: "sent", connection, commandId, details });
    logger.debug({ command: commandId, device: deviceId, connection }, "a command was sent");
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
      await this.#options.commands.cancel(device_id, id, { reason: "withdrawn" });
    } catch (error) {
      this.#options.logger.debug({ err: error, command: id }, "the command to cancel has ended already");
    }
  }

  #knownFile(command: Row<"commands">, arch: string): FileFacts | undefined {
    return command.kind === "uninstall" ? NO_FILE : this.#files.get(fileKey(command, arch));
  }

  /** @throws {Fault} `firmware_not_found`, `firmware_withdrawn` */
  async #fileOf(command: Row<"commands">, arch: string): Promise<FileFacts> {
    const { kind, subject, version } = command;
    const key = fileKey(command, arch);
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

function fileKey({ kind, subject, version }: Row<"commands">, arch: string): string {
  return `${kind} ${kind === "firmware" ? arch : subject} ${version}`;
}

function isWithdrawn(error: unknown): boolean {
  return error instanceof Fault && error.code === "firmware_withdrawn";
}

function drained(set: Set<string>): readonly string[] {
  const items = [...set];
  set.clear();
  return items;
}
