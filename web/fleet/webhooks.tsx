/** The page of webhooks: the addresses to which events of the account are sent, and what became of them. */
import { useCallback, useState } from "preact/hooks";
import type { Delivery, Webhook } from "../../protocol/hub/answers/webhooks.js";
import { isAnswered } from "../hub/use-loaded.js";
import { Button } from "../parts/button.js";
import { Tag } from "../parts/facts.js";
import { Empty, ErrorNote } from "../parts/messages.js";
import { Card, Panel } from "../parts/panel.js";
import { ConfirmedButton } from "./confirmed-button.js";
import type { PageProps } from "./fleet-app.js";
import { ShownOnce } from "./shown-once.js";
import type { TeamClient } from "./team-client.js";
import { timeText } from "./times.js";
import { useAction } from "./use-action.js";
import { usePolled } from "./use-polled.js";
import { WebhookChange } from "./webhook-change.js";
import { type WebhookDraft, WebhookFields } from "./webhook-fields.js";

const EVERY_MS = 2000;

export function Webhooks({ client: { team }, scopes }: PageProps) {
  if (!scopes.includes("webhooks")) return <p>Your token may not manage webhooks.</p>;
  return <WebhookPanel team={team} />;
}

function WebhookPanel({ team }: { readonly team: TeamClient }) {
  const webhooks = usePolled(
    useCallback(() => team.webhooks(), [team]),
    EVERY_MS,
  );
  return (
    <Panel title="Webhooks">
      {webhooks.error && <ErrorNote error={webhooks.error} />}
      {webhooks.value?.length === 0 && (
        <Empty title="There is no webhook">
          <p>A webhook is the address of a program of yours, to which the hub sends events, signed.</p>
        </Empty>
      )}
      {webhooks.value?.map((webhook) => (
        <WebhookCard key={webhook.webhook_id} team={team} webhook={webhook} onChanged={webhooks.reload} />
      ))}
      {isAnswered(webhooks) && <NewWebhook team={team} onAdded={webhooks.reload} />}
    </Panel>
  );
}

interface WebhookProps {
  readonly team: TeamClient;
  readonly webhook: Webhook;
  readonly onChanged: () => Promise<void>;
}

function WebhookCard({ team, webhook, onChanged }: WebhookProps) {
  const { webhook_id: id, url, events, enabled, dropped } = webhook;
  const [secret, setSecret] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const action = useAction();
  const change = (work: () => Promise<unknown>) => () =>
    action.run(async () => {
      await work();
      await onChanged();
    });
  const test = async () => {
    await team.testWebhook(id);
    setOpen(true);
  };
  const remove = async () => {
    setOpen(false); // the list would ask for deliveries of what is gone
    await team.removeWebhook(id);
  };
  return (
    <Card title={url}>
      <div class="row">
        <State webhook={webhook} />
        {events.map((event) => (
          <Tag key={event}>{event}</Tag>
        ))}
      </div>
      {dropped > 0 && <p>{dropped} events are lost: too many waited.</p>}
      <div class="row">
        {enabled ? (
          <Button label={`Send a test to ${url}`} busy={action.isBusy} onClick={change(test)}>
            Send a test
          </Button>
        ) : (
          <Button
            kind="primary"
            label={`Enable ${url}`}
            busy={action.isBusy}
            onClick={change(() => team.enableWebhook(id))}
          >
            Enable
          </Button>
        )}
        <Button pressed={isOpen} label={`Deliveries to ${url}`} onClick={() => setOpen(!isOpen)}>
          Deliveries
        </Button>
        <WebhookChange team={team} webhook={webhook} onChanged={onChanged} />
        <ConfirmedButton
          action="Replace secret"
          label={`Replace secret of ${url}`}
          question="Replace the secret?"
          isBusy={action.isBusy}
          onConfirm={change(async () => setSecret(await team.renewSecret(id)))}
        >
          The new secret is shown once. For a day, the present one signs beside it, so that your program can
          change over.
        </ConfirmedButton>
        <ConfirmedButton
          action="Remove"
          label={`Remove ${url}`}
          question="Remove the webhook?"
          isBusy={action.isBusy}
          onConfirm={change(remove)}
        >
          What was not sent yet to {url} is never sent.
        </ConfirmedButton>
      </div>
      {secret !== undefined && (
        <ShownOnce label="Secret of the webhook" value={secret} onDone={() => setSecret(undefined)} />
      )}
      {action.error && <ErrorNote error={action.error} />}
      {isOpen && <Deliveries team={team} id={id} url={url} />}
    </Card>
  );
}

function State({ webhook: { enabled, failing_since, disabled_at } }: Pick<WebhookProps, "webhook">) {
  if (!enabled) return <Tag tone="bad">disabled{disabled_at && ` ${timeText(disabled_at)}`}</Tag>;
  if (failing_since !== undefined) return <Tag tone="warning">fails since {timeText(failing_since)}</Tag>;
  return <Tag tone="good">active</Tag>;
}

const TONES = { pending: "warning", delivered: "good", failed: "bad" } as const;

interface DeliveriesProps {
  readonly team: TeamClient;
  readonly id: string;
  readonly url: string;
}

/** The last ones, as they go. */
function Deliveries({ team, id, url }: DeliveriesProps) {
  const { value, error } = usePolled(
    useCallback(() => team.deliveries(id), [team, id]),
    EVERY_MS,
  );
  return (
    <div class="timeline">
      {error && <ErrorNote error={error} />}
      {value?.deliveries.length === 0 && <p class="muted">Nothing was sent yet.</p>}
      <ol class="stack" aria-label={`Deliveries to ${url}`}>
        {value?.deliveries.map((delivery) => (
          <li key={delivery.delivery_id}>
            <span class="muted">{timeText(delivery.created_at)}</span> <code>{delivery.event}</code>{" "}
            <Tag tone={TONES[delivery.state]}>{delivery.state}</Tag> {outcomeOf(delivery)}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** `after 2 attempts, the last answer was 503; again at …` */
function outcomeOf({ attempts, status, error, next_attempt_at }: Delivery): string {
  if (attempts === 0) return "not sent yet";
  const last = status === undefined ? `the last one failed: ${error}` : `the last answer was ${status}`;
  const again = next_attempt_at === undefined ? "" : `; again at ${timeText(next_attempt_at)}`;
  return `after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}, ${last}${again}`;
}

const NEW_DRAFT: WebhookDraft = { url: "", events: ["command.failed", "rollout.stopped"] };

function NewWebhook({ team, onAdded }: Pick<WebhookProps, "team"> & { onAdded: () => Promise<void> }) {
  const [draft, setDraft] = useState<WebhookDraft>(NEW_DRAFT);
  const [secret, setSecret] = useState<string>();
  const action = useAction();
  const add = async () => {
    setSecret(undefined);
    setSecret(await team.addWebhook(draft.url.trim(), draft.events));
    setDraft({ ...draft, url: "" });
    await onAdded();
  };
  return (
    <Card title="New webhook">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(add);
        }}
      >
        <WebhookFields draft={draft} onChange={setDraft} />
        <div class="row">
          <Button type="submit" busy={action.isBusy} disabled={draft.events.length === 0}>
            Add the webhook
          </Button>
        </div>
      </form>
      {action.error && <ErrorNote error={action.error} />}
      {secret !== undefined && (
        <ShownOnce
          key={secret}
          label="Secret of the new webhook"
          value={secret}
          onDone={() => setSecret(undefined)}
        />
      )}
    </Card>
  );
}
