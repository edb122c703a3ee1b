/** Body of `GET /api/wifi`. */
import type { NetworkInterface } from "../../ports/network.js";
import type { Join, JoinFailure } from "./join-phase.js";

export type WifiStatus = {
  readonly state: Join["phase"];
  /** The network that is joined or to be joined. */
  readonly ssid?: string;
  /** `""` while no network is joined, and where it gives none. */
  readonly ip: string;
  /** In dBm; 0 while no network is joined. */
  readonly rssi: number;
  /** Why the network could not be joined or was lost; left out once it is joined. */
  readonly last_error?: { readonly reason: JoinFailure; readonly message: string };
};

/** What each reason says to a person. */
const MESSAGE: Readonly<Record<JoinFailure, string>> = Object.freeze({
  not_found: "No access point of this name answers",
  wrong_password: "The access point did not accept the password",
  refused: "The access point refused the console",
  lost: "The connection to the access point was lost",
  no_address: "The network gave no address",
  timeout: "The access point took too long to answer",
});

export function failureMessage(failure: JoinFailure): string {
  return MESSAGE[failure];
}

export function wifiStatus(join: Join, { address, rssi }: NetworkInterface): WifiStatus {
  const isJoined = join.phase === "joined";
  return {
    state: join.phase,
    ...(join.phase !== "unprovisioned" && { ssid: join.ssid }),
    ip: isJoined ? address : "",
    rssi: isJoined ? rssi : 0,
    ...lastError(join),
  };
}

function lastError(join: Join): Pick<WifiStatus, "last_error"> {
  if (join.phase !== "joining" && join.phase !== "waiting") return {};
  const { failure } = join;
  return failure ? { last_error: { reason: failure, message: MESSAGE[failure] } } : {};
}
