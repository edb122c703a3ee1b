/**
 * The UDP port over `node:dgram`. Binding takes Node a turn of its event loop, so what is written before
 * waits in the socket; and a socket that is closed first sends what it was given, as a native one has.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { UdpOptions, UdpSocket } from "../../device/ports/udp.js";

/** What a reader that has stopped reading may leave behind; more is lost, as in a kernel's buffer. */
const RECEIVED_LIMIT_DATAGRAMS = 256;

type Received = ArrayBuffer & { readonly address: string; readonly port: number };

export class NodeUdp implements UdpSocket {
  readonly #socket: Socket;
  readonly #options: UdpOptions;
  readonly #received: Received[] = [];
  #sending = 0;
  #isClosed = false;

  constructor(options: UdpOptions) {
    this.#options = options;
    this.#socket = createSocket({ type: "udp4", reuseAddr: options.multicast !== undefined });
    this.#socket.on("message", (bytes, from) => this.#receive(bytes, from));
    this.#socket.bind({ port: options.port }, () => this.#join());
  }

  read(): Received | undefined {
    return this.#received.shift();
  }

  write(bytes: Uint8Array, address: string, port: number): void {
    if (this.#isClosed) throw new Error("Cannot write to a closed socket");
    this.#sending++;
    this.#socket.send(bytes.slice(), port, address, () => {
      this.#sending--; // a datagram that the network refuses is lost
      this.#finish();
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#finish();
  }

  #join(): void {
    const { address, multicast, timeToLive = 1 } = this.#options;
    if (multicast === undefined) return;
    this.#socket.addMembership(multicast, address);
    if (address !== undefined) this.#socket.setMulticastInterface(address);
    this.#socket.setMulticastTTL(timeToLive);
    this.#socket.setTTL(timeToLive);
  }

  #receive(bytes: Uint8Array, { address, port }: RemoteInfo): void {
    if (this.#isClosed || this.#received.length === RECEIVED_LIMIT_DATAGRAMS) return;
    this.#received.push(Object.assign(new Uint8Array(bytes).buffer as ArrayBuffer, { address, port }));
    this.#options.onReadable(1);
  }

  #finish(): void {
    if (this.#isClosed && this.#sending === 0) this.#socket.close();
  }
}
