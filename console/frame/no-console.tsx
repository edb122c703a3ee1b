/** In place of a panel that is about a console, while there is none: how to come by one. */

import type { PanelEntry } from "../panels.js";
import { Button } from "../parts/button.js";
import { Empty } from "../parts/empty.js";
import { Failure } from "../parts/failure.js";
import { Panel } from "../parts/panel.js";
import { useSession } from "../session/use-session.js";
import { showPanel } from "./route.js";

export function NoConsole({ panel: { title, icon } }: { readonly panel: PanelEntry }) {
  const session = useSession();
  const state = session.state.value;
  if (state.phase === "connecting")
    return (
      <Panel title={title}>
        <Empty icon={icon} title="Connecting to the console …" />
      </Panel>
    );
  return (
    <Panel title={title}>
      {state.phase === "idle" && state.error && <Failure error={state.error} />}
      <Empty icon={icon} title="No console is connected">
        <p>Connect one by its cable, or by its address in the network.</p>
        <Ways />
      </Empty>
    </Panel>
  );
}

/** Those from before first: most often it is the same console again. */
function Ways() {
  const session = useSession();
  const ports = session.ports.value;
  const last = session.remembered.value[0];
  const isKnown = last !== undefined || ports.length > 0;
  return (
    <div class="row">
      {last && (
        <Button
          kind="primary"
          label={`Connect to ${last.name} at ${last.address}`}
          onClick={() => session.connectHttp(last.address)}
        >
          Connect to {last.name}
        </Button>
      )}
      {ports.map((name, index) => (
        <Button key={`${index} ${name}`} onClick={() => session.reconnectUsb(index)}>
          Reconnect {name}
        </Button>
      ))}
      <Button kind={isKnown ? "plain" : "primary"} onClick={() => showPanel("connect")}>
        Connect a console
      </Button>
    </div>
  );
}
