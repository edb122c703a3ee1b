/** Requests as a session sends them, shorter to write. */

/**
 * A head of HTTP/1.1 with its empty line.
 * @param request method and target
 * @param fieldLines after the Host
 */
export function head(request: string, ...fieldLines: readonly string[]): string {
  return [`${request} HTTP/1.1`, "Host: localhost", ...fieldLines, "", ""].join("\r\n");
}

/**
 * A line over USB.
 * @param request method and path
 * @param members further ones of the request, parameters among them
 */
export function line(id: number, request: string, members: Readonly<Record<string, unknown>> = {}): string {
  const [method, path] = request.split(" ");
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, path, ...members })}\n`;
}
