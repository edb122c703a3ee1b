/** Firmware has the browser of mdns-js only where it imports it: the console's does not. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { firmwareModulesWith, firmwarePlugin } from "../../../engine/program/firmware-modules.js";
import { bundleText } from "../../../tools/bundle.js";
import { buildSandboxSources } from "../../../tools/sandbox.js";
import { readManifestTree } from "./manifest-tree.js";
import { moduleGraph } from "./module-graph.js";

const root = path.join(import.meta.dirname, "../../..");
const FOLDER = "device/mdns-js";
const MODULES = readdirSync(path.join(root, FOLDER))
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `${FOLDER}/${path.basename(name, ".ts")}`)
  .sort();
const PLATFORMS = ["lin", "esp32", "esp32/esp32s3"];

/** The manifests name the folder of this generated C. */
await buildSandboxSources();

/** The files of a bundle: its comments name them. */
const filesOf = (bundle: string) =>
  [...bundle.matchAll(/^\/\/ (\S+\.[jt]s)$/gm)].map(([, file]) => file as string);

describe("firmware of a console", () => {
  for (const platform of PLATFORMS)
    test(`for ${platform} has no module of ${FOLDER}`, () => {
      const { modules, problems } = readManifestTree(path.join(root, "device/manifest.json"), platform);
      expect(problems).toEqual([]);
      expect(modules.has("device/services/mdns/advertisement")).toBe(true);
      expect([...modules.keys()].filter((name) => name.startsWith(FOLDER))).toEqual([]);
    });

  test("for the simulated console has no code of it, and nothing that only browsers use", async () => {
    const bundle = await bundleText(path.join(root, "device/main.ts"), [
      firmwarePlugin(await firmwareModulesWith('"facts"', { isDraft: true })),
    ]);
    expect(filesOf(bundle)).toContain("device/services/mdns/advertisement.ts");
    expect(filesOf(bundle).filter((file) => file.startsWith(FOLDER))).toEqual([]);
    expect(bundle).not.toMatch(/createBrowser|RecordCache|class \w*Browser/);
  });
});

describe("firmware that browses", () => {
  for (const platform of PLATFORMS)
    test(`for ${platform} has all of ${FOLDER} with one more manifest`, async () => {
      const manifest = path.join(root, "host-tests/unit/mdns-js/browsing-firmware/manifest.json");
      const tree = readManifestTree(manifest, platform);
      expect(tree.problems).toEqual([]);
      const entry = `${FOLDER}/mdns-js`;
      expect(tree.preload).toContain(entry);
      const { reached, problems } = await moduleGraph(tree, [entry]);
      expect(problems).toEqual([]);
      expect([...reached].filter((name) => name.startsWith(FOLDER)).sort()).toEqual(MODULES);
    });

  test("for the simulated console has all of it by one import", async () => {
    const bundle = await bundleText(path.join(root, FOLDER, "mdns-js.ts"));
    expect(
      filesOf(bundle)
        .filter((file) => file.startsWith(FOLDER))
        .sort(),
    ).toEqual(MODULES.map((name) => `${name}.ts`));
  });
});
