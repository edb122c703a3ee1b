/** Connects over USB with Web Serial, or explains which browsers support it. */
import { browserSerial } from "../../connection/serial-ports.js";
import { Button } from "../../parts/button.js";
import { Alert, Failure } from "../../parts/messages.js";
import { Card } from "../../parts/panel.js";
import { useSession } from "../../session/session.js";
import { attempt, failureOf, isTrying } from "./attempt.js";
import { useConnectKind } from "./connected-card.js";

export function CableCard() {
  return (
    <Card title="By cable">
      <p>Everything works over USB, WiFi set-up and claiming included. Nothing to install.</p>
      {browserSerial() === undefined ? <Unsupported /> : <Ports />}
    </Card>
  );
}

function Ports() {
  const session = useSession();
  const failure = failureOf(session, "cable");
  const isBusy = isTrying(session, "cable");
  const kind = useConnectKind();
  const ports = session.ports.value;
  return (
    <>
      {failure && <Failure error={failure} />}
      <div class="row">
        <Button
          kind={kind}
          busy={isBusy}
          onClick={() => attempt(session, "cable", () => session.connectUsb())}
        >
          Connect by USB…
        </Button>
      </div>
      {ports.length > 0 && (
        <ul class="connect-list" aria-label="Ports used before">
          {ports.map((name, index) => (
            <li key={`${index} ${name}`}>
              <span class="mono">{name}</span>
              <Button
                label={`Reconnect ${name}`}
                onClick={() => attempt(session, "cable", () => session.reconnectUsb(index))}
              >
                Reconnect
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/**
 * Explains why Web Serial is missing. Browsers hide it from pages that come from another machine over plain HTTP, such
 * as the page that a console serves.
 */
function Unsupported() {
  if (!window.isSecureContext)
    return (
      <Alert tone="quiet" title="Not from this page">
        <p>
          Browsers open USB ports only for pages that come over https, or from this machine. This one came
          over plain http from <span class="mono">{location.host}</span>.
        </p>
      </Alert>
    );
  return (
    <Alert tone="quiet" title="Not with this browser">
      <p>
        It has no Web Serial. Chrome, Edge and Opera on a desktop have it, from version 89 on. Or connect over
        the network.
      </p>
    </Alert>
  );
}
