/** Requests as clients of a console write them: a head of HTTP, a line over USB, a frame of the WebSocket. */

/** Any four bytes do; the same ones each time make the same frame each time. */
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
 * As a browser or curl asks: few fields, and the connection is kept.
 *
 * @param {string} request method and target
 * @param {Uint8Array} [body]
 * @param {readonly string[]} [fields] further lines of the head
 * @returns {Buffer}
 */
export function httpRequest(request, body, fields = []) {
  const length = body ? [`Content-Length: ${body.length}`] : [];
  const lines = [`${request} HTTP/1.1`, "Host: 192.0.2.10:8080", "Accept: */*", ...length, ...fields];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

/** @returns {Buffer} */
export function upgradeRequest() {
  return httpRequest("GET /ws", undefined, UPGRADE);
}

/**
 * @param {number} id
 * @param {string} request method and path
 * @param {Readonly<Record<string, unknown>>} [members] further ones, parameters among them
 * @returns {Buffer}
 */
export function usbLine(id, request, members = {}) {
  const [method, path] = request.split(" ");
  return Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, path, ...members })}\n`);
}

/** Says goodbye (RFC 6455 §5.5.1). @param {number} code @returns {Buffer} */
export function closeFrame(code) {
  const payload = Uint8Array.of(code >> 8, code & 0xff);
  const hidden = payload.map((byte, at) => byte ^ /** @type {number} */ (MASKING_KEY[at & 3]));
  return Buffer.concat([Uint8Array.of(FINAL_BIT | CLOSE, MASK_BIT | payload.length), MASKING_KEY, hidden]);
}
