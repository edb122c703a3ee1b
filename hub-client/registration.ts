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
  /** The hub takes the token of the push channel in `Authorization`, where no log of a proxy has it. */
  readonly takesBearer?: true;
}

const NAMES = Object.freeze(["device_token", "device_id", "claim_code"]);
/** They are shown on terminals and displays. */
const PLAIN = /^[!-~]{1,64}$/;

/** Of a hub that takes the token of the push channel in `Authorization` (docs/spec/hub-push.md#channel-bearer). */
const PUSH_FIELD = "x-svc-push";
const BEARER = "bearer";

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
    this.finished = this.#call.finished.then(({ fields, body: answer }) => ({
      ...readRegistration(answer, identity.deviceToken),
      ...(fields.list(PUSH_FIELD) === BEARER && { takesBearer: true }),
    }));
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
  if (!isTokenAlone && !isPlainId(deviceId)) throw notARegistration();
  if (claimCode !== undefined && claimCode !== null && !isPlainId(claimCode)) throw notARegistration();
  return { ...(isPlainId(deviceId) && { deviceId }), ...(isPlainId(claimCode) && { claimCode }) };
}

/** Whether it is an id or code that a console keeps and shows. */
export function isPlainId(value: unknown): value is string {
  return typeof value === "string" && PLAIN.test(value);
}

function notARegistration(): Fault {
  return new Fault(
    "hub_refused",
    "The hub's answer to a registration has neither a device_id nor the device token",
  );
}
