/** Asks for a hub, where the server of the page is none. */
import { useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../advice.js";
import type { HubAccess } from "../hub/hub-access.js";
import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";
import { ErrorNote } from "../parts/messages.js";
import { Card } from "../parts/panel.js";

export function HubForm({ access }: { readonly access: HubAccess }) {
  const [address, setAddress] = useState("");
  const [error, setError] = useState<UserError>();
  const use = () => access.use(address).catch((cause: unknown) => setError(userErrorOf(cause)));
  return (
    <Card title="Hub">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void use();
        }}
      >
        <Field
          label="Address of the hub"
          value={address}
          onInput={setAddress}
          isCode
          beside={<Button type="submit">Use</Button>}
        />
      </form>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}
