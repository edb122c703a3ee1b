/** The answer to a request that gets no WebSocket; the connection ends with it. */
import { Fault } from "../../../protocol/fault.js";
import type { Encoder } from "../../../protocol/http/text.js";
import { VERSION } from "../../../protocol/websocket/accept-key.js";
import { refusal as refusalOf } from "../http/response-head.js";
import type { Logger } from "../logs/log.js";

const ALLOW_LINE = "allow: GET\r\n";

/** RFC 9110 §15.5.22 wants Upgrade in 426, §7.8 the connection option with it, RFC 6455 §4.4 the version. */
const UPGRADE_LINES = `upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: ${VERSION}\r\n`;

/** @param omitsBody whether HEAD was asked */
export function refusal(fault: Fault, encoder: Pick<Encoder, "encode">, omitsBody: boolean): Uint8Array {
  return refusalOf(fault, encoder, fieldLines(fault), omitsBody);
}

/** The fault to answer with: `error` itself, or, for a bug of ours, one that keeps quiet about it. */
export function asFault(error: unknown, log: Logger): Fault {
  if (error instanceof Fault) return error;
  log.error(String(error));
  return new Fault("internal_error", "The request could not be answered");
}

function fieldLines({ code }: Fault): string {
  if (code === "method_not_allowed") return ALLOW_LINE;
  return code === "upgrade_required" ? UPGRADE_LINES : "";
}
