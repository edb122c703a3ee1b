/** The Connect panel: connects to a console over the cable or by its address. Shows a connected console first. */
import { Card, Panel } from "../../parts/panel.js";
import { CableCard } from "./cable-card.js";
import { ConnectedCard } from "./connected-card.js";
import { NetworkCard } from "./network-card.js";
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

/** Advice for when connecting fails, the most effective first. */
function TroubleCard() {
  return (
    <Card title="If it does not work">
      <dl class="trouble">
        <dt>The browser lists no port</dt>
        <dd>Some USB cables only charge: try another one. A console that is switched off has no port.</dd>
        <dt>The port is busy</dt>
        <dd>
          One program has it at a time: close other tabs with this page, serial monitors, and <code>svc</code>{" "}
          in a terminal.
        </dd>
        <dt>The port may not be opened (Linux)</dt>
        <dd>
          Add yourself to the group that owns it, <code>sudo usermod -aG dialout $USER</code> on most systems,
          and log in anew.
        </dd>
        <dt>The address does not answer</dt>
        <dd>
          Console and computer have to be in the same network; guest networks often keep them apart. Over the
          cable the Device panel shows the address.
        </dd>
        <dt>No console at hand</dt>
        <dd>
          <code>npm start</code> in the sources runs a simulated one at <code>http://127.0.0.1:8080</code>.
        </dd>
      </dl>
    </Card>
  );
}
