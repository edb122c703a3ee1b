/**
 * Connections that can be reset. After a normal close the system still delivers all buffered data; where that is the
 * rest of a file, the console installs what the user has just cancelled. A reset drops undelivered data.
 */
import type { ClientRequest } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts, Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The connection below each one of TLS: Node resets TCP alone. */
const carriers: WeakMap<object, Socket> = new WeakMap();

/** An agent over whose connections {@link cutOff} has power. */
export class CuttableHttpsAgent extends HttpsAgent {
  override createConnection(
    options: RequestOptions & NetConnectOpts,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = connect(options);
    const layered = { ...options, socket }; // an option of TLS's that the types of HTTPS leave out
    const secured = super.createConnection(layered, callback);
    if (secured) carriers.set(secured, socket);
    return secured;
  }
}

/** Ends a request with its connection; what was not delivered never is. */
export function cutOff(request: ClientRequest): void {
  const { socket } = request;
  const carrier = socket && (carriers.get(socket) ?? socket);
  if (carrier instanceof Socket) carrier.resetAndDestroy();
  request.destroy();
}
