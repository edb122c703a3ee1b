/** Starts the web console in its page, and connects to the console that served it, if one did. */
import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import type { DeviceError } from "../device-client/device-error.js";
import { askOwnOrigin } from "./connection/own-origin.js";
import { Frame } from "./frame/frame.js";
import { isPanelAsked, showPanelInstead } from "./frame/route.js";
import { LiveSession } from "./session/live-session.js";
import { SessionContext } from "./session/session.js";

/** Most consoles have answered by then: drawn before, the page would show one panel, and then another. */
const DRAW_MS = 1000;

const session = new LiveSession();

await Promise.race([lookForOwn(), new Promise((resolve) => setTimeout(resolve, DRAW_MS))]);
render(
  <SessionContext.Provider value={session}>
    <Frame />
  </SessionContext.Provider>,
  document.getElementById("app") as HTMLElement,
);

/** Settles once it is known whether there is one, and not only once that is connected. */
async function lookForOwn(): Promise<void> {
  const isAwaited = session.expect();
  const own = await askOwnOrigin(new URL(location.href), session.tokenOf(location.origin));
  if (!isAwaited()) return; // the user has connected another meanwhile, or disconnected
  if (own.kind === "none") return session.disconnect();
  if (own.kind === "silent") return session.askFor(location.origin, own.error);
  if (own.kind === "refused") return refuse(own.error);
  if (!isPanelAsked()) showPanelInstead("device");
  void connectToOwn();
}

async function connectToOwn(): Promise<void> {
  await session.connectHttp(location.origin);
  if (session.state.value.phase === "idle") showPanelInstead("connect"); // which says why
}

/** It has been asked once, and said that it wants its token: it is not asked again for the same answer. */
function refuse(error: DeviceError): void {
  session.askFor(location.origin, error);
  showPanelInstead("connect");
}
