/** `GET /api/status`, `GET /api/system` and `POST /api/reboot`. */
import type { Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";
import { systemInfo } from "./system-info.js";

export function showStatus({ status }: Services): JsonAnswer {
  return { status: 200, body: status.current() };
}

export function showSystem(services: Services): JsonAnswer {
  return { status: 200, body: systemInfo(services) };
}

export function reboot({ restart }: Services): JsonAnswer {
  return restart.after({ status: 200, body: { rebooting: true } });
}
