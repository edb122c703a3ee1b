/** Replaces a panel that needs a console while none is connected: explains how to connect one. */
import { useState } from "preact/hooks";
import { attempt, type ConnectionKind } from "../panels/connect/attempt.js";
import type { PanelEntry } from "../panels.js";
import { Button } from "../parts/button.js";
import { Empty, Failure } from "../parts/messages.js";
import { Panel } from "../parts/panel.js";
import { useSession } from "../session/session.js";
import { showPanel } from "./route.js";

export function NoConsole({ panel: { title, icon } }: { readonly panel: PanelEntry }) {
  const state = useSession().state.value;
  const [tried, setTried] = useState<string | number>();
  const isConnecting = state.phase === "connecting";
  return (
    <Panel title={title}>
      {state.phase === "idle" && state.error && <Failure error={state.error} />}
      <Empty icon={icon} title={isConnecting ? "Connecting to the console …" : "No console is connected"}>
        {/* The pressed button stays and keeps the focus, in case the attempt fails. */}
        {(!isConnecting || tried !== undefined) && (
          <>
            <p>Connect one by its cable, or by its address in the network.</p>
            <Ways tried={tried} onTry={setTried} />
          </>
        )}
      </Empty>
    </Panel>
  );
}

interface WaysProps {
  /** The current attempt: an address, or the index of a port. */
  readonly tried: string | number | undefined;
  readonly onTry: (which: string | number | undefined) => void;
}

/** Known consoles come first, since users usually reconnect to the same one. */
function Ways({ tried, onTry }: WaysProps) {
  const session = useSession();
  const ports = session.ports.value;
  const last = session.remembered.value[0];
  const isKnown = last !== undefined || ports.length > 0;
  const trial = (which: string | number, kind: ConnectionKind, connect: () => Promise<void>) => ({
    busy: tried === which,
    onClick: async () => {
      onTry(which);
      await attempt(session, kind, connect);
      onTry(undefined);
    },
  });
  return (
    <div class="row">
      {last && (
        <Button
          kind="primary"
          label={`Connect to ${last.name} at ${last.address}`}
          {...trial(last.address, "network", () => session.connectHttp(last.address))}
        >
          Connect to {last.name}
        </Button>
      )}
      {ports.map((name, index) => (
        <Button key={`${index} ${name}`} {...trial(index, "cable", () => session.reconnectUsb(index))}>
          Reconnect {name}
        </Button>
      ))}
      <Button kind={isKnown ? "plain" : "primary"} onClick={() => showPanel("connect")}>
        Connect a console
      </Button>
    </div>
  );
}
