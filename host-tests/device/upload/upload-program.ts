/**
 * A console that takes files and nothing else, over HTTP and USB as the real one does: `POST /api/apps/install`
 * stores a file and tells its SHA-256 and the signature that came with it, `POST /api/ota/upload` is a second target, `GET /api/status` says how
 * much memory and storage there is.
 */

import Serial from "embedded:io/serial";
import Listener from "embedded:io/socket/listener";
import Socket from "embedded:io/socket/tcp";
import files from "embedded:storage/files";
import base64 from "base64";
import Crc32 from "crc32";
import { Digest } from "crypt";
import host from "svc/host";
import memory from "svc/memory";
import retained from "svc/retained-memory";
import sandbox from "svc/sandbox";
import system from "svc/system";
import timer from "timer";
import type { File } from "../../../device/ports/files.js";
import { type Call, parameterNames } from "../../../device/services/api/call.js";
import { Dispatcher } from "../../../device/services/api/dispatcher.js";
import type { Endpoint, Services } from "../../../device/services/api/endpoint.js";
import type { Exchange } from "../../../device/services/api/request.js";
import { routesOf } from "../../../device/services/api/routes.js";
import { HttpCodec } from "../../../device/services/http/http-codec.js";
import { HttpServer } from "../../../device/services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "../../../device/services/http/request-guard.js";
import { LogService } from "../../../device/services/logs/log-service.js";
import { Restart } from "../../../device/services/restart/restart.js";
import {
  UPLOAD_PARAMETERS,
  type UploadFacts,
  type UploadSink,
  type UploadTarget,
} from "../../../device/services/upload/upload-phase.js";
import { Uploads } from "../../../device/services/upload/uploads.js";
import { UsbService } from "../../../device/services/usb/usb-service.js";
import { hexOf } from "../../contracts/assert.js";

const LIMIT_BYTES = 1024 * 1024;
const LOG_BYTES = 4096;

/** A file as it comes, stored and digested. */
class StoredFile implements UploadSink {
  readonly #path: string;
  readonly #file: File;
  readonly #digest = new Digest("SHA256");
  #byteLength = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = files.openFile({ path, mode: "w" });
  }

  write(bytes: Uint8Array): void {
    this.#file.write(bytes, this.#byteLength);
    this.#digest.write(bytes);
    this.#byteLength += bytes.length;
  }

  end({ signature }: UploadFacts) {
    this.abort();
    const sha256 = hexOf(new Uint8Array(this.#digest.close()));
    return { status: 200, body: { sha256, size_bytes: this.#byteLength, signature: signature ?? null } };
  }

  abort(): void {
    this.#file.close();
    files.delete(this.#path);
  }
}

export default function main(): void {
  const clock = system;
  const buffer = new Uint8Array(LOG_BYTES);
  const log = new LogService({ clock, retained, buffer, level: "debug", echo: trace });
  const uploads = new Uploads({ timer, clock, Crc32, memory, log: log.loggerFor("upload") });
  const apps: UploadTarget = { limitBytes: LIMIT_BYTES, begin: () => new StoredFile("app") };
  const firmware: UploadTarget = { limitBytes: LIMIT_BYTES, begin: () => new StoredFile("firmware") };
  const endpoints: readonly Endpoint[] = [
    endpoint("/api/apps/install", (call) => uploads.receive(call, apps)),
    endpoint("/api/ota/upload", (call) => uploads.receive(call, firmware)),
    {
      method: "GET",
      path: "/api/status",
      right: "read",
      summary: "",
      answer: "STATUS",
      handle: () => {
        const { freeBytes, minimumFreeBytes } = system.heap();
        return {
          status: 200,
          body: { free: freeBytes, minimumFree: minimumFreeBytes, storage: system.storage().freeBytes },
        };
      },
    },
  ];
  const restart = new Restart(system, log.loggerFor("boot"));
  const api = new Dispatcher(routesOf(endpoints), { restart } as unknown as Services, log.loggerFor("api"));
  new UsbService({
    api,
    log,
    timer,
    clock,
    base64,
    sandbox,
    serial: Serial,
    parameterNames: parameterNames(endpoints),
    status: () => null,
    onDisconnect: () => uploads.disconnected("usb"),
  });
  const bearer = new BearerAuthenticator({ isRequired: false, token: { value: "" }, clock });
  const http = new HttpServer({
    tcp: { Socket, Listener },
    api,
    timer,
    clock,
    codec: new HttpCodec(sandbox),
    guard: new RequestGuard({ api, bearer, rules: { allowedOrigins: [] } }),
    address: "127.0.0.1",
    log: log.loggerFor("http"),
    port: host.httpPort ?? 0,
  });
  system.ready({ name: "Console-TEST", httpPort: http.port, wsPort: 0 });
}

function endpoint(path: string, receive: (call: Call) => Exchange) {
  const texts = { summary: "", answer: "STATUS" } as const;
  return {
    ...texts,
    method: "POST" as const,
    right: "manage" as const,
    path,
    parameters: UPLOAD_PARAMETERS,
    receive: (_: Services, call: Call) => receive(call),
  };
}
