/** `GET` and `POST /api/hub` (docs/spec/device-hub.md#set-hub). */
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

export function showHub({ hub }: Services, { request }: Call): JsonAnswer {
  return { status: 200, body: hub.status({ withClaimCode: request.transport === "usb" }) };
}

/** @throws {Fault} `bad_parameter`, `unauthorized`, `hub_unset`, `storage_full` */
export function setHub(services: Services, call: Call): JsonAnswer {
  const { parameters, request } = call;
  const isSameHub = parameters.flag("same_hub") ?? false;
  services.hub.set(parameters.text("url") ?? "", { isOwner: request.isOwner, isSameHub });
  return showHub(services, call);
}
