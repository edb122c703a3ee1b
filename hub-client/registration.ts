/** Makes a console known to its hub (section 13 of the decisions, `POST /devices/register`). */
import type { HubAddress } from "../protocol/hub/hub-address.js";
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
  readonly deviceId: string;
  /** What an account takes the console with; left out once one has. */
  readonly claimCode?: string;
}

/**
 * Doing it again changes nothing at the hub but the name and the version.
 * @throws {Fault} `hub_unreachable`, `hub_refused`, or what the hub says: `token_bound`, `binding_invalid`,
 *   `too_many_attempts` …
 */
export function register(
  _ports: HubClientPorts,
  _address: HubAddress,
  _identity: ConsoleIdentity,
): Promise<Registration> {
  throw new Error("not built");
}
