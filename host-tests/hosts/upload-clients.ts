/** Every way in which a client gets a file onto a console, whatever file and endpoint it is. */
import { askHttp, type HttpAnswer } from "./http-client.js";
import type { Console } from "./simulator.js";
import type { UsbClient } from "./usb-client.js";

type Texts = Readonly<Record<string, string>>;

export interface FileUpload {
  /** Of the endpoint. */
  readonly path: string;
  readonly file: Uint8Array;
  /** Of every request of the upload. */
  readonly parameters?: Texts;
  /** Of its last chunk alone. */
  readonly lastParameters?: Texts;
  /** Of the one request. */
  readonly headers?: Texts;
}

export type Reply = Pick<HttpAnswer, "status" | "body">;

/** One request with the whole file as its body. */
export function sendOverHttp(
  { http }: Pick<Console, "http">,
  { path, file, parameters = {}, headers = {} }: FileUpload,
): Promise<Reply> {
  return askHttp(addressOf(http, path, parameters), { method: "POST", body: file, headers });
}

/** One request a chunk, until all are there or one is refused; the last answer. */
export function sendInHttpChunks(
  { http }: Pick<Console, "http">,
  { path, file, parameters = {}, lastParameters = {} }: FileUpload,
  chunkBytes: number,
): Promise<Reply> {
  return inChunks(file, chunkBytes, (chunk, total, bytes) => {
    const query = {
      chunk: `${chunk}`,
      total: `${total}`,
      ...parameters,
      ...(chunk === total && lastParameters),
    };
    return askHttp(addressOf(http, path, query), { method: "POST", body: bytes });
  });
}

/** One line a chunk, until all are there or one is refused; the last answer. */
export function sendOverUsb(
  usb: UsbClient,
  { path, file, parameters = {}, lastParameters = {} }: FileUpload,
  chunkBytes: number,
): Promise<Reply> {
  return inChunks(file, chunkBytes, (chunk, total, bytes) => {
    const params = { ...parameters, ...(chunk === total && lastParameters) };
    const data = Buffer.from(bytes).toString("base64");
    return usb.request("POST", path, params, { chunk, total, data });
  });
}

function addressOf(http: string, path: string, parameters: Texts): string {
  const query = new URLSearchParams(parameters).toString();
  return query === "" ? http + path : `${http}${path}?${query}`;
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
