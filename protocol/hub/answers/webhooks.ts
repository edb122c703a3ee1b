/** What the hub answers about webhooks (docs/spec/hub-api.md#webhooks). */
import {
  extended,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Shaped,
  text,
  time,
  truth,
} from "../../schema.js";
import { NEXT } from "./paged-list.js";

/** The events that an account can have sent. */
export const EVENT_TYPES = Object.freeze([
  ...(["command.succeeded", "command.failed", "command.expired"] as const),
  ...(["rollout.step", "rollout.completed", "rollout.stopped"] as const),
  ...(["device.claimed", "device.released"] as const),
] as const);
export type EventType = (typeof EVENT_TYPES)[number];

export const WEBHOOK = object(
  {
    webhook_id: text(),
    url: text(),
    events: listOf(oneOf(EVENT_TYPES)),
    enabled: truth("`false` once the hub has disabled it"),
    failing_since: optional(time()),
    disabled_at: optional(time()),
    dropped: integer("Events that found the account's queue full"),
    created_at: time(),
  },
  { title: "Webhook" },
);
export type Webhook = Shaped<typeof WEBHOOK>;
export const WEBHOOKS = object({ webhooks: listOf(WEBHOOK) });
export const NEW_WEBHOOK = extended(WEBHOOK, {
  secret: text("`whsec_…`; returned only once"),
});

export const TEST = object({ delivery_id: text() });

const DELIVERY = object(
  {
    delivery_id: text("The `webhook-id` of each attempt"),
    event: text(),
    state: oneOf(["pending", "delivered", "failed"]),
    attempts: integer(),
    status: optional(integer("Of the last answer")),
    error: optional(
      oneOf(
        ["address_refused", "connection_failed", "certificate_invalid", "timeout", "webhook_disabled"],
        "Why the last attempt got no answer",
      ),
    ),
    next_attempt_at: optional(time()),
    created_at: time(),
    updated_at: time(),
    body: text("As it is sent"),
  },
  { title: "WebhookDelivery" },
);
export type Delivery = Shaped<typeof DELIVERY>;
export const DELIVERIES = object({ next: NEXT, deliveries: listOf(DELIVERY) });
