/** Registers a console with its hub (docs/spec/device-hub.md#registration-answer, `POST /devices/register`). */
import { Fault } from "../protocol/fault.js";
import { bindingOf } from "../protocol/hub/device-token.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { Json } from "../protocol/json.js";
import { JsonCall } from "./http-client.js";
import type { HubClientPorts } from "./ports.js";

/** What a console sends about itself. */
export interface ConsoleIdentity {
  readonly deviceToken: string;
  /** Upper-case octets with colons. */
  readonly mac: string;
  readonly name: string;
  readonly arch: string;
  readonly firmwareVersion: string;
}

export interface Registration {
  /** The hub's id for the console; missing if the hub answers with the device token alone. */
  readonly deviceId?: string;
  /** Lets an account claim the console; left out once claimed. */
  readonly claimCode?: string;
}

const NAMES = Object.freeze(["device_token", "device_id", "claim_code"]);
const TEXT_LIMIT_CHARACTERS = 64;

/**
 * Registers the console. A repeated registration changes only its name and version at the hub.
 * @throws {Fault} `hub_unreachable`, `hub_refused`, or the hub's own error: `token_bound`, `binding_invalid`,
 *   `too_many_attempts` …
 */
export function register(
  ports: HubClientPorts,
  address: HubAddress,
  identity: ConsoleIdentity,
): Promise<Registration> {
  return new RegistrationCall(ports, address, identity).finished;
}

/** Like {@link register}, for callers that need to cancel it. */
export class RegistrationCall {
  /** Settles as {@link register} does. */
  readonly finished: Promise<Registration>;
  readonly #call: JsonCall;

  /** Starts immediately. */
  constructor(ports: HubClientPorts, address: HubAddress, identity: ConsoleIdentity) {
    const body = bodyOf(identity, bindingOf(identity.deviceToken, identity.mac, ports.Digest));
    this.#call = new JsonCall(ports, {
      address,
      method: "POST",
      path: "/devices/register",
      body,
      names: NAMES,
    });
    this.finished = this.#call.finished.then((response) =>
      readRegistration(response.body, identity.deviceToken),
    );
  }

  /** Cancels the registration: `finished` rejects unless it has settled. May be called twice. */
  close(): void {
    this.#call.close();
  }
}

function bodyOf({ deviceToken, mac, name, arch, firmwareVersion }: ConsoleIdentity, binding: string): Json {
  return { device_token: deviceToken, mac, binding, name, arch, firmware_version: firmwareVersion };
}

/** @param deviceToken that was sent: the console makes it, so the hub must answer with the same */
function readRegistration(json: Json | undefined, deviceToken: string): Registration {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw notARegistration();
  const members = json as Readonly<Record<string, Json | undefined>>;
  const { device_id: deviceId, claim_code: claimCode } = members;
  const isTokenAlone = deviceId === undefined && members["device_token"] === deviceToken;
  if (!isTokenAlone && !isText(deviceId)) throw notARegistration();
  if (claimCode !== undefined && claimCode !== null && !isText(claimCode)) throw notARegistration();
  return { ...(isText(deviceId) && { deviceId }), ...(isText(claimCode) && { claimCode }) };
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= TEXT_LIMIT_CHARACTERS;
}

function notARegistration(): Fault {
  return new Fault(
    "hub_refused",
    "The hub's answer to a registration has neither a device_id nor the device token",
  );
}
