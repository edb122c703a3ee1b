/** The Device panel: status, load, hardware and settings of the connected console. */
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { Meter } from "../../parts/meter.js";
import { Card, Panel } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { HardwareCard, StatusCard } from "./fact-cards.js";
import { HubCard } from "./hub-card.js";
import { LoadCard } from "./load-card.js";
import { restartInWords } from "./setting-choices.js";
import { SettingsCard, useSettings } from "./settings-card.js";
import { TokenCard } from "./token-card.js";
import { useSystem } from "./use-system.js";
import { WifiCard } from "./wifi-card.js";
import "./device-panel.css";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Confirm } from "../../parts/dialog.js";

export function DevicePanel() {
  const session = useSession();
  const { system, history } = useSystem(session);
  const settings = useSettings();
  if (system === undefined) return null; // does not happen: the frame renders this panel only with a console
  return (
    <Panel title="Device" toolbar={<RestartButton name={system.name} startApp={settings.value?.start_app} />}>
      <div class="columns">
        <div class="stack">
          <StatusCard system={system} status={session.status.value} />
          <WifiCard />
          <HubCard />
          <SettingsCard name={system.name} settings={settings.value} onChanged={settings.set} />
        </div>
        <div class="stack">
          <LoadCard history={history} heap={system.heap} />
          <StorageCard system={system} />
          <HardwareCard system={system} />
          <TokenCard features={system.features} />
        </div>
      </div>
    </Panel>
  );
}

function StorageCard({ system }: { readonly system: SystemInfo }) {
  return (
    <Card title={system.psram ? "Storage and memory" : "Storage"}>
      <Meter label="Storage" capacity={system.storage} />
      {system.psram && <Meter label="PSRAM" capacity={system.psram} />}
    </Card>
  );
}

interface RestartProps {
  readonly name: string;
  /** The setting `start_app`; `undefined` if it is not known. */
  readonly startApp: string | undefined;
}

/** Restarts the console, after confirmation. */
function RestartButton({ name, startApp }: RestartProps) {
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const isOnTrial = session.ota.value?.state === "pending_confirm";
  const restart = () => {
    setAsking(false);
    void session.run(`restart ${name}`, async (device) => {
      await device.reboot();
      session.notify({ kind: "done", text: `${name} restarts` });
    });
  };
  return (
    <>
      <Button disabled={session.device.value === undefined} onClick={() => setAsking(true)}>
        Restart…
      </Button>
      {isAsking && (
        <Confirm
          title={`Restart ${name}?`}
          action="Restart"
          kind="primary"
          onConfirm={restart}
          onCancel={() => setAsking(false)}
        >
          <p>{restartInWords(startApp)} The page waits until the console is back.</p>
          {isOnTrial && (
            <p>Its firmware is on trial: without “Confirm” on the Firmware panel, the old one comes back.</p>
          )}
        </Confirm>
      )}
    </>
  );
}
