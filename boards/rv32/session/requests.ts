/** Requests in the format of a console's clients: an HTTP head, a line over USB, a WebSocket frame. */

/** Any four bytes; fixed, so that frames are the same each time. */
const MASKING_KEY = Uint8Array.of(0x12, 0x34, 0x56, 0x78);
const FINAL_BIT = 0x80;
const MASK_BIT = 0x80;
const CLOSE = 8;

/** The request of RFC 6455 §1.3. */
const UPGRADE = Object.freeze([
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
]);

/**
 * In the style of browsers and curl: few fields, and a persistent connection.
 * @param request method and target
 * @param fields further lines of the head
 */
export function httpRequest(request: string, body?: Uint8Array, fields: readonly string[] = []): Buffer {
  const length = body ? [`Content-Length: ${body.length}`] : [];
  const lines = [`${request} HTTP/1.1`, "Host: 192.0.2.10:8080", "Accept: */*", ...length, ...fields];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

export function upgradeRequest(): Buffer {
  return httpRequest("GET /ws", undefined, UPGRADE);
}

/**
 * @param request method and path
 * @param members further members, such as parameters
 */
export function usbLine(
  id: number,
  request: string,
  members: Readonly<Record<string, unknown>> = {},
): Buffer {
  const [method, path] = request.split(" ");
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, path, ...members })}\n`);
}

/** A close frame (RFC 6455 §5.5.1). */
export function closeFrame(code: number): Buffer {
  const payload = Uint8Array.of(code >> 8, code & 0xff);
  const hidden = payload.map((byte, at) => byte ^ (MASKING_KEY[at & 3] as number));
  return Buffer.concat([Uint8Array.of(FINAL_BIT | CLOSE, MASK_BIT | payload.length), MASKING_KEY, hidden]);
}
