/** Why the hub ends a push channel: close codes of RFC 6455 §7.4.1, of its registry, and our own from 4000. */
import { REPLACED_CLOSE_CODE } from "../../protocol/hub/push-messages.js";

export const CloseCode = Object.freeze({
  /** This process ends; others are there. */
  goingAway: 1001,
  /** What the device says is no message of ours, again and again, or there is too much of it. */
  policyViolation: 1008,
  /** What was said could not be kept: say it again over another connection. */
  tryAgainLater: 1013,
  /** The device has connected anew. */
  replaced: REPLACED_CLOSE_CODE,
});
