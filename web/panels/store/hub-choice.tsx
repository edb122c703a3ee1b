/** Chooses the hub: the one that serves the page, the one that the console uses, or a typed address. */
import { useEffect, useState } from "preact/hooks";
import { type UserError, userErrorOf } from "../../advice.js";
import { type HubAccess, likelyHub } from "../../hub/hub-access.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { ErrorNote } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";

export function HubChoice({ access }: { access: HubAccess }) {
  const session = useSession();
  const device = session.device.value;
  const [address, setAddress] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<UserError>();
  useEffect(() => {
    let isShown = true;
    void likelyHub(session).then((found) => {
      if (!isShown || found === undefined) return;
      setAddress((typed) => typed || found);
      if (!access.isForgotten) access.use(found).catch(() => undefined); // the field keeps the address
    });
    return () => {
      isShown = false;
    };
  }, [session, device, access]);
  const use = async () => {
    setBusy(true);
    setError(undefined);
    await access.use(address).catch((cause: unknown) => setError(userErrorOf(cause)));
    setBusy(false);
  };
  return (
    <Card title="Which hub?">
      <p>
        A hub stores a catalogue of signed apps, and installs them on consoles over the network. Consoles do
        without one: apps can be installed from files, too.
      </p>
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
          placeholder="https://hub.example"
          hint={
            <>
              <code>npm run hub</code> starts one of your own.
            </>
          }
          autocomplete="url"
          isCode
        />
        <div class="row">
          <Button type="submit" kind="primary" busy={busy} disabled={address.trim() === ""}>
            Use this hub
          </Button>
        </div>
      </form>
      {error && <ErrorNote error={error} />}
    </Card>
  );
}
