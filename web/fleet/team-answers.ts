/** The parts of the hub's responses about teams and webhooks that the pages read, as in `web/hub/hub-answers.ts`. */
import { count, listOf, object, oneOf, optional, type Shape, text, truth } from "../hub/hub-answers.js";
import { textOrNull } from "./fleet-answers.js";

type Shaped<Check> = Check extends Shape<infer Value> ? Value : never;

const MEMBER_MEMBERS = {
  member_id: text,
  name: text,
  role: text,
  email: optional(text),
  identity: optional(object({ issuer: text, subject: text })),
};
export const MEMBER = object(MEMBER_MEMBERS);
export type Member = Shaped<typeof MEMBER>;
export const MEMBERS = object({ members: listOf(MEMBER) });
/** Without `token` for a member who was invited. */
export const ADDED_MEMBER = object({ ...MEMBER_MEMBERS, token: optional(text) });
export type AddedMember = Shaped<typeof ADDED_MEMBER>;
export const NEW_TOKEN = object({ token: text });

const PROGRAM = object({ token_id: text, name: text, scopes: listOf(text), expires_at: textOrNull });
export type Program = Shaped<typeof PROGRAM>;
export const PROGRAMS = object({ tokens: listOf(PROGRAM) });

const AUDIT_ENTRY = object({
  at: text,
  actor: text,
  actor_name: optional(text),
  via: optional(text),
  action: text,
  names: (value: unknown): value is Readonly<Record<string, string>> =>
    typeof value === "object" && value !== null && Object.values(value).every(text),
  address: text,
  status: count,
});
export type AuditEntry = Shaped<typeof AUDIT_ENTRY>;
export const AUDIT = object({ next: optional(text), entries: listOf(AUDIT_ENTRY) });

export const WEBHOOK = object({
  webhook_id: text,
  url: text,
  events: listOf(text),
  enabled: truth,
  failing_since: optional(text),
  disabled_at: optional(text),
  dropped: count,
});
export type Webhook = Shaped<typeof WEBHOOK>;
export const WEBHOOKS = object({ webhooks: listOf(WEBHOOK) });
export const TEST = object({ delivery_id: text });
export const NEW_SECRET = object({ webhook_id: text, secret: text });

const DELIVERY = object({
  delivery_id: text,
  event: text,
  state: oneOf("pending", "delivered", "failed"),
  attempts: count,
  status: optional(count),
  error: optional(text),
  next_attempt_at: optional(text),
  created_at: text,
});
export type Delivery = Shaped<typeof DELIVERY>;
export const DELIVERIES = object({ next: optional(text), deliveries: listOf(DELIVERY) });
