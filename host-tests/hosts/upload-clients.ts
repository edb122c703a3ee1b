/** Uploads a file over each transport, for any endpoint that takes one. */
import { askHttp, type HttpAnswer } from "./http-client.js";
import type { Console } from "./simulator.js";
import type { UsbClient } from "./usb-client.js";

type Texts = Readonly<Record<string, string>>;

export interface FileUpload {
  /** Path of the endpoint. */
  readonly path: string;
  readonly file: Uint8Array;
  /** Parameters of every request of the upload. */
  readonly parameters?: Texts;
  /** Additional parameters of the last chunk. */
  readonly lastParameters?: Texts;
  /** Headers of an upload in one request. */
  readonly headers?: Texts;
}

export type Reply = Pick<HttpAnswer, "status" | "body">;

/** Sends one request whose body is the whole file. */
export function sendOverHttp(
  { http }: Pick<Console, "http">,
  { path, file, parameters = {}, headers = {} }: FileUpload,
): Promise<Reply> {
  return askHttp(addressOf(http, path, parameters), { method: "POST", body: file, headers });
}

/** Sends one request per chunk, until all chunks are sent or one is rejected. @returns the last answer */
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

/** Sends one line per chunk, until all chunks are sent or one is rejected. @returns the last answer */
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
