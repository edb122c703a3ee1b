/**
 * One device's connection. A process has ten thousand of them, so each has fields instead of closures, and no timer or
 * buffer of its own: periodic work runs for all of them at once.
 */
import { type RawData, WebSocket } from "ws";
import type { HubMessage } from "../../protocol/hub/push-messages.js";
import type { Fence } from "./presence.js";

/** What becomes of what a connection meets. */
export interface DeviceSocketOwner {
  onMessage(socket: DeviceSocket, bytes: Buffer): void;
  onBinary(socket: DeviceSocket): void;
  onClose(socket: DeviceSocket): void;
}

/** Bytes on their way to a device, past which the rest waits until it has read them; commands are some 300 bytes each. */
const PORTION_BYTES = 64 * 1024;

/** More than all that can be pending for a device: it does not read. */
const QUEUE_LIMIT = 1000;

export class DeviceSocket extends WebSocket {
  deviceId = "";
  arch = "";
  /** What addresses of the API begin with, as they are given to the device. */
  apiUrl = "";
  /** Its number, which is the fence: see presence.ts. */
  connection = 0;
  /** Whether {@link apiUrl} is elsewhere than the device has asked, so that it needs the hub's signature. */
  isOtherOrigin = false;
  /** The list of revocations that it has, or was sent over this connection. */
  revocationsId: string | null = null;
  /** Whether it has refused that list over this connection. */
  hasRefusedRevocations = false;
  /** The firmware version that it last reported; `undefined` until the first report. */
  firmwareVersion: string | undefined = undefined;
  /** The hub is processing a new token that the device has sent. */
  isRotating = false;
  /** The state last sent to the device; `undefined` until the first message. */
  isClaimed: boolean | undefined = undefined;
  /** Whether anything was received since the last ping. */
  isAlive = true;
  messagesSincePing = 0;
  malformedSincePing = 0;
  #owner: DeviceSocketOwner | undefined;
  /** The rotation of its token that it was asked for. */
  #rotationId: string | null = null;
  /** Messages queued until the socket has room. */
  #queue: HubMessage[] | undefined;

  open(owner: DeviceSocketOwner, deviceId: string, apiUrl: string, fence: Fence): void {
    this.#owner = owner;
    this.deviceId = deviceId;
    this.apiUrl = apiUrl;
    this.arch = fence.arch;
    this.connection = fence.connection;
    this.on("message", onMessage);
    this.on("pong", onPong);
    this.on("close", onSocketClose);
    this.on("error", onError);
  }

  sendMessage(message: HubMessage): void {
    if (this.readyState !== WebSocket.OPEN) return;
    if (this.#queue) {
      if (this.#queue.push(message) > QUEUE_LIMIT) this.terminate();
      return;
    }
    const isFull = this.bufferedAmount >= PORTION_BYTES;
    if (isFull) this.#queue = [];
    this.send(JSON.stringify(message), isFull ? () => this.#sendQueued() : undefined);
  }

  /** Notifies the device whether an account holds it, unless that is what it was last sent. */
  sendClaimed(isClaimed: boolean): void {
    if (this.isClaimed === isClaimed) return;
    this.isClaimed = isClaimed;
    this.sendMessage({ type: "device.claimed", claimed: isClaimed });
  }

  /** Asks for a new token, once for each rotation. @param rotationId null where none is wanted */
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

  /** The last of a portion is read, or the device is gone. */
  #sendQueued(): void {
    const queue = this.#queue ?? [];
    this.#queue = undefined;
    for (const message of queue) this.sendMessage(message);
  }

  onClosed(): void {
    this.#queue = undefined;
    this.#owner?.onClose(this);
    this.#owner = undefined;
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  (this as DeviceSocket).onData(data, isBinary);
}

function onPong(this: WebSocket): void {
  (this as DeviceSocket).isAlive = true;
}

function onSocketClose(this: WebSocket): void {
  (this as DeviceSocket).onClosed();
}

/** ws closes the connection itself, with the code that belongs to the error; `close` follows. */
function onError(this: WebSocket): void {}
