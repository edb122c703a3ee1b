/** What the connected console is and how it is doing, and how it is set up. */
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { Meter } from "../../parts/meter.js";
import { Card, Panel } from "../../parts/panel.js";
import { useSession } from "../../session/use-session.js";
import { HardwareCard, StatusCard } from "./fact-cards.js";
import { HubCard } from "./hub-card.js";
import { LoadCard } from "./load-card.js";
import { RestartButton } from "./restart-button.js";
import { TokenCard } from "./token-card.js";
import { useSystem } from "./use-system.js";
import { WifiCard } from "./wifi-card.js";
import "./device-panel.css";

export function DevicePanel() {
  const session = useSession();
  const { system, history } = useSystem(session);
  if (system === undefined) return null; // the frame draws it only where a console is known
  return (
    <Panel title="Device" toolbar={<RestartButton name={system.name} />}>
      <div class="columns">
        <div class="stack">
          <StatusCard system={system} status={session.status.value} />
          <WifiCard />
          <HubCard />
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
