/** What Node's HTTP parser makes of the bytes of a request: the judge of request heads. */
import http, { type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";

export interface NodeHead {
  readonly method: string;
  /** As it was sent. */
  readonly target: string;
  readonly version: string;
  readonly isPersistent: boolean;
  /** Names in lower case, values as Latin-1. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const HEAD_LIMIT_BYTES = 65_536;

/** A client's bytes without a client. What the server answers is dropped. */
class Bytes extends Duplex {
  override _read(): void {}

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

/** The head that `bytes` begin with; the code of Node's parser if it refuses them; `undefined` if no whole head is there. */
export function headByNode(bytes: Uint8Array): Promise<NodeHead | string | undefined> {
  const server = http.createServer({ maxHeaderSize: HEAD_LIMIT_BYTES, requireHostHeader: false });
  server.maxHeadersCount = 0;
  const socket = new Bytes();
  return new Promise((resolve) => {
    const end = (found: NodeHead | string | undefined) => {
      resolve(found);
      socket.destroy();
    };
    server.on("request", (request, response) => end(headOf(request, response.shouldKeepAlive)));
    server.on("checkContinue", (request, response) => end(headOf(request, response.shouldKeepAlive)));
    server.on("checkExpectation", (request, response) => end(headOf(request, response.shouldKeepAlive)));
    server.on("connect", (request) => end(headOf(request, true)));
    server.on("clientError", (error: NodeJS.ErrnoException) =>
      end(error.code === "HPE_INVALID_EOF_STATE" ? undefined : (error.code ?? "")),
    );
    socket.on("finish", () => end(undefined)); // nothing, or empty lines
    server.emit("connection", socket);
    socket.push(bytes);
    socket.push(null);
  });
}

function headOf(request: IncomingMessage, isPersistent: boolean): NodeHead {
  const { method = "", url = "", httpVersion, rawHeaders } = request;
  const fields = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
  );
  return { method, target: url, version: httpVersion, isPersistent, fields };
}
