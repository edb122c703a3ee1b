/** Parses the messages that the console sends over USB, one per line (docs/spec/usb.md#answer). */

export type UsbMessage =
  /** `id` is null if the console could not read the request's id. */
  | { readonly kind: "answer"; readonly id: number | null; readonly status: number; readonly body: unknown }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "status"; readonly status: unknown }
  /** A request, which no console sends: the port echoes its input. */
  | { readonly kind: "echo"; readonly id: number };

const START = '{"jsonrpc"';

/**
 * Parses a line, or else the message at its end: the port may have been opened, or left by its previous host, in the
 * middle of a line.
 * @returns `undefined` if the line holds no message
 */
export function readMessage(line: string): UsbMessage | undefined {
  const message = messageOf(parse(line));
  if (message) return message;
  const start = line.lastIndexOf(START);
  return start > 0 ? messageOf(parse(line.slice(start))) : undefined;
}

/** @returns `undefined`, which is no JSON value, for invalid JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // boot loader output, or half a line
  }
}

function messageOf(value: unknown): UsbMessage | undefined {
  const { id, status, body, event, data, method } = Object(value);
  if (isId(id) && typeof status === "number") return { kind: "answer", id, status, body };
  if (event === "log" && typeof data === "string") return { kind: "log", line: data };
  if (event === "status") return { kind: "status", status: data };
  if (typeof method === "string" && typeof id === "number") return { kind: "echo", id };
  return undefined;
}

function isId(id: unknown): id is number | null {
  return id === null || typeof id === "number";
}
