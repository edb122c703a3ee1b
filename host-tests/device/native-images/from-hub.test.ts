/**
 * An app that a hub has compiled, from its sources to the console that runs it: the publisher's own key decides, and the hub
 * is not asked (docs/spec/aot.md#from-hub, #believed).
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { Publisher } from "../../hosts/publisher.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { HubPublisher } from "../../hub/catalog/hub-publisher.js";
import { EMBEDDED_HUB } from "../../hub/hosts/hub-under-test.js";
import { runSvcIn } from "../../unit/cli/run-svc.js";

const temporary = temporaryDirectory();
const key = path.join(temporary.path, "key.pem");
const packed = path.join(temporary.path, "bricks.svcpkg");
const publisher = new Publisher();

beforeAll(async () => {
  const app = path.join(temporary.path, "bricks"); // a build writes beside the sources
  cpSync(path.join(import.meta.dirname, "../../../sdk/examples/bricks"), app, { recursive: true });
  writeFileSync(key, publisher.privatePem);
  const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_COMPILE: "native" } });
  try {
    const { token } = await HubPublisher.register(hub);
    const { status, stderr } = runSvcIn({ SVC_HUB_URL: hub.origin, SVC_HUB_TOKEN: token }, [
      ...["app", "pack", app, "--key", key, "--aot", "native", "--by-hub", "--out", packed],
    ]);
    expect([status, stderr]).toEqual([0, ""]);
  } finally {
    await hub.stop();
  }
});
afterAll(() => temporary.remove());

describe("An app that a hub has compiled", () => {
  for (const { roles, engine } of [
    { roles: "# roles: app, native\n", engine: "aot" },
    { roles: "# roles: app\n", engine: "wasm3" },
  ])
    test(`runs by ${engine} where its publisher's key has "${roles.trim()}"`, async () => {
      const console = await startAppConsole({ publisher, roles });
      onTestFinished(async () => void (await console.stop()));
      const signature = readFileSync(`${packed}.sig`, "utf8").trim();
      const installed = await installOverHttp(console, { file: readFileSync(packed), signature });
      expect(installed).toMatchObject({ status: 200 });
      expect((await console.app("start", "bricks")).body).toMatchObject({ engine });
    });
});
