/** `/api/wifi`, over USB alone: the user with the cable owns the console, and a new console has no network. */
import { Fault } from "../../../protocol/fault.js";
import type { Call, Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";

type Needed = Pick<Services, "wifi">;

export function showWifi({ wifi }: Needed): JsonAnswer {
  return { status: 200, body: wifi.status() };
}

/** @throws {Fault} `wifi_busy` */
export async function scanWifi({ wifi }: Needed): Promise<JsonAnswer> {
  return { status: 200, body: { networks: await wifi.scan() } };
}

/** @throws {Fault} `missing_parameter`, `bad_parameter`, `storage_full` */
export function provisionWifi({ wifi }: Needed, { parameters }: Call): JsonAnswer {
  const ssid = parameters.text("ssid");
  const password = parameters.text("password");
  if (parameters.flag("forget")) {
    if (ssid !== undefined || password !== undefined)
      throw new Fault("bad_parameter", 'Parameter "forget" takes "true" without "ssid" and "password" only');
    wifi.forget();
  } else {
    if (ssid === undefined) throw new Fault("missing_parameter", 'Parameter "ssid" is missing');
    wifi.provision(ssid, password ?? "");
  }
  return { status: 200, body: wifi.status() };
}
