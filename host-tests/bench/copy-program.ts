/**
 * A console whose `POST /api/ota/upload` copies the body into the other slot unverified: the baseline for the cost of
 * verification. The rest of the upload path is the real console's.
 */

import Serial from "embedded:io/serial";
import Listener from "embedded:io/socket/listener";
import Socket from "embedded:io/socket/tcp";
import base64 from "base64";
import Crc32 from "crc32";
import slots from "svc/firmware-slots";
import host from "svc/host";
import memory from "svc/memory";
import retained from "svc/retained-memory";
import sandbox from "svc/sandbox";
import system from "svc/system";
import timer from "timer";
import { parameterNames } from "../../device/services/api/call.js";
import { Dispatcher } from "../../device/services/api/dispatcher.js";
import type { Endpoint, Services } from "../../device/services/api/endpoint.js";
import { routesOf } from "../../device/services/api/routes.js";
import { HttpCodec } from "../../device/services/http/http-codec.js";
import { HttpServer } from "../../device/services/http/http-server.js";
import { BearerAuthenticator, RequestGuard } from "../../device/services/http/request-guard.js";
import { LOG_BUFFER_BYTES } from "../../device/services/logs/log-line.js";
import { LogService } from "../../device/services/logs/log-service.js";
import { Restart } from "../../device/services/restart/restart.js";
import { CHUNK_PARAMETERS, type UploadTarget } from "../../device/services/upload/upload-phase.js";
import { Uploads } from "../../device/services/upload/uploads.js";
import { UsbService } from "../../device/services/usb/usb-service.js";

export default function main(): void {
  const clock = system;
  const buffer = memory.allocate(LOG_BUFFER_BYTES).bytes;
  const log = new LogService({ clock, retained, buffer, level: "info", echo: trace });
  const uploads = new Uploads({ timer, clock, Crc32, memory, log: log.loggerFor("upload") });
  const copying: UploadTarget = { limitBytes: slots.capacityBytes, begin: () => copy() };
  const endpoints: readonly Endpoint[] = [
    {
      method: "POST",
      right: "manage",
      path: "/api/ota/upload",
      summary: "",
      answer: "STATUS",
      parameters: CHUNK_PARAMETERS,
      receive: (_, call) => uploads.receive(call, copying),
    },
  ];
  const restart = new Restart(system, log.loggerFor("boot"));
  const api = new Dispatcher(routesOf(endpoints), { restart } as Services, log.loggerFor("api"));
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
    memory,
    codec: new HttpCodec(sandbox, memory),
    address: "127.0.0.1",
    guard: new RequestGuard({ api, bearer, rules: { allowedOrigins: [] } }),
    log: log.loggerFor("http"),
    port: host.httpPort ?? 0,
  });
  system.ready({ name: "Console-COPY", httpPort: http.port, wsPort: 0 });
}

function copy() {
  const updater = slots.open();
  return {
    write: (bytes: Uint8Array) => updater.write(bytes),
    end: () => {
      updater.complete();
      return { status: 200, body: null };
    },
    abort: () => updater.close(),
  };
}
