/** Builds the web console, the player and the pages of fleets, which the hub serves. */
import { buildFleet } from "../tools/fleet-page.js";
import { buildPlayer } from "../tools/player-page.js";
import { consoleOrLast } from "../tools/web-page.js";

await consoleOrLast();
await buildPlayer();
await buildFleet();
