/** Every way in which a client gets an app onto a console. */
import type { Console } from "./simulator.js";
import { type Reply, sendInHttpChunks, sendOverHttp, sendOverUsb } from "./upload-clients.js";
import type { UsbClient } from "./usb-client.js";

export interface Upload {
  readonly file: Uint8Array;
  readonly signature?: string;
  readonly name?: string;
}

const path = "/api/apps/install";

/** One request with the whole file as its body; the signature is in its header. */
export function installOverHttp(
  console: Pick<Console, "http">,
  { file, signature, name }: Upload,
): Promise<Reply> {
  const headers = present({ "x-svc-signature": signature });
  return sendOverHttp(console, { path, file, parameters: present({ name }), headers });
}

/** One request a chunk, until all are there or one is refused; the last answer. */
export function installInHttpChunks(
  console: Pick<Console, "http">,
  { file, signature, name }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  return sendInHttpChunks(console, { path, file, parameters: present({ name, signature }) }, chunkBytes);
}

/** One line a chunk; the signature comes with the last. */
export function installOverUsb(
  usb: UsbClient,
  { file, signature, name }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  const parameters = present({ name });
  return sendOverUsb(usb, { path, file, parameters, lastParameters: present({ signature }) }, chunkBytes);
}

/** Those that are given. */
function present(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}
