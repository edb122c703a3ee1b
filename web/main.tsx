/** Starts the web console in its page, and connects to the console that served it, if one did. */
import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import type { DeviceError } from "../device-client/device-error.js";
import { askOwnOrigin } from "./connection/own-origin.js";
import { Frame } from "./frame/frame.js";
import { isPanelAsked, showPanelInstead, takePairingToken } from "./frame/route.js";
import { askBeforeLeaving } from "./session/leaving-guard.js";
import { LiveSession } from "./session/live-session.js";
import { SessionContext } from "./session/session.js";

/** Delay of the first rendering: most consoles have answered by then, so the page does not switch panels. */
const RENDER_DELAY_MS = 1000;

const pairingToken = takePairingToken();
const session = new LiveSession();
askBeforeLeaving(session.isUploading, window);

await Promise.race([detectOwnConsole(), new Promise((resolve) => setTimeout(resolve, RENDER_DELAY_MS))]);
render(
  <SessionContext.Provider value={session}>
    <Frame />
  </SessionContext.Provider>,
  document.getElementById("app") as HTMLElement,
);

/** Settles when it is known whether a console served the page, before the connection to it is open. */
async function detectOwnConsole(): Promise<void> {
  const isAwaited = session.expect();
  const token = pairingToken ?? session.tokenOf(location.origin);
  const own = await askOwnOrigin(new URL(location.href), token);
  if (!isAwaited()) return; // the user has connected another console, or disconnected
  if (own.kind === "none") return session.disconnect();
  if (own.kind === "silent") return session.askFor(location.origin, own.error);
  if (own.kind === "refused") return askForToken(own.error);
  if (!isPanelAsked()) showPanelInstead("device");
  void connectToOwn();
}

async function connectToOwn(): Promise<void> {
  await session.connectHttp(location.origin, pairingToken);
  if (pairingToken !== undefined && !session.isPaired) await session.connectHttp(location.origin); // the link was wrong
  if (session.state.value.phase === "idle") showPanelInstead("connect"); // shows the error
}

/** Asks for the token without another request, which would fail in the same way. */
function askForToken(error: DeviceError): void {
  session.askFor(location.origin, error);
  showPanelInstead("connect");
}
