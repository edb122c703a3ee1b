/** Signs in at the hub: with a new account, or the token of an existing one. */
import { useState } from "preact/hooks";
import { tokenText } from "../../../device-client/token-text.js";
import { type UserError, userErrorOf } from "../../advice.js";
import type { HubAccess } from "../../hub/hub-access.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { ErrorNote } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";

type Busy = "create" | "signIn";

export function SignIn({ access }: { access: HubAccess }) {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState<Busy>();
  const [error, setError] = useState<UserError>();
  const act = async (what: Busy, work: () => Promise<void>) => {
    setBusy(what);
    setError(undefined);
    await work().catch((cause: unknown) => setError(userErrorOf(cause)));
    setBusy(undefined);
  };
  return (
    <Card
      title={`Account at ${access.hub.value?.address}`}
      toolbar={<Button onClick={() => access.forget()}>Another hub</Button>}
    >
      <p>
        An account is a token: its holder can read the catalogue and install apps on your consoles. This
        browser stores it until you sign out.
      </p>
      <div class="row">
        <Button
          kind="primary"
          busy={busy === "create"}
          onClick={() => act("create", () => access.createAccount())}
        >
          Create an account
        </Button>
      </div>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void act("signIn", () => access.signIn(token));
        }}
      >
        <Field
          label="Or the token of an account that you have"
          type="password"
          value={token}
          onInput={setToken}
          autocomplete="current-password"
          isCode
          beside={
            <Button type="submit" busy={busy === "signIn"} disabled={tokenText(token) === ""}>
              Sign{"\u00a0"}in
            </Button>
          }
        />
      </form>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}
