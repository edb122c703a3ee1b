/** A request that reports its upload progress and closes its connection when it is aborted: XMLHttpRequest. */
import { DeviceError } from "../../device-client/device-error.js";
import type { HttpRequest, HttpResponse } from "../../device-client/host-ports.js";
import { mediaTypeOf } from "./media-type.js";

/**
 * @throws {DeviceError} `cancelled`, `device_timeout`, `device_lost` once bytes had left; else a `TypeError` as `fetch` does
 */
export function sendWithProgress(request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    let sentBytes = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const giveUp = (error: DeviceError) => {
      reject(error);
      xhr.abort();
    };
    const onCancel = () => giveUp(new DeviceError("cancelled", "The upload was cancelled"));
    const waitAnew = () => {
      clearTimeout(timer);
      timer = setTimeout(() => giveUp(timeoutOf(request)), request.timeoutMs);
    };
    xhr.upload.onprogress = ({ loaded }) => {
      waitAnew();
      sentBytes = loaded;
      request.onProgress?.(loaded);
    };
    xhr.onload = () => resolve(responseOf(xhr));
    xhr.onerror = () => reject(sentBytes > 0 ? lostAfter(sentBytes) : new TypeError("The request failed"));
    xhr.onloadend = () => {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", onCancel);
    };
    request.signal?.addEventListener("abort", onCancel);
    if (request.signal?.aborted) return onCancel();
    waitAnew();
    open(xhr, request);
  });
}

function open(xhr: XMLHttpRequest, { method, url, headers, body }: HttpRequest): void {
  xhr.open(method, url);
  xhr.responseType = "arraybuffer";
  for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
  xhr.send(body as Uint8Array<ArrayBuffer>);
}

function responseOf(xhr: XMLHttpRequest): HttpResponse {
  return {
    status: xhr.status,
    mediaType: mediaTypeOf(xhr.getResponseHeader("content-type")),
    bytes: new Uint8Array(xhr.response as ArrayBuffer),
  };
}

function timeoutOf({ timeoutMs }: HttpRequest): DeviceError {
  const seconds = Math.round(timeoutMs / 1000);
  return new DeviceError(
    "device_timeout",
    `The console has received nothing and not answered for ${seconds} s`,
  );
}

function lostAfter(bytes: number): DeviceError {
  return new DeviceError("device_lost", `The connection was lost after ${bytes} bytes of the file`);
}
