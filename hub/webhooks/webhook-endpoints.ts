/** Endpoints below `/account/webhooks`. */
import Type from "typebox";
import {
  DELIVERIES,
  type Delivery,
  EVENT_TYPES,
  NEW_WEBHOOK,
  TEST,
  WEBHOOK,
  WEBHOOKS,
  type Webhook,
} from "../../protocol/hub/answers/webhooks.js";
import { oneOf } from "../../protocol/schema.js";
import { isoTime, pageOf } from "../api/answers.js";
import { type Call, type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_MEMBERS } from "../api/keyset.js";
import { callerOf } from "../auth/authentication.js";
import type { Row } from "../database/schema.js";
import { EVENTS, TEST_EVENT } from "./event-types.js";
import { readEvents } from "./events.js";

const ROW = Object.freeze({ tag: "Webhooks", access: "account", scope: "webhooks" } as const);

const MEANINGS = EVENT_TYPES.map((type) => `\`${type}\`: ${EVENTS[type]}`).join(" ");
const EVENT_LIST = Type.Array(oneOf(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: MEANINGS,
});
const URL_TEXT = Type.String({ description: "`https://…`, of at most 2048 characters" });

const PATH = Type.Object({ webhook_id: Type.String() });

const ADD = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/webhooks",
  summary: "Have events of the account sent to an address.",
  body: Type.Object({ url: URL_TEXT, events: EVENT_LIST }),
  answers: { 201: NEW_WEBHOOK },
  faults: ["too_many_webhooks"],
  async handle({ webhooks }, { body, caller, reply }) {
    const { row, secret } = await webhooks.add(accountOf(caller), body.url, body.events);
    reply.code(201);
    return { ...webhookAnswer(row), secret };
  },
});

const LIST = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/webhooks",
  summary: "List the account's webhooks, without their secrets.",
  answers: { 200: WEBHOOKS },
  faults: [],
  handle: async ({ webhooks }, { caller }) => ({
    webhooks: (await webhooks.list(accountOf(caller))).map(webhookAnswer),
  }),
});

const CHANGE = endpoint({
  ...ROW,
  method: "PUT",
  path: "/account/webhooks/:webhook_id",
  summary: "Change a webhook, or enable one that the hub has disabled. Its secret stays.",
  parameters: PATH,
  body: Type.Object({
    url: Type.Optional(URL_TEXT),
    events: Type.Optional(EVENT_LIST),
    enabled: Type.Optional(Type.Literal(true)),
  }),
  answers: { 200: WEBHOOK },
  faults: ["webhook_not_found"],
  handle: async ({ webhooks }, { body, caller, parameters }) =>
    webhookAnswer(await webhooks.change(accountOf(caller), parameters.webhook_id, body)),
});

const RENEW_SECRET = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/webhooks/:webhook_id/secret",
  summary:
    "Replace the secret of a webhook. For a day, the previous one signs beside it; the new one is returned only once.",
  parameters: PATH,
  answers: { 201: NEW_WEBHOOK },
  faults: ["webhook_not_found"],
  async handle({ webhooks }, { caller, parameters, reply }) {
    const { row, secret } = await webhooks.renewSecret(accountOf(caller), parameters.webhook_id);
    reply.code(201);
    return { ...webhookAnswer(row), secret };
  },
});

const REMOVE = endpoint({
  ...ROW,
  method: "DELETE",
  path: "/account/webhooks/:webhook_id",
  summary: "Remove a webhook, with what it has not been sent yet.",
  parameters: PATH,
  answers: { 204: null },
  faults: ["webhook_not_found"],
  async handle({ webhooks }, { caller, parameters, reply }) {
    await webhooks.remove(accountOf(caller), parameters.webhook_id);
    return reply.code(204).send();
  },
});

const SEND_TEST = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/webhooks/:webhook_id/test",
  summary: `Send a \`${TEST_EVENT}\` to a webhook.`,
  parameters: PATH,
  answers: { 202: TEST },
  faults: ["webhook_not_found", "webhook_disabled", "too_many_attempts"],
  async handle({ webhooks }, { caller, parameters, reply }) {
    const delivery_id = await webhooks.test(accountOf(caller), parameters.webhook_id);
    reply.code(202);
    return { delivery_id };
  },
});

const LIST_DELIVERIES = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/webhooks/:webhook_id/deliveries",
  summary: "List what was sent to a webhook and what waits, newest first.",
  parameters: PATH,
  query: Type.Object({ per_page: LONG_PAGE_MEMBERS.per_page, after: LONG_PAGE_MEMBERS.after }),
  answers: { 200: DELIVERIES },
  faults: ["webhook_not_found"],
  async handle({ webhooks }, { caller, parameters, query }) {
    const accountId = accountOf(caller);
    const { entries, next } = await webhooks.deliveries(accountId, parameters.webhook_id, pageOf(query));
    return { ...(next !== undefined && { next }), deliveries: entries.map(deliveryAnswer) };
  },
});

function accountOf(caller: Call["caller"]): string {
  return callerOf("account", caller).accountId;
}

function webhookAnswer(row: Row<"webhooks">): Webhook {
  const { id, url, events, failing_since, disabled_at, dropped, created_at } = row;
  return {
    webhook_id: id,
    url,
    events: [...readEvents(events)],
    enabled: disabled_at === null,
    ...(failing_since !== null && { failing_since: isoTime(failing_since) }),
    ...(disabled_at !== null && { disabled_at: isoTime(disabled_at) }),
    dropped,
    created_at: isoTime(created_at),
  };
}

function deliveryAnswer(row: Row<"webhook_deliveries">): Delivery {
  const { id, event, state, attempts, status, error, next_at, created_at, updated_at, body } = row;
  return {
    delivery_id: id,
    event,
    state,
    attempts,
    ...(status !== null && { status }),
    ...(error !== null && { error: error as NonNullable<Delivery["error"]> }),
    ...(state === "pending" && { next_attempt_at: isoTime(Math.max(next_at, created_at)) }),
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
    body,
  };
}

export const WEBHOOK_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  ...[ADD, LIST, CHANGE, RENEW_SECRET, REMOVE, SEND_TEST, LIST_DELIVERIES],
]);
