/** `svc hub account webhooks …`: have events of your account sent to a program (docs/spec/hub-api.md#webhooks). */
import {
  DELIVERIES,
  EVENT_TYPES,
  NEW_WEBHOOK,
  TEST,
  WEBHOOK as WEBHOOK_ANSWER,
  WEBHOOKS,
  type Webhook,
} from "../../protocol/hub/answers/webhooks.js";
import type { Command } from "../command.js";
import { askAccount, NEWEST_OPTIONS, newestEntries, noteNext, pathId } from "../hub/account-request.js";
import { NOTHING } from "../hub/request.js";
import { SvcError } from "../svc-error.js";
import { textTable } from "../terminal/format.js";

const WEBHOOK = {
  name: "WEBHOOK_ID",
  summary: "id of the webhook, as `svc hub account webhooks list` shows it",
};

const EVENT = { name: "event", value: "TYPE", isRepeatable: true, choices: EVENT_TYPES } as const;

const webhookPath = (id: string) => `/account/webhooks/${pathId(id)}`;

function stateText({ enabled, failing_since, disabled_at }: Webhook): string {
  if (!enabled) return `disabled ${disabled_at}`;
  return failing_since === undefined ? "active" : `fails since ${failing_since}`;
}

export const hubWebhooksList: Command = Object.freeze<Command>({
  name: "hub account webhooks list",
  summary: "List the webhooks of your account.",
  parameters: [],
  options: [],
  async run() {
    const { webhooks } = await askAccount(WEBHOOKS, "GET", "/account/webhooks");
    const rows = webhooks.map((webhook) => [
      ...[webhook.webhook_id, stateText(webhook), webhook.url, webhook.events.join(",")],
    ]);
    return { text: textTable(rows), json: { webhooks } };
  },
});

export const hubWebhooksAdd: Command = Object.freeze<Command>({
  name: "hub account webhooks add",
  summary: "Have events sent to an address, and print the secret that signs them, which is not shown again.",
  parameters: [{ name: "URL", summary: "address to which they are sent: https://…" }],
  options: [
    { ...EVENT, summary: "type of event; give several times for several types; default: every type" },
  ],
  async run({ values: { URL: url = "" }, lists: { event: events = EVENT_TYPES } }) {
    const added = await askAccount(NEW_WEBHOOK, "POST", "/account/webhooks", { url, events });
    return { text: `webhook ${added.webhook_id}\nsecret ${added.secret}`, json: added };
  },
});

export const hubWebhooksChange: Command = Object.freeze<Command>({
  name: "hub account webhooks change",
  summary: "Change the address or the events of a webhook; its secret stays.",
  parameters: [WEBHOOK],
  options: [
    { name: "url", value: "URL", summary: "new address; default: unchanged" },
    { ...EVENT, summary: "type of event; give several times for several types; default: unchanged" },
  ],
  async run({ values: { WEBHOOK_ID: id = "", url }, lists: { event: events } }) {
    if (url === undefined && events === undefined)
      throw new SvcError("wrong_usage", "Nothing to change: give --url or --event");
    const change = { ...(url !== undefined && { url }), ...(events && { events }) };
    const webhook = await askAccount(WEBHOOK_ANSWER, "PUT", webhookPath(id), change);
    return { text: `${webhook.url}: ${webhook.events.join(", ")}`, json: webhook };
  },
});

export const hubWebhooksEnable: Command = Object.freeze<Command>({
  name: "hub account webhooks enable",
  summary: "Enable a webhook that the hub has disabled, since its address failed for days.",
  parameters: [WEBHOOK],
  options: [],
  async run({ values: { WEBHOOK_ID: id = "" } }) {
    const webhook = await askAccount(WEBHOOK_ANSWER, "PUT", webhookPath(id), { enabled: true });
    return { text: `${webhook.url}: ${stateText(webhook)}`, json: webhook };
  },
});

export const hubWebhooksTest: Command = Object.freeze<Command>({
  name: "hub account webhooks test",
  summary: "Send a test event to a webhook; `svc hub account webhooks deliveries` shows what became of it.",
  parameters: [WEBHOOK],
  options: [],
  async run({ values: { WEBHOOK_ID: id = "" } }) {
    const sent = await askAccount(TEST, "POST", `${webhookPath(id)}/test`, {});
    return { text: `sending ${sent.delivery_id}`, json: sent };
  },
});

export const hubWebhooksSecret: Command = Object.freeze<Command>({
  name: "hub account webhooks secret",
  summary:
    "Print a new secret for a webhook, which is not shown again; for a day, the old one signs beside it.",
  parameters: [WEBHOOK],
  options: [],
  async run({ values: { WEBHOOK_ID: id = "" } }) {
    const renewed = await askAccount(NEW_WEBHOOK, "POST", `${webhookPath(id)}/secret`, {});
    return { text: `secret ${renewed.secret}`, json: renewed };
  },
});

export const hubWebhooksRemove: Command = Object.freeze<Command>({
  name: "hub account webhooks remove",
  summary: "Remove a webhook, with what it has not been sent yet.",
  parameters: [WEBHOOK],
  options: [],
  async run({ values: { WEBHOOK_ID: id = "" } }) {
    await askAccount(NOTHING, "DELETE", webhookPath(id));
    return { text: `removed ${id}`, json: { webhook_id: id, state: "removed" } };
  },
});

export const hubWebhooksDeliveries: Command = Object.freeze<Command>({
  name: "hub account webhooks deliveries",
  summary: "List the events of a webhook, newest first: state, attempts, and the answer to the last one.",
  parameters: [WEBHOOK],
  options: NEWEST_OPTIONS,
  async run({ values, output }) {
    const { WEBHOOK_ID: id = "" } = values;
    const path = `${webhookPath(id)}/deliveries`;
    const { entries: deliveries, next } = await newestEntries(DELIVERIES, path, "deliveries", values);
    const rows = deliveries.map(({ created_at, event, state, attempts, status, error, delivery_id }) => [
      ...[created_at, state, `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`],
      ...[`${status ?? error ?? "no answer yet"}`, event, delivery_id],
    ]);
    noteNext(output, next);
    return { text: textTable(rows), json: { deliveries, ...(next !== undefined && { next }) } };
  },
});
