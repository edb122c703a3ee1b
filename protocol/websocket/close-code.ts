/** Why a WebSocket ends (RFC 6455 §7.4), and the payload of a Close frame. */
import { FrameError } from "./frame-error.js";
import { Utf8Checker } from "./utf8-checker.js";

export const GOING_AWAY = 1001;
export const PROTOCOL_ERROR = 1002;
export const INVALID_TEXT = 1007;
export const MESSAGE_TOO_BIG = 1009;
export const INTERNAL_ERROR = 1011;

const CODE_BYTES = 2;

/**
 * The code in the payload of a Close frame, `undefined` where it is empty (RFC 6455 §5.5.1).
 * @throws {FrameError} 1002 for half a code or one that may not be sent, 1007 for a reason that is not UTF-8
 */
export function readCloseCode(payload: Uint8Array): number | undefined {
  if (payload.length === 0) return undefined;
  if (payload.length < CODE_BYTES)
    throw new FrameError(PROTOCOL_ERROR, "A close code takes two bytes, not one");
  const code = ((payload[0] as number) << 8) | (payload[1] as number);
  if (!isSendable(code)) throw new FrameError(PROTOCOL_ERROR, `Close code ${code} may not be sent`);
  const reason = new Utf8Checker();
  if (!reason.push(payload.subarray(CODE_BYTES)) || !reason.isComplete)
    throw new FrameError(INVALID_TEXT, "The reason of a Close frame is not UTF-8");
  return code;
}

/**
 * RFC 6455 §7.4: what an endpoint may send. 1004 has no meaning, 1005, 1006 and 1015 are for reports
 * within a program (§7.4.1), 1012 to 1014 are in IANA's registry, and from 3000 on codes belong to
 * libraries and applications (§7.4.2).
 */
function isSendable(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}
