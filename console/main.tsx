/** Puts the web console into its page, connected where a console has served it. */
import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import type { DeviceError } from "../device-client/device-error.js";
import { askOwnOrigin } from "./connection/own-origin.js";
import { Frame } from "./frame/frame.js";
import { isPanelAsked, showPanelInstead } from "./frame/route.js";
import { LiveSession } from "./session/live-session.js";
import { SessionContext } from "./session/use-session.js";

const session = new LiveSession();

const own = await askOwnOrigin(session.tokenOf(location.origin));
if (own.kind !== "none" && !isPanelAsked()) showPanelInstead("device");
if (own.kind === "console") void connectToOwn();
if (own.kind === "refused") refuse(own.error);

render(
  <SessionContext.Provider value={session}>
    <Frame />
  </SessionContext.Provider>,
  document.getElementById("app") as HTMLElement,
);

async function connectToOwn(): Promise<void> {
  await session.connectHttp(location.origin);
  if (session.state.value.phase === "idle") showPanelInstead("connect"); // which says why
}

/** It has been asked once, and said that it wants its token: it is not asked again for the same answer. */
function refuse(error: DeviceError): void {
  session.askFor(location.origin, error);
  showPanelInstead("connect");
}
