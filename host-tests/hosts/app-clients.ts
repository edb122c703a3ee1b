/** Every way in which a client gets an app onto a console. */
import { askHttp, type HttpAnswer } from "./http-client.js";
import type { Console } from "./simulator.js";
import type { UsbClient } from "./usb-client.js";

export interface Upload {
  readonly file: Uint8Array;
  readonly signature?: string;
  readonly name?: string;
}

type Reply = Pick<HttpAnswer, "status" | "body">;

/** One request with the whole file as its body. */
export function installOverHttp(
  { http }: Pick<Console, "http">,
  { file, signature, name }: Upload,
): Promise<Reply> {
  const query = name === undefined ? "" : `?name=${encodeURIComponent(name)}`;
  return askHttp(`${http}/api/apps/install${query}`, {
    method: "POST",
    body: file,
    ...(signature !== undefined && { headers: { "x-svc-signature": signature } }),
  });
}

/** One request a chunk, until all are there or one is refused; the last answer. */
export function installInHttpChunks(
  { http }: Pick<Console, "http">,
  { file, signature, name }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  const extra = { ...(name !== undefined && { name }), ...(signature !== undefined && { signature }) };
  return inChunks(file, chunkBytes, (chunk, total, bytes) => {
    const query = new URLSearchParams({ chunk: String(chunk), total: String(total), ...extra });
    return askHttp(`${http}/api/apps/install?${query}`, { method: "POST", body: bytes });
  });
}

/** One line a chunk; the signature comes with the last. */
export function installOverUsb(
  usb: UsbClient,
  { file, signature, name }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  return inChunks(file, chunkBytes, (chunk, total, bytes) => {
    const isLast = chunk === total;
    const params = {
      ...(name !== undefined && { name }),
      ...(isLast && signature !== undefined && { signature }),
    };
    const data = Buffer.from(bytes).toString("base64");
    return usb.request("POST", "/api/apps/install", params, { chunk, total, data });
  });
}

async function inChunks(
  file: Uint8Array,
  chunkBytes: number,
  send: (chunk: number, total: number, bytes: Uint8Array) => Promise<Reply>,
): Promise<Reply> {
  const total = Math.ceil(file.length / chunkBytes);
  for (let chunk = 1; ; chunk++) {
    const answer = await send(chunk, total, file.subarray((chunk - 1) * chunkBytes, chunk * chunkBytes));
    if (chunk === total || answer.status !== 206) return answer;
  }
}
