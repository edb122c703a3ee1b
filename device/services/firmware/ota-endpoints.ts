/** `GET /api/ota/status` and `POST /api/ota/confirm`. */
import type { Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

export function showOtaStatus({ ota }: Services): JsonAnswer {
  return { status: 200, body: ota.status() };
}

/** @throws {Fault} `nothing_pending`, `storage_full` */
export function confirmFirmware({ ota }: Services): JsonAnswer {
  ota.confirm();
  return { status: 200, body: ota.status() };
}
