/** Starts the player in its page: with an app from the hub's store if the address names one, else with that of `svc app dev`. */
import { render } from "preact";
import "../styles/tokens.css";
import "../styles/base.css";
import "../panels/screen/screen.css";
import "./player.css";
import type { AppSource } from "./app-source.js";
import { devSource } from "./dev-source.js";
import { handedSource, isHanded } from "./handed-source.js";
import { Player } from "./player.js";
import { isInStore, storeSource } from "./store-source.js";

const place = document.getElementById("player") as HTMLElement;
render(<Player source={source()} />, place);

function source(): AppSource {
  if (isHanded()) return handedSource();
  return isInStore() ? storeSource() : devSource();
}
