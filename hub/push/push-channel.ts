/**
 * The push channel (docs/spec/hub-push.md): WebSockets at `/ws/device`, one per device over all
 * processes. Sends each device its pending commands, and stores their results. Messages lost between processes or on
 * the way to a device are recovered by polling the database: see {@link CommandDispatcher} and {@link Reconciler}.
 */
import type { Server } from "node:http";
import { Fault } from "../../protocol/fault.js";
import type { TokenRotated } from "../../protocol/hub/push-messages.js";
import type { Authentication } from "../auth/authentication.js";
import { Batch } from "../batch.js";
import type { BusMessage, BusSubscription } from "../bus/bus.js";
import type { Catalog } from "../catalog/catalog.js";
import type { DeviceResult } from "../commands/command-results.js";
import type { Commands } from "../commands/commands.js";
import type { HubContext } from "../context.js";
import type { Devices } from "../devices/devices.js";
import type { Firmwares } from "../firmware/firmwares.js";
import type { History } from "../history/history.js";
import { TokenBuckets } from "../limits/token-buckets.js";
import { CommandDispatcher } from "./command-dispatcher.js";
import { DeviceLookUp } from "./device-look-up.js";
import { readDeviceMessage } from "./device-message.js";
import type { DeviceSocket, DeviceSocketOwner } from "./device-socket.js";
import { CloseCode } from "./hub-message.js";
import { Presence } from "./presence.js";
import { Reconciler } from "./reconciler.js";
import { Revocations } from "./revocations.js";
import { type OpenedSocket, Upgrades } from "./upgrades.js";

export interface PushChannelOptions extends HubContext {
  readonly authentication: Authentication;
  readonly catalog: Catalog;
  readonly commands: Commands;
  readonly devices: Devices;
  readonly firmwares: Firmwares;
  readonly history: History;
}

/** Between two pings (docs/spec/hub-push.md#hub-ping). */
const PING_INTERVAL_MS = 30_000;

/** Longest wait of a command whose notification was lost. */
const SWEEP_INTERVAL_MS = 5000;

const RESULTS_LIMIT = 500;
const RESULTS_DELAY_MS = 10;

/** Invalid messages between two pings: a newer or older device may send an invalid status each time. */
const MALFORMED_LIMIT = 5;

/**
 * Starts and crashes of a device that are recorded: each costs the database a row, and the device an older event. A user makes
 * an app crash a few times in a minute.
 */
const EVENTS_PER_MINUTE = 6;

/** Messages between two pings: a thousand times what a console needs. */
const MESSAGES_LIMIT = 5000;

/** Time for devices to answer the close. */
const CLOSE_TIMEOUT_MS = 1000;

export class PushChannel implements DeviceSocketOwner {
  readonly #options: PushChannelOptions;
  readonly #sockets = new Map<string, DeviceSocket>();
  readonly #presence: Presence;
  readonly #revocations: Revocations;
  readonly #dispatcher: CommandDispatcher;
  readonly #reconciler: Reconciler;
  readonly #results: Batch<DeviceResult>;
  readonly #upgrades: Upgrades;
  readonly #subscriptions: BusSubscription[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #events = new TokenBuckets(EVENTS_PER_MINUTE);
  #closed: Promise<void> | undefined;

