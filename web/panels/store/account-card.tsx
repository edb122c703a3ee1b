/** The account at the hub: its consoles, a form to add one, and its token. */
import { useCallback, useState } from "preact/hooks";
import type { DeviceRecord } from "../../../protocol/hub/answers/devices.js";
import { type UserError, userErrorOf } from "../../advice.js";
import type { HubAccess } from "../../hub/hub-access.js";
import type { HubClient } from "../../hub/hub-client.js";
import { useLoaded } from "../../hub/use-loaded.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Tag } from "../../parts/facts.js";
import { ErrorNote } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { ClaimForm } from "./claim-form.js";
import { UnlistedConsoles } from "./unlisted-consoles.js";

export function AccountCard({ access, client }: { access: HubAccess; client: HubClient }) {
  const { value: held, error, reload } = useLoaded(useCallback(() => client.devices(), [client]));
  const devices = held?.devices;
  return (
    <div class="columns">
      <Card title="Your consoles" toolbar={<Button onClick={reload}>Refresh</Button>}>
        {error && <ErrorNote error={error} />}
        {devices?.length === 0 && (
          <p>None yet. A console in your account installs apps by itself, wherever it is.</p>
        )}
        {devices && devices.length > 0 && <DeviceList devices={devices} client={client} onChange={reload} />}
        {held && <UnlistedConsoles devices={held} />}
        <ClaimForm client={client} devices={devices ?? []} onClaimed={reload} />
      </Card>
      <Card title="Account">
        <p>
          Hub <code>{client.address}</code>
        </p>
        <p>
          {/* In a page of its own: this one may be connected to a console. */}
          <a href={`${client.address}/fleet/`} target="_blank" rel="noreferrer">
            Many consoles, rollouts and your team
          </a>
        </p>
        <p class="small muted">
          {access.isKept.value
            ? "The account's token is stored in this browser. It cannot be shown again after you sign out: write it down before."
            : "This browser does not store the account's token. Write it down before you close this page."}
        </p>
        <TokenRow token={access.hub.value?.token ?? ""} onSignOut={() => access.signOut()} />
      </Card>
    </div>
  );
}

function TokenRow({ token, onSignOut }: { token: string; onSignOut: () => void }) {
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {isShown && (
        <p>
          <code class="store-token">{token}</code>
        </p>
      )}
      <div class="row">
        <Button pressed={isShown} onClick={() => setShown(!isShown)}>
          Show token
        </Button>
        <Button onClick={() => setAsking(true)}>Sign out</Button>
      </div>
      {isAsking && (
        <Confirm
          title="Sign out of the hub?"
          action="Sign out"
          onCancel={() => setAsking(false)}
          onConfirm={onSignOut}
        >
          <p>
            This browser forgets the token. Without it you cannot get back to the account and its consoles.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface DeviceListProps {
  readonly devices: readonly DeviceRecord[];
  readonly client: HubClient;
  readonly onChange: () => Promise<void>;
}

function DeviceList({ devices, client, onChange }: DeviceListProps) {
  const session = useSession();
  const [asked, setAsked] = useState<DeviceRecord>();
  const [error, setError] = useState<UserError>();
  const release = async ({ device_id, name }: DeviceRecord) => {
    setAsked(undefined);
    setError(undefined);
    try {
      await client.release(device_id);
      session.notify({ kind: "done", text: `${name} is released` });
      await onChange();
    } catch (cause) {
      setError(userErrorOf(cause));
    }
  };
  return (
    <>
      <ul class="store-consoles" aria-label="Consoles of the account">
        {devices.map((device) => (
          <li key={device.device_id}>
            <span>
              <strong>{device.name}</strong>{" "}
              <span class="small muted">firmware {device.firmware_version}</span>
            </span>
            <Tag tone={device.online ? "good" : "quiet"}>{device.online ? "Online" : "Offline"}</Tag>
            <Button label={`Release ${device.name}`} onClick={() => setAsked(device)}>
              Release
            </Button>
          </li>
        ))}
      </ul>
      {error && <ErrorNote error={error} />}
      {asked && (
        <Confirm
          title={`Release ${asked.name}?`}
          action="Release"
          onCancel={() => setAsked(undefined)}
          onConfirm={() => release(asked)}
        >
          <p>
            The console leaves your account, and pending installs are cancelled. Its apps stay. With its
            cable, it can be claimed again.
          </p>
        </Confirm>
      )}
    </>
  );
}
