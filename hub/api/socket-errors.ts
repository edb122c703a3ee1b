/** Gives our error body to the errors that Node answers before there is a request. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Fault } from "../../protocol/fault.js";

/** For `clientError` of the server: bytes that are no request, or none that come in time. */
export function refuseOnSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = socketFault(error.code);
  const body = JSON.stringify(fault.toBody());
  socket.end(
    `HTTP/1.1 ${fault.status} ${fault.code}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function socketFault(code: string | undefined): Fault {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Fault("head_too_large", "The head of this request is too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Fault("request_timeout", "This request took too long");
  return new Fault("bad_request", "This is not HTTP");
}

/** For `checkExpectation`: another one than `100-continue` (RFC 9110 §10.1.1). */
export function refuseExpectation(response: ServerResponse): void {
  const fault = new Fault("expectation_failed", 'Nothing but "100-continue" can be expected');
  const body = Buffer.from(JSON.stringify(fault.toBody()));
  response.writeHead(fault.status, {
    "content-type": "application/json",
    "content-length": body.length,
    connection: "close",
  });
  response.end(body);
}
