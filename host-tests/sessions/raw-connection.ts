/** A TCP connection on which bytes go out as they are, and what comes back is read answer by answer. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ArrivedBytes } from "./arrived-bytes.js";

export class RawConnection {
  readonly #socket: Socket;
  readonly arrived = new ArrivedBytes();

  static async open(address: string): Promise<RawConnection> {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.arrived.push(chunk));
    socket.on("close", () => this.arrived.end());
    socket.on("error", () => {}); // a reset ends the connection as well; callers that wait for bytes report it
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }
}
