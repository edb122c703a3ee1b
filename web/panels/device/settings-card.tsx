/** What the user of the console chooses (docs/spec/home.md#chosen), and the reset to factory settings. */
import { useCallback, useState } from "preact/hooks";
import type { Device, SettingChanges } from "../../../device-client/device.js";
import type { Preferences } from "../../../protocol/device/answers.js";
import { inNaturalOrder } from "../../format.js";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";
import { Choice } from "../../parts/field.js";
import { Card } from "../../parts/panel.js";
import { type Polled, usePolled } from "../../session/polled.js";
import { useSession } from "../../session/session.js";
import { brightnessChoices, sleepChoices, startChoices, UPDATE_CHOICES } from "./setting-choices.js";

/** Poll interval: the console sends no event when a setting is changed elsewhere. */
const PERIOD_MS = 3000;

type SetSettings = (settings: Preferences) => void;

const askSettings = (device: Device) => device.settings();

/** The settings of the connected console. */
export function useSettings(): Polled<Preferences> {
  return usePolled(useSession().device.value, askSettings, PERIOD_MS);
}

interface SettingsCardProps {
  readonly name: string;
  readonly settings: Preferences | undefined;
  readonly onChanged: SetSettings;
}

export function SettingsCard({ name, settings, onChanged }: SettingsCardProps) {
  const session = useSession();
  const device = session.device.value;
  const isOwner = device?.transport.isOwner ?? false;
  return (
    <Card title="Settings">
      {settings ? (
        <SettingFields settings={settings} isLocked={!isOwner} onChanged={onChanged} />
      ) : (
        <p class="settings-reading muted">…</p>
      )}
      {device && !isOwner && (
        <p class="muted">To change them, connect the console by cable, or with its token.</p>
      )}
      <ResetButton name={name} isLocked={!isOwner} />
    </Card>
  );
}

interface FieldsProps {
  readonly settings: Preferences;
  readonly isLocked: boolean;
  readonly onChanged: SetSettings;
}

/** Each takes effect at once. */
function SettingFields({ settings, isLocked, onChanged }: FieldsProps) {
  const session = useSession();
  const [changes, setChanges] = useState<SettingChanges>({});
  const change = useCallback(
    async (wanted: SettingChanges) => {
      setChanges((others) => ({ ...others, ...wanted })); // shown while they are sent
      const changed = await session.run("change the settings", (device) => device.changeSettings(wanted));
      if (changed) onChanged(changed);
      setChanges({});
    },
    [session, onChanged],
  );
  const { brightness_percent, sleep_after_s, start_app, updates } = { ...settings, ...changes };
  const installed = inNaturalOrder(session.apps.value ?? []).map((app) => app.name);
  return (
    <>
      <Choice
        label="Brightness of the display"
        value={`${brightness_percent}`}
        options={brightnessChoices(Number(brightness_percent))}
        disabled={isLocked}
        onChange={(value) => change({ brightness_percent: value })}
      />
      <Choice
        label="Display goes dark after"
        value={`${sleep_after_s}`}
        options={sleepChoices(Number(sleep_after_s))}
        disabled={isLocked}
        onChange={(value) => change({ sleep_after_s: value })}
      />
      <Choice
        label="App that starts with the console"
        value={start_app}
        options={startChoices(installed, start_app)}
        disabled={isLocked}
        onChange={(value) => change({ start_app: value })}
      />
      <Choice
        label="What a hub orders"
        value={updates}
        options={UPDATE_CHOICES}
        disabled={isLocked}
        onChange={(value) => change({ updates: value })}
      />
    </>
  );
}

function ResetButton({ name, isLocked }: { readonly name: string; readonly isLocked: boolean }) {
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const reset = async () => {
    setAsking(false);
    const done = await session.run(`reset ${name}`, (device) => device.factoryReset());
    if (done) session.notify({ kind: "done", text: `${name} restarts with factory settings` });
  };
  return (
    <div class="row">
      <Button kind="danger" disabled={isLocked} onClick={() => setAsking(true)}>
        Factory reset…
      </Button>
      {isAsking && (
        <Confirm
          title={`Reset ${name} to factory settings?`}
          action="Delete everything"
          onCancel={() => setAsking(false)}
          onConfirm={reset}
        >
          <p>
            All apps with their data, the WiFi network, the hub, the access token and all settings are
            deleted. The firmware stays. This cannot be undone.
          </p>
          <p>A console in a WiFi network leaves it: connect by cable afterwards.</p>
        </Confirm>
      )}
    </div>
  );
}
