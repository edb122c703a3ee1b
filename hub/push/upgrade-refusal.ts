/** Refuses an upgrade to WebSocket: HTTP responses, with the body that every error has. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Fault } from "../../protocol/fault.js";

export function refuseUpgrade(socket: Duplex, fault: Fault): void {
  const body = JSON.stringify(fault.toBody());
  const retryAfter = fault.details?.["retry_after_s"];
  socket.once("finish", () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      ...(fault.code === "unauthorized" ? ["www-authenticate: Bearer"] : []),
      ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
