/** Upgrades a request for a push channel to a device's socket with its fence, or rejects the request. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { WebSocketServer } from "ws";
import { Fault } from "../../protocol/fault.js";
import { PUSH_LIMIT_BYTES } from "../../protocol/hub/push-messages.js";
import { publicAddress, type RequestOrigin } from "../api/public-address.js";
import { faultOf, refusalBytes } from "../api/refusals.js";
import { bearerOf } from "../auth/authentication.js";
import { readDeviceToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { DeviceLookUp } from "./device-look-up.js";
import { DeviceSocket } from "./device-socket.js";
import type { Fence, Presence } from "./presence.js";

/** With the token of a device, which is in `Authorization` if it is not in the path. */
const PATH = /^(?:\/api\/v1)?\/ws\/device(?:\/([^/?]*))?(?:\?.*)?$/;

/** @throws {Fault} `not_found` for another path; `unauthorized` for an invalid token */
function tokenOf({ headers, url = "" }: IncomingMessage): string {
  const found = PATH.exec(url);
  if (!found) throw new Fault("not_found", "The push channel is at /ws/device, or /ws/device/{device_token}");
  const token = readDeviceToken(found[1] ?? bearerOf(headers.authorization));
  if (token === undefined) throw new Fault("unauthorized", "The token is unknown");
  return token;
}

/**
 * The origin that the device requested.
 * @param trustsProxy whether to use `X-Forwarded-…`, in the same way as Fastify
 */
function requestOrigin({ headers, socket }: IncomingMessage, trustsProxy: boolean): RequestOrigin {
  const forwarded = (name: string) => (trustsProxy ? nearestOf(headers[name]) : undefined);
  return {
    protocol: forwarded("x-forwarded-proto") ?? (socket instanceof TLSSocket ? "https" : "http"),
    host: forwarded("x-forwarded-host") ?? headers.host ?? "",
  };
}

/** Each proxy appends its value after a comma: the last value is that of the trusted proxy. */
function nearestOf(field: string | string[] | undefined): string | undefined {
  return [field].flat().join(",").split(",").at(-1)?.trim() || undefined;
}

export interface OpenedSocket {
  readonly socket: DeviceSocket;
  readonly deviceId: string;
  readonly apiUrl: string;
  readonly fence: Fence;
  /** See {@link FoundDevice}. */
  readonly acceptedId: string | null;
  /** Whether {@link apiUrl} has another origin than the device's request. */
  readonly isOtherOrigin: boolean;
}

interface UpgradesOptions extends Pick<HubContext, "config" | "logger"> {
  readonly lookUp: DeviceLookUp;
  readonly presence: Presence;
  readonly onOpened: (opened: OpenedSocket) => void;
}

const SERVER_OPTIONS = Object.freeze({
  WebSocket: DeviceSocket,
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false, // its state needs more memory than the rest of a connection
  maxPayload: PUSH_LIMIT_BYTES,
  /** Milliseconds for a device to answer a close. */
  closeTimeout: 2000,
});

export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #server = new WebSocketServer<typeof DeviceSocket>(SERVER_OPTIONS);
  readonly #pending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", onSocketError);
    const handling = this.#open(request, socket, head).catch((error: unknown) => {
      const fault = faultOf(error);
      if (fault.status === 500) this.#options.logger.error({ err: error }, "a push channel failed to open");
      socket.once("finish", () => socket.destroy());
      socket.end(refusalBytes(fault));
    });
    this.#pending.add(handling);
    void handling.then(() => this.#pending.delete(handling));
  }

  /** Rejects new upgrades, and resolves when none is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pending);
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { config, lookUp, presence } = this.#options;
    const found = await lookUp.find(tokenOf(request));
    if (!found) throw new Fault("unauthorized", "The token is unknown");
    const { deviceId, acceptedId } = found;
    this.#requireOpen();
    const origin = requestOrigin(request, config.trustsProxy);
    const apiUrl = publicAddress(config, origin);
    const isOtherOrigin = !apiUrl.startsWith(`${origin.protocol}://${origin.host}/`);
    const fence = await presence.takeFence(deviceId);
    // Take the fence before the channel opens, so that a listener is ready for the device's first message.
    const opened = this.#upgrade(request, socket, head);
    if (opened)
      this.#options.onOpened({ socket: opened, deviceId, apiUrl, fence, acceptedId, isOtherOrigin });
    else presence.disconnect(deviceId, fence.connection);
  }

  /** @returns `undefined` if ws rejects the upgrade, or the device has disconnected */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): DeviceSocket | undefined {
    let opened: DeviceSocket | undefined;
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      opened = webSocket; // called before handleUpgrade returns, or never
      opened.stream = socket;
    });
    socket.off("error", onSocketError);
    return opened;
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new Fault("busy", "This process of the hub is stopping: try again", {
        details: { retry_after_s: 1 },
      });
  }
}

/** Ignores errors of a client that disconnects before its channel is open. */
function onSocketError(): void {}
