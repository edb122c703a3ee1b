/** Installs an app through the hub on a console of the account, after confirmation, and shows the result. */
import { useCallback, useEffect, useId, useState } from "preact/hooks";
import type { DeviceAppRecord, DeviceRecord } from "../../../protocol/hub/answers/devices.js";
import { adviceFor, type UserError, userErrorOf } from "../../advice.js";
import type { HubClient } from "../../hub/hub-client.js";
import { useLoaded } from "../../hub/use-loaded.js";
import { PlanView } from "../../install/plan-view.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { ErrorNote } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import type { EntryProps } from "./here-card.js";
import { planPush } from "./push-plan.js";
import { UnlistedConsoles } from "./unlisted-consoles.js";

const POLL_MS = 2000;

export function PushCard({ entry, version, client }: EntryProps) {
  const { value: held, error } = useLoaded(useCallback(() => client.devices(), [client]));
  const devices = held?.devices;
  const [chosen, setChosen] = useState<string>();
  const device = devices?.find(({ device_id }) => device_id === chosen) ?? devices?.[0];
  return (
    <Card title="Through the hub">
      {error && <ErrorNote error={error} />}
      {devices && !device && (
        <p>
          Your account has no console yet. Add one under <strong>Your consoles</strong>, below the catalogue.
        </p>
      )}
      {held && device && (
        <>
          <DeviceChoice devices={held.devices} device={device} onChoose={setChosen} />
          <UnlistedConsoles devices={held} />
          <Push key={device.device_id} device={device} entry={entry} version={version} client={client} />
        </>
      )}
    </Card>
  );
}

interface DeviceChoiceProps {
  readonly devices: readonly DeviceRecord[];
  readonly device: DeviceRecord;
  readonly onChoose: (deviceId: string) => void;
}

function DeviceChoice({ devices, device, onChoose }: DeviceChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Console of your account</label>
      <select
        id={id}
        class="input"
        value={device.device_id}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {devices.map(({ device_id, name, online }) => (
          <option key={device_id} value={device_id}>
            {name}, {online ? "online" : "offline"}
          </option>
        ))}
      </select>
    </div>
  );
}

function Push({ device, entry, version, client }: EntryProps & { device: DeviceRecord }) {
  const { device_id: deviceId, name } = device;
  const { app, poll, error: readingError } = useAppOf(client, deviceId, entry.id);
  const [isAsking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<UserError>();
  const push = async () => {
    setAsking(false);
    setBusy(true);
    setError(undefined);
    await client
      .push(deviceId, entry.id, version.version)
      .then(poll)
      .catch((cause: unknown) => setError(userErrorOf(cause)));
    setBusy(false);
  };
  const shown = error ?? readingError;
  return (
    <>
      <p class="store-push" role="status">
        {app
          ? stateInWords(app, device)
          : `${entry.name} is not installed on ${name}, as far as the hub knows.`}
      </p>
      {app?.state === "failed" && <FailureNote app={app} />}
      <div class="row">
        <Button busy={busy} label={`Install it on ${name}`} onClick={() => setAsking(true)}>
          Have it installed…
        </Button>
      </div>
      {shown && <ErrorNote error={shown} />}
      {isAsking && (
        <Confirm
          title={`Install ${entry.name} ${version.version} on ${name}?`}
          action="Install"
          kind="primary"
          onCancel={() => setAsking(false)}
          onConfirm={push}
        >
          <PlanView plan={planPush(version, { versions: entry.versions, device, app })} />
        </Confirm>
      )}
    </>
  );
}

function FailureNote({ app: { error } }: { app: DeviceAppRecord }) {
  const advice = error === undefined ? undefined : adviceFor(error);
  return (
    <p class="small">
      <code>{error ?? "no reason was told"}</code> {advice}
    </p>
  );
}

/** The hub's record of an app on a console; polled while an install or removal is pending and the page is visible. */
function useAppOf(client: HubClient, deviceId: string, appId: string) {
  const load = useCallback(() => client.deviceApps(deviceId), [client, deviceId]);
  const { value, error, reload } = useLoaded(load);
  const app = value?.find(({ app_id }) => app_id === appId);
  const isPending = app?.state === "requested" || app?.state === "removing";
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isPending, reload]);
  return { app, poll: reload, error };
}

function stateInWords({ state, name, version }: DeviceAppRecord, device: DeviceRecord): string {
  switch (state) {
    case "requested":
      return device.online
        ? `${device.name} is installing ${name} ${version} …`
        : `${device.name} installs ${name} ${version} when it connects.`;
    case "installed":
      return `${name} ${version} is installed on ${device.name}.`;
    case "failed":
      return `${device.name} could not install ${name} ${version}.`;
    case "removing":
      return `${device.name} is removing ${name} …`;
    default:
      return state satisfies never;
  }
}
