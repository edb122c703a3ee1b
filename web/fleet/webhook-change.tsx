/** The button that changes a webhook's address and events, and its dialog. */
import { useId, useState } from "preact/hooks";
import type { Webhook } from "../../protocol/hub/answers/webhooks.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { ErrorNote } from "../parts/messages.js";
import type { TeamClient } from "./team-client.js";
import { useAction } from "./use-action.js";
import { type WebhookDraft, WebhookFields } from "./webhook-fields.js";

interface WebhookChangeProps {
  readonly team: TeamClient;
  readonly webhook: Webhook;
  readonly onChanged: () => Promise<void>;
}

export function WebhookChange(props: WebhookChangeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button label={`Change ${props.webhook.url}`} onClick={() => setOpen(true)}>
        Change
      </Button>
      {isOpen && <ChangeDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function ChangeDialog({ team, webhook, onChanged, onClose }: WebhookChangeProps & { onClose: () => void }) {
  // As they were when the dialog was opened: the list is read again and again behind it.
  const [before] = useState(webhook);
  const [draft, setDraft] = useState<WebhookDraft>(before);
  const action = useAction();
  const form = useId();
  const change = changeOf(before, draft);
  const save = async () => {
    await team.changeWebhook(before.webhook_id, change);
    await onChanged();
    onClose();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        kind="primary"
        type="submit"
        form={form}
        busy={action.isBusy}
        disabled={draft.events.length === 0 || Object.keys(change).length === 0}
      >
        Save
      </Button>
    </>
  );
  return (
    <Dialog title="Change the webhook" onClose={onClose} actions={actions}>
      <form
        id={form}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(save);
        }}
      >
        <WebhookFields draft={draft} onChange={setDraft} />
        <p class="muted">
          The secret stays: a program at a new address checks signatures with it. What waits to be sent goes
          to the new address.
        </p>
      </form>
      {action.error && <ErrorNote error={action.error} />}
    </Dialog>
  );
}

/** Only what differs: what another owner changes meanwhile stays. */
function changeOf(before: Webhook, { url, events }: WebhookDraft): Partial<WebhookDraft> {
  const isSame =
    events.length === before.events.length && before.events.every((type) => events.includes(type));
  return { ...(url.trim() !== before.url && { url: url.trim() }), ...(!isSame && { events }) };
}
