/** Starts the pages for people who run fleets, with the hub and the token that the web console keeps in this browser. */
import { render } from "preact";
import "../styles/tokens.css";
import "../styles/base.css";
import "./fleet.css";
import { HubAccess } from "../hub/hub-access.js";
import { FleetApp } from "./fleet-app.js";
import { removeOldDownloads } from "./growing-file.js";

const access = new HubAccess();
if (!access.hub.value) await access.use(new URL("..", location.href).href).catch(() => {}); // the page asks for the hub
render(<FleetApp access={access} />, document.getElementById("fleet") as HTMLElement);
void removeOldDownloads();
