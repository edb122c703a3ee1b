/**
 * One device's connection. A process has ten thousand, so each has fields instead of closures, and neither a timer nor
 * a buffer: the push channel pings all of them at once.
 */
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import type { HubMessage } from "../../protocol/hub/push-messages.js";
import { RecentMap } from "../recent-map.js";
import type { Fence } from "./presence.js";
import { textFrame } from "./text-frame.js";

/** Handles the events of a connection. */
export interface DeviceSocketOwner {
  onMessage(socket: DeviceSocket, bytes: Buffer): void;
  onBinary(socket: DeviceSocket): void;
  onClose(socket: DeviceSocket): void;
}

/** Bytes to buffer in the socket before further messages are queued. A command has some 300 bytes. */
const PORTION_BYTES = 64 * 1024;

/** More messages than can be pending for a device: past this limit the device is not reading. */
const QUEUE_LIMIT = 1000;

export class DeviceSocket extends WebSocket {
  deviceId = "";
  arch = "";
  /** The API's base address in the messages to this device. */
  apiUrl = "";
  /** The connection's number, used as the fence: see presence.ts. */
  connection = 0;
  /** Whether {@link apiUrl} has another origin than the device's request: addresses then need the hub's signature. */
  isOtherOrigin = false;
  /** The revocation list that the device has, or that was sent over this connection. */
  revocationsId: string | null = null;
  /** Whether the device has rejected that list over this connection. */
  hasRefusedRevocations = false;
  /** The firmware version last reported; `undefined` until the first report. */
  firmwareVersion: string | undefined = undefined;
  /** Whether the hub is processing a new token from the device. */
  isRotating = false;
  /** The state last sent to the device; `undefined` until the first message. */
  isClaimed: boolean | undefined = undefined;
  /** Whether anything was received since the last ping. */
  isAlive = true;
  /** The highest position of a command that was sent over this connection. */
  lastPosition = 0;
  messagesSincePing = 0;
  malformedSincePing = 0;
  /** What ws writes to. */
  stream: Duplex | undefined;
  #owner: DeviceSocketOwner | undefined;
  /** The token rotation that was requested. */
  #rotationId: string | null = null;
  /** Messages queued until the socket has room. */
  #queue: string[] | undefined;

  open(owner: DeviceSocketOwner, deviceId: string, apiUrl: string, fence: Fence): void {
    this.#owner = owner;
    this.deviceId = deviceId;
    this.apiUrl = shared(apiUrl);
    this.arch = shared(fence.arch);
    this.connection = fence.connection;
  }

  /**
   * Handles the events of ws in place of listeners, which take 150 bytes of each connection. An `error` needs no handling:
   * ws closes the connection with its code, and then emits `close`.
   */
  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === "message") this.onData(values[0] as RawData, values[1] as boolean);
    else if (event === "pong") this.isAlive = true;
    else if (event === "close") this.onClosed();
    return event === "error" || super.emit(event, ...values);
  }

  sendMessage(message: HubMessage): void {
    this.sendText(JSON.stringify(message));
  }

  /** @param message as JSON */
  sendText(message: string): void {
    if (this.readyState !== WebSocket.OPEN) return;
    if (this.#queue) {
      if (this.#queue.push(message) > QUEUE_LIMIT) this.terminate();
      return;
    }
    const isFull = this.bufferedAmount >= PORTION_BYTES;
    if (isFull) this.#queue = [];
    const frame = textFrame(message);
    const onSent = isFull ? () => this.#sendQueued() : undefined;
    if (frame && this.stream) this.stream.write(frame, onSent);
    else this.send(message, onSent);
  }

  /** Sends whether an account holds the device. No-op if the device was last sent the same. */
  sendClaimed(isClaimed: boolean): void {
    if (this.isClaimed === isClaimed) return;
    this.isClaimed = isClaimed;
    this.sendMessage({ type: "device.claimed", claimed: isClaimed });
  }

  /** Requests a new token, once per rotation. @param rotationId no-op if `null` */
  requestRotation(rotationId: string | null): void {
    if (rotationId === null || this.#rotationId === rotationId) return;
    this.#rotationId = rotationId;
    this.sendMessage({ type: "token.rotate", command_id: rotationId });
  }

  /** Closes the connection of a device that has not answered the last ping, even if the network reports no error. */
  checkAlive(): void {
    if (!this.isAlive) this.terminate();
    this.isAlive = false;
    this.messagesSincePing = 0;
    this.malformedSincePing = 0;
    if (this.readyState === WebSocket.OPEN) this.ping();
  }

  onData(data: RawData, isBinary: boolean): void {
    this.isAlive = true;
    if (this.readyState !== WebSocket.OPEN) return;
    if (isBinary) this.#owner?.onBinary(this);
    else this.#owner?.onMessage(this, data as Buffer);
  }

  /** Called when the buffered bytes are sent, or the device has disconnected. */
  #sendQueued(): void {
    const queue = this.#queue ?? [];
    this.#queue = undefined;
    for (const message of queue) this.sendText(message);
  }

  onClosed(): void {
    this.#queue = undefined;
    this.#owner?.onClose(this);
    this.#owner = undefined;
  }
}

/** Texts that most connections have in common: each of them would have a copy otherwise. */
const sharedTexts = new RecentMap<string, string>(64);

function shared(text: string): string {
  const known = sharedTexts.get(text);
  if (known !== undefined) return known;
  sharedTexts.set(text, text);
  return text;
}
