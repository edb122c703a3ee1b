import { expect, test } from "vitest";
import { writeLastExit } from "../../../../device/services/apps/last-exit.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedApps } from "../apps/emulated-apps.js";
import { stage } from "../apps/staged-apps.js";
import { printed } from "./printed.js";

test("app list ends with the number of apps that do not fit", async () => {
  const storage = new EmulatedStorage();
  const { apps } = emulatedApps({ storage });
  for (let number = 10; number < 71; number++) {
    const app = stage(storage, { byteLength: 100 });
    const name = `app-${number}`.padEnd(32, "x");
    await apps.install({ ...app, manifest: { ...app.manifest, name } });
    writeLastExit(storage.files, name, { reason: "trap", message: "unreachable executed", at_ms: 1 });
  }
  const output = `${printed({ apps }, "app list")}`;
  const lines = output.trimEnd().split("\n");
  expect(output.length).toBeLessThanOrEqual(4096 + 20);
  expect(lines.at(-1)).toBe(`(and ${61 - (lines.length - 1)} more)`);
  expect(lines.length).toBeGreaterThan(40);
});