  constructor(options: PushChannelOptions) {
    this.#options = options;
    const { catalog, commands, config, firmwares, history, logger, processId } = options;
    const sockets = this.#sockets;
    const presence = new Presence(options);
    this.#presence = presence;
    this.#revocations = new Revocations({ ...options, sockets });
    this.#dispatcher = new CommandDispatcher({
      catalog,
      commands,
      config,
      firmwares,
      history,
      logger,
      sockets,
    });
    this.#reconciler = new Reconciler({ logger, presence, processId, sockets });
    commands.onStored((stored) => this.#dispatcher.toStored(stored));
    this.#upgrades = new Upgrades({
      config,
      logger,
      presence,
      lookUp: new DeviceLookUp(options),
      onOpened: (opened) => this.#onOpened(opened),
    });
    this.#results = new Batch<DeviceResult>({
      limit: RESULTS_LIMIT,
      delayMs: RESULTS_DELAY_MS,
      write: async (results) => {
        await presence.appsStored(); // devices send their app list before the result
        await history.flush(); // a command was sent before its result: so the history tells it
        await commands.apply(results);
      },
      onFailed: (results, error) => this.#onResultsLost(results, error),
    });
  }

  /** Connections of this process. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Handles the server's WebSocket upgrades. */
  attach(server: Server): void {
    const { bus, processId } = this.#options;
    const onMessage = (message: BusMessage) => this.#onBusMessage(message);
    this.#subscriptions.push(bus.subscribe(`process.${processId}`, onMessage));
    this.#subscriptions.push(bus.subscribe("all", onMessage));
    bus.onGap(() => {
      this.#dispatcher.toAll();
      this.#reconciler.run();
    });
    const sweep = () => {
      this.#dispatcher.toAll();
      this.#revocations.poll();
    };
    this.#timers.push(setInterval(sweep, SWEEP_INTERVAL_MS));
    this.#timers.push(setInterval(() => this.#pingAll(), PING_INTERVAL_MS));
    server.on("upgrade", (request, socket, head) => this.#upgrades.handle(request, socket, head));
  }

  /**
   * Closes every device's channel; the devices reconnect elsewhere (1001). Stores what they have reported until then.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  onMessage(socket: DeviceSocket, bytes: Buffer): void {
    socket.messagesSincePing += 1;
    if (socket.messagesSincePing > MESSAGES_LIMIT)
      socket.close(CloseCode.policyViolation, "Too many messages");
    else this.#read(socket, bytes);
  }

  onBinary(socket: DeviceSocket): void {
    this.#onMalformed(socket, new Fault("bad_json", "A message must be text"));
  }

  onClose(socket: DeviceSocket): void {
    const { connection, deviceId } = socket;
    if (this.#sockets.get(deviceId) !== socket) return;
    this.#sockets.delete(deviceId);
    this.#presence.disconnect(deviceId, connection);
    this.#options.history.add({ deviceId, kind: "disconnected", connection });
    this.#options.logger.debug({ device: deviceId, connection }, "a device has disconnected");
  }

  #onOpened({ socket, deviceId, apiUrl, fence, acceptedId, isOtherOrigin }: OpenedSocket): void {
    const { bus, logger, processId } = this.#options;
    const { connection, isClaimed, previousProcessId, revocationsId, rotationId } = fence;
    socket.open(this, deviceId, apiUrl, fence);
    socket.isOtherOrigin = isOtherOrigin;
    socket.revocationsId = revocationsId;
    const other = this.#sockets.get(deviceId);
    if (other && other.connection > connection) {
      socket.close(CloseCode.replaced);
      return;
    }
    this.#sockets.set(deviceId, socket);
    other?.close(CloseCode.replaced);
    if (previousProcessId !== null && previousProcessId !== processId)
      bus.publish(`process.${previousProcessId}`, { kind: "replaced", device_id: deviceId, connection });
    logger.debug({ device: deviceId, connection }, "a device has connected");
    this.#options.history.add({ deviceId, kind: "connected", connection });
    if (acceptedId !== null) socket.sendMessage({ type: "token.accepted", command_id: acceptedId });
    socket.sendClaimed(isClaimed);
    socket.requestRotation(rotationId);
    this.#revocations.toOpened(socket);
    this.#dispatcher.toOpened(deviceId);
  }

  #onBusMessage(message: BusMessage): void {
    switch (message.kind) {
      case "commands":
        this.#options.logger.debug({ commands: message.command_ids }, "commands were announced");
        this.#dispatcher.toNamed(message.device_ids);
        break;
      case "sweep":
        this.#dispatcher.toAll();
        break;
      case "replaced":
        this.#replace(message.device_id, message.connection);
        break;
      case "claimed":
        this.#sockets.get(message.device_id)?.sendClaimed(message.claimed);
        break;
      case "look":
        this.#reconciler.check(message.device_id);
        break;
      default:
        message satisfies never;
    }
  }

  #replace(deviceId: string, connection: number): void {
    const socket = this.#sockets.get(deviceId);
    if (socket && socket.connection < connection) socket.close(CloseCode.replaced);
  }

  #read(socket: DeviceSocket, bytes: Buffer): void {
    const { connection, deviceId } = socket;
    try {
      const message = readDeviceMessage(bytes);
      switch (message?.kind) {
        case "status":
          this.#presence.recordStatus(deviceId, connection, message.status);
          this.#revocations.onStatus(socket, message.status.firmware_version);
          break;
        case "started":
          if (this.#isRecorded(socket)) this.#presence.recordStart(deviceId, connection, message.started);
          break;
        case "crashed":
          if (this.#isRecorded(socket))
            this.#options.history.add({ deviceId, kind: "crashed", connection, details: message.crashed });
          break;
        case "apps":
          this.#presence.recordApps(deviceId, connection, message.apps);
          break;
        case "rotated":
          void this.#rotateToken(socket, message.rotated);
          break;
        case "revoked":
          void this.#revocations.onResult(socket, message.result, this.#presence);
          break;
        case "result":
          this.#results.add({ deviceId, connection, result: message.result });
          break;
        case undefined:
          break;
        default:
          message satisfies never;
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#onMalformed(socket, error);
    }
  }

  /** Whether an event that the device tells of is recorded: nobody reads those of a device that no account holds. */
  #isRecorded({ deviceId, isClaimed }: DeviceSocket): boolean {
    if (isClaimed !== true) return false;
    if (this.#events.allows(deviceId)) return true;
    this.#options.logger.debug({ device: deviceId }, "a device has told of too many starts and crashes");
    return false;
  }

  /** Handles one token at a time, and ignores others meanwhile: the device sends its token again on request. */
  async #rotateToken(
    socket: DeviceSocket,
    { command_id, device_token, binding }: Omit<TokenRotated, "type">,
  ): Promise<void> {
    if (socket.isRotating) return;
    socket.isRotating = true;
    const { deviceId, connection } = socket;
    try {
      const asked = { rotationId: command_id, connection };
      const isTaken = await this.#options.devices.acceptNextToken(deviceId, { device_token, binding }, asked);
      if (isTaken) socket.sendMessage({ type: "token.accepted", command_id });
    } catch (error) {
      if (error instanceof Fault) this.#onMalformed(socket, error);
      else
        this.#options.logger.warn({ err: error, device: deviceId }, "cannot store a device's new token now");
    } finally {
      socket.isRotating = false;
    }
  }

  #onMalformed(socket: DeviceSocket, { code, message }: Fault): void {
    const { deviceId } = socket;
    this.#options.logger.warn(
      { device: deviceId, code, reason: message },
      "a device sent an invalid message",
    );
    socket.malformedSincePing += 1;
    if (socket.malformedSincePing > MALFORMED_LIMIT)
      socket.close(CloseCode.policyViolation, "Too many invalid messages");
  }

  /** Disconnects the devices: they get the pending commands again over their next connection, and answer again. */
  #onResultsLost(results: readonly DeviceResult[], error: unknown): void {
    this.#options.logger.warn({ err: error, results: results.length }, "cannot store results now");
    for (const { connection, deviceId } of results) {
      const socket = this.#sockets.get(deviceId);
      if (socket?.connection === connection) socket.close(CloseCode.tryAgainLater);
    }
  }

  #pingAll(): void {
    for (const socket of this.#sockets.values()) socket.checkAlive();
    this.#reconciler.run();
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const subscription of this.#subscriptions) subscription.close();
    await this.#upgrades.close();
    await this.#dispatcher.close();
    await this.#reconciler.close();
    await this.#revocations.close();
    await this.#closeSockets();
    await this.#results.drain();
    await this.#presence.close();
  }

  async #closeSockets(): Promise<void> {
    const sockets = [...this.#sockets.values()];
    const gone = Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))),
    );
    for (const socket of sockets) socket.close(CloseCode.goingAway);
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.terminate();
    }, CLOSE_TIMEOUT_MS);
    await gone;
    clearTimeout(timer);
  }
}
