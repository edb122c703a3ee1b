/**
 * Connections that can be reset. After a normal close the system still delivers all buffered data; where that is the
 * rest of a file, the console installs what the user has just cancelled. A reset drops undelivered data.
 */
import { Agent as HttpsAgent } from "node:https";
import { connect, Socket } from "node:net";

/** The connection below each one of TLS: Node resets TCP alone. @type {WeakMap<object, Socket>} */
const carriers = new WeakMap();

/** An agent over whose connections {@link cutOff} has power. */
export class CuttableHttpsAgent extends HttpsAgent {
  /**
   * @override
   * @param {import("node:https").RequestOptions & import("node:net").NetConnectOpts} options
   * @param {(error: Error | null, stream: import("node:stream").Duplex) => void} [callback]
   */
  createConnection(options, callback) {
    const socket = connect(options);
    const layered = { ...options, socket }; // an option of TLS's that the types of HTTPS leave out
    const secured = super.createConnection(layered, callback);
    if (secured) carriers.set(secured, socket);
    return secured;
  }
}

/** Ends a request with its connection; what was not delivered never is. @param {import("node:http").ClientRequest} request */
export function cutOff(request) {
  const { socket } = request;
  const carrier = socket && (carriers.get(socket) ?? socket);
  if (carrier instanceof Socket) carrier.resetAndDestroy();
  request.destroy();
}
