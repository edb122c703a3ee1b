/** Body of `GET /api/wifi`. */
import type { WifiStatus } from "../../../protocol/device/answers.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { Join, JoinFailure } from "./join-phase.js";

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
