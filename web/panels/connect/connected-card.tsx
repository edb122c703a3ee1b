/** Shows the console that is connected or reconnecting; renders nothing without one. */
import { showPanel } from "../../frame/route.js";
import { Button } from "../../parts/button.js";
import { Fact, Facts, Tag } from "../../parts/facts.js";
import { Card } from "../../parts/panel.js";
import { type Session, useSession } from "../../session/session.js";

export function ConnectedCard() {
  const session = useSession();
  const state = session.state.value;
  if (state.phase !== "ready" && state.phase !== "waiting") return null;
  const { name, board, firmware } = state.system;
  return (
    <Card title={name} toolbar={<StateTag phase={state.phase} />}>
      <Facts>
        <Fact name="Reached">
          {state.phase === "ready" ? wayInWords(state.device.transport) : "It is tried again"}
        </Fact>
        <Fact name="Board">{board}</Fact>
        <Fact name="Firmware">{firmware.version}</Fact>
      </Facts>
      <div class="row">
        <Button kind="primary" onClick={() => showPanel("device")}>
          Show the device
        </Button>
      </div>
    </Card>
  );
}

function StateTag({ phase }: { readonly phase: "ready" | "waiting" }) {
  return phase === "ready" ? <Tag tone="good">Connected</Tag> : <Tag tone="warning">Lost, and awaited</Tag>;
}

function wayInWords({ kind, address }: NonNullable<Session["device"]["value"]>["transport"]): string {
  return kind === "usb" ? "By its cable" : `At ${address}`;
}

/** The style of the Connect buttons: plain while a console is connected, since another connection is rarely wanted. */
export function useConnectKind(): "primary" | "plain" {
  const { phase } = useSession().state.value;
  return phase === "ready" || phase === "waiting" ? "plain" : "primary";
}
