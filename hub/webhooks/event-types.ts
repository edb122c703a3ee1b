/** The one table of events that an account can have sent to its webhooks (docs/spec/hub-api.md#webhook-events). */
import type { EventType } from "../../protocol/hub/answers/webhooks.js";

/** Meanings of the events by their types. */
export const EVENTS: Readonly<Record<EventType, string>> = Object.freeze({
  "command.succeeded": "A console has executed a command.",
  "command.failed": "A console has failed to execute a command, with `error`.",
  "command.expired": "A command had no result in its time.",
  "rollout.step": "A rollout has begun its next step.",
  "rollout.completed": "Every console of a rollout has ended.",
  "rollout.stopped": "The hub has stopped a rollout, for `reason`.",
  "device.claimed": "The account has claimed a console.",
  "device.released": "A console is no longer the account's: it was released, or its record ended.",
});

/** The type of a test delivery, which every webhook gets. */
export const TEST_EVENT = "webhook.test";
