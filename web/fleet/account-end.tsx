/** Ends an account with all that the hub keeps of it, once its id is typed: nothing brings it back. */
import { useId, useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import type { FleetClient } from "./fleet-client.js";
import { useAction } from "./use-action.js";

interface AccountEndProps {
  readonly client: FleetClient;
  readonly accountId: string;
  readonly onEnded: () => void;
}

export function AccountEnd(props: AccountEndProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="stack">
      <p>
        The end of the account releases its consoles, which keep their apps, and deletes its members, tokens,
        groups, rollouts, webhooks and histories. Nothing brings them back: export them first.
      </p>
      <div class="row">
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the account
        </Button>
      </div>
      {isAsking && <EndDialog {...props} onClose={() => setAsking(false)} />}
    </div>
  );
}

function EndDialog({ client, accountId, onEnded, onClose }: AccountEndProps & { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const action = useAction();
  const form = useId();
  const isMeant = typed.trim() === accountId;
  const end = async () => {
    await client.endAccount();
    onEnded();
  };
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="danger" type="submit" form={form} busy={action.isBusy} disabled={!isMeant}>
        Delete for ever
      </Button>
    </>
  );
  return (
    <Dialog title="Delete the account?" onClose={onClose} actions={actions}>
      <p>
        Everyone’s tokens and sessions end at once, and its consoles show a claim code again. To delete
        account <code>{accountId}</code>, type its id.
      </p>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isMeant) action.run(end);
        }}
      >
        <Field
          label="Id of the account"
          value={typed}
          onInput={setTyped}
          autocomplete="off"
          isCode
          autoFocus
        />
      </form>
      {action.error && <ErrorNote error={action.error} />}
    </Dialog>
  );
}
