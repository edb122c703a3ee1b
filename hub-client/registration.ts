/** Registers a console with its hub (docs/spec/device-hub.md#registration-answer, `POST /devices/register`). */
import { Fault } from "../protocol/fault.js";
import { bindingOf } from "../protocol/hub/device-token.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { Json } from "../protocol/json.js";
import { JsonCall } from "./http-client.js";
import type { HubClientPorts } from "./ports.js";

/** What a console tells of itself. */
export interface ConsoleIdentity {
  readonly deviceToken: string;
  /** Upper-case octets with colons. */
  readonly mac: string;
  readonly name: string;
  readonly arch: string;
  readonly firmwareVersion: string;
}

export interface Registration {
  /** The hub's name for the console; a hub that answers with the device token alone has none. */
  readonly deviceId?: string;
  /** What an account takes the console with; left out once one has. */
  readonly claimCode?: string;
}

const NAMES = Object.freeze(["device_token", "device_id", "claim_code"]);
const TEXT_LIMIT_CHARACTERS = 64;

/**
 * Doing it again changes nothing at the hub but the name and the version.
 * @throws {Fault} `hub_unreachable`, `hub_refused`, or what the hub says: `token_bound`, `binding_invalid`,
 *   `too_many_attempts` …
 */
export function register(
  ports: HubClientPorts,
  address: HubAddress,
  identity: ConsoleIdentity,
): Promise<Registration> {
  return new RegistrationCall(ports, address, identity).finished;
}

/** The same for who may have to stop it. */
export class RegistrationCall {
  /** Settles as {@link register} does. */
  readonly finished: Promise<Registration>;
  readonly #call: JsonCall;

  /** Begins at once. */
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

  /** Stops it: `finished` fails unless it has settled. May be called twice. */
  close(): void {
    this.#call.close();
  }
}

function bodyOf({ deviceToken, mac, name, arch, firmwareVersion }: ConsoleIdentity, binding: string): Json {
  return { device_token: deviceToken, mac, binding, name, arch, firmware_version: firmwareVersion };
}

/** @param deviceToken that was sent: it is the console that makes it, so the hub has no other to give */
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
