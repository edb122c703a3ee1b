/** The fields of a webhook, for a new one and for a change: its address and its events. */
import { Field } from "../parts/field.js";
import { Checks } from "./checks.js";
import { EVENT_WORDS } from "./team-words.js";

export interface WebhookDraft {
  readonly url: string;
  readonly events: readonly string[];
}

interface WebhookFieldsProps {
  readonly draft: WebhookDraft;
  readonly onChange: (draft: WebhookDraft) => void;
}

export function WebhookFields({ draft, onChange }: WebhookFieldsProps) {
  return (
    <>
      <Field
        label="Address"
        value={draft.url}
        onInput={(url) => onChange({ ...draft, url })}
        placeholder="https://example.com/hub"
        inputMode="url"
        autocomplete="off"
        isCode
        required
      />
      <Checks
        legend="Events"
        words={EVENT_WORDS}
        chosen={draft.events}
        onChange={(events) => onChange({ ...draft, events })}
      />
    </>
  );
}
