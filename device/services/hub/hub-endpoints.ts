/** `GET` and `POST /api/hub` (section 2 of the decisions). */
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

export function showHub({ hub }: Services, { request }: Call): JsonAnswer {
  return { status: 200, body: hub.status({ withClaimCode: request.transport === "usb" }) };
}

/** @throws {Fault} `bad_parameter`, `storage_full` */
export function setHub(services: Services, call: Call): JsonAnswer {
  services.hub.set(call.parameters.text("url") ?? "");
  return showHub(services, call);
}
