/** Connects the page to a console: over the cable, or by its address. A connected console comes first. */

import { Panel } from "../../parts/panel.js";
import { CableCard } from "./cable-card.js";
import { ConnectedCard } from "./connected-card.js";
import { NetworkCard } from "./network-card.js";
import { TroubleCard } from "./trouble-card.js";
import "./connect-panel.css";

export function ConnectPanel() {
  return (
    <Panel title="Connect">
      <ConnectedCard />
      <div class="columns connect-ways">
        <CableCard />
        <NetworkCard />
      </div>
      <TroubleCard />
    </Panel>
  );
}
