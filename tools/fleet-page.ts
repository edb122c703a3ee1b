/** Bundles the pages for people who run fleets (`web/fleet`), for the hub. */
import path from "node:path";
import { bundledPage, writePage } from "./bundled-page.js";
import { FLEET_DIRECTORY, FLEET_FILES } from "./fleet-files.js";

const SOURCES = path.join(import.meta.dirname, "../web/fleet");

/** Writes the pages to `build/fleet`. @throws {Error} with the bundler's message */
export async function buildFleet(): Promise<void> {
  const sources = { directory: SOURCES, entryPoints: { fleet: "main.tsx" } };
  await writePage(FLEET_DIRECTORY, await bundledPage(sources, FLEET_FILES));
}

if (process.argv[1] === import.meta.filename)
  await buildFleet().then(
    () => process.stdout.write(`${path.relative("", FLEET_DIRECTORY)}\n`),
    ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
  );
