/** Why the hub ends a push channel: close codes of RFC 6455 §7.4.1, of its registry, and our own from 4000. */
import { REPLACED_CLOSE_CODE } from "../../protocol/hub/push-messages.js";

export const CloseCode = Object.freeze({
  /** This process ends; others are there. */
  goingAway: 1001,
  /** The device repeatedly sends invalid messages, or too many. */
  policyViolation: 1008,
  /** The hub could not store the device's messages: send them again over another connection. */
  tryAgainLater: 1013,
  /** The device has connected anew. */
  replaced: REPLACED_CLOSE_CODE,
});
