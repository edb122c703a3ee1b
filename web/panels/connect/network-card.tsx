/** Connects over the network, to a typed or remembered address. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { DeviceError } from "../../../device-client/device-error.js";
import { Button } from "../../parts/button.js";
import { Field } from "../../parts/field.js";
import { Icon } from "../../parts/icon.js";
import { Failure } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { attempt, failureOf, isTrying } from "./attempt.js";
import { useConnectKind } from "./connected-card.js";

export function NetworkCard() {
  return (
    <Card title="In the network">
      <AddressForm />
      <Remembered />
    </Card>
  );
}

function AddressForm() {
  const session = useSession();
  const lastAddress = session.lastAddress.value ?? "";
  const [address, setAddress] = useState(lastAddress);
  useEffect(() => setAddress((typed) => typed || lastAddress), [lastAddress]);
  const [token, setToken] = useState("");
  const kind = useConnectKind();
  const failure = failureOf(session, "network");
  const asksForToken = (failure as DeviceError | undefined)?.code === "unauthorized";
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (asksForToken) form.current?.querySelector<HTMLInputElement>("[type=password]")?.focus();
  }, [asksForToken, failure]);
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(session, "network", () => session.connectHttp(address, token));
      }}
    >
      {failure && <Failure error={failure} />}
      <Field
        label="Address"
        value={address}
        onInput={setAddress}
        placeholder="192.168.1.20 or console-1a2b.local"
        autocomplete="off"
        isCode
        required
      />
      <Field
        label="Access token"
        value={token}
        onInput={setToken}
        type="password"
        autocomplete="off"
        isCode
        required={asksForToken}
        hint="Only for consoles that ask for one. It is on the Device panel over the cable, and kept in this browser."
      />
      <div class="row">
        <Button kind={kind} type="submit" busy={isTrying(session, "network")}>
          Connect
        </Button>
      </div>
    </form>
  );
}

function Remembered() {
  const session = useSession();
  const known = session.remembered.value;
  if (known.length === 0) return null;
  return (
    <ul class="connect-list" aria-label="Consoles connected before">
      {known.map(({ address, name, token }) => (
        <li key={address}>
          <span>
            <strong>{name}</strong>
            <br />
            <span class="mono small">{address}</span>
            {token !== undefined && <span class="muted small"> with its token</span>}
          </span>
          <Button
            label={`Connect to ${name} at ${address}`}
            onClick={() => attempt(session, "network", () => session.connectHttp(address))}
          >
            Connect
          </Button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Forget ${name} at ${address}`}
            onClick={() => session.forget(address)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
