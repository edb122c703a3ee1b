/** A key signs on a console what its roles line lets it sign, and nothing else (docs/spec/keys.md#roles). */
import { beforeAll, describe, expect, test } from "vitest";
import { Scheduler } from "../../../../device/services/scheduler/scheduler.js";
import { TrustedKeysFile } from "../../../../device/services/trust/trusted-keys-file.js";
import { PROBLEMS_LIMIT } from "../../../../protocol/keys/pem-reader.js";
import type { Timer } from "../../../../protocol/ports/runtime.js";
import { moduleOf, packageOf } from "../../../hosts/app-files.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeBase64, nodeMemory, nodeSignatures } from "../../../hosts/node-bytes.js";
import { Publisher } from "../../../hosts/publisher.js";
import { linesOf } from "../apps/emulated-apps.js";
import { emulatedInstaller, publisher, trust } from "../apps/emulated-installer.js";

let file: Uint8Array;
beforeAll(async () => {
  file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
});

function consoleThatTrusts(keys: string) {
  const storage = new EmulatedStorage();
  trust(storage, keys);
  return emulatedInstaller({ storage });
}

describe("An app is", () => {
  for (const roles of ["app", "firmware, app"])
    test(`accepted from a key with the roles ${roles}`, async () => {
      const console = consoleThatTrusts(`# roles: ${roles}\n${publisher.pem}`);
      expect(await console.install(file)).toMatchObject({ name: "tetris" });
    });
  for (const roles of ["firmware, hub, native", "apps"])
    test(`rejected from a key with the roles ${roles}`, async () => {
      const refused = consoleThatTrusts(`# roles: ${roles}\n${publisher.pem}`).install(file);
      await expect(refused).rejects.toMatchObject({ code: "signature_invalid" });
    });
});

describe("The boot log", () => {
  async function warnings(keys?: string): Promise<string[]> {
    const storage = new EmulatedStorage();
    if (keys !== undefined) trust(storage, keys);
    const { log } = emulatedInstaller({ storage });
    const scheduler = new Scheduler({
      set: (callback: () => void) => queueMicrotask(callback),
    } as unknown as Timer);
    const trustedKeys = new TrustedKeysFile({
      ...{ files: storage.files, scheduler, logger: log.loggerFor("keys") },
      ...{ ...nodeSignatures, base64: nodeBase64, memory: nodeMemory },
    });
    await trustedKeys.warnOfUnlimitedKeys();
    return linesOf(log).filter((line) => line.includes("keys"));
  }

  test("warns of each key without a roles line, by its label", async () => {
    const limited = `# roles: app\n${new Publisher().pem}`;
    expect(await warnings(limited + publisher.pem)).toEqual([
      expect.stringMatching(/^W keys: trusted keys: "[0-9a-f]{16}" has no roles line/),
    ]);
  });

  test("has no warning if all keys have a roles line, or no key is trusted", async () => {
    expect(await warnings(`# roles: app, firmware, hub, native\n${publisher.pem}`)).toEqual([]);
    expect(await warnings()).toEqual([]);
  });

  test(`warns of at most ${PROBLEMS_LIMIT} keys`, async () => {
    const many = Array.from({ length: PROBLEMS_LIMIT + 4 }, () => new Publisher().pem);
    expect(await warnings(many.join(""))).toHaveLength(PROBLEMS_LIMIT);
  });
});
