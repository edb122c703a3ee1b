/**
 * Connections that can be reset. After a normal close the system still delivers all buffered data; where that is the
 * rest of a file, the console installs what the user has just cancelled. A reset drops undelivered data.
 */
import type { ClientRequest } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The TCP socket of each TLS socket: Node can reset only TCP. */
const tcpSockets: WeakMap<object, Socket> = new WeakMap();

/** An HTTPS agent whose connections {@link resetConnection} can reset. */
export class ResettableHttpsAgent extends HttpsAgent {
  override createConnection(
    options: RequestOptions & NetConnectOpts,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = connect(options);
    const layered = { ...options, socket }; // a TLS option that the types of HTTPS lack
    const secured = super.createConnection(layered, callback);
    if (secured) tcpSockets.set(secured, socket);
    return secured;
  }
}

/** Ends a request and resets its connection: undelivered data is dropped. */
export function resetConnection(request: ClientRequest): void {
  const { socket } = request;
  const tcpSocket = socket && (tcpSockets.get(socket) ?? socket);
  if (tcpSocket instanceof Socket) tcpSocket.resetAndDestroy();
  request.destroy();
}
