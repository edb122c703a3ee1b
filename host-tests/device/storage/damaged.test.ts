/**
 * What is stored can be anything: a power cut leaves files of length zero, a newer firmware values that this one does not
 * know (docs/spec/storage-layout.md#damaged). A console starts with it, and answers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAppName } from "../../../protocol/manifest/app-name.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { bitmap } from "../../hosts/bitmap.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { Publisher } from "../../hosts/publisher.js";
import { overUsb } from "../../hosts/usb-client.js";

const publisher = new Publisher();
let state: string;
beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "console-"));
  publisher.becomeTrusted(state);
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

function store(file: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(path.join(state, file)), { recursive: true });
  writeFileSync(path.join(state, file), content);
}

async function withConsole(use: (console: AppConsole) => Promise<void>): Promise<void> {
  const console = await startAppConsole({ state, publisher });
  try {
    await use(console);
  } finally {
    await console.stop();
  }
}

/** Every setting, by the file of its value. */
const SETTINGS = [
  ...["http/token", "log/level", "wifi/network", "keys/revoked", "ota/last", "ota/security", "ota/staged"],
  ...["ota/signer", "home/start_app", "home/brightness", "home/sleep_s", "home/updates", "home/utc_offset"],
  ...["home/last_app", "home/tries", "hub/url", "hub/device_id", "hub/claim_code", "hub/device_token"],
  ...["hub/tokens", "hub/results", "hub/firmware"],
];
const fileOf = (setting: string) => `kv/svc%2F${setting}`;

const VALUES: readonly (readonly [string, string | Uint8Array])[] = [
  ["nothing", ""],
  ["a number too high", "101"],
  ["a word", "x"],
  ["NaN", "NaN"],
  ["a number below", "-1"],
  ["an empty object", "{}"],
  ["an empty list", "[]"],
  ["null", "null"],
  ["a list of nothing", "[null,[],{}]"],
  ["control characters", "\u001b[2J\r\n\t x"],
  ["the first byte of a longer character", Uint8Array.of(0x61, 0xf0)],
  ["zeros", new Uint8Array(64)],
  ["four kilobytes", "9".repeat(3999)],
];

describe("A console starts and answers", () => {
  test.each(VALUES)("with %s in every setting", async (_, value) => {
    for (const setting of SETTINGS) store(fileOf(setting), value);
    await withConsole(async (console) => {
      expect(await getJson(`${console.http}/api/settings`)).toEqual({
        start_app: typeof value === "string" && isAppName(value) ? value : "",
        brightness_percent: 100,
        sleep_after_s: value === "101" ? 101 : 0,
        updates: "ask",
        utc_offset: "+00:00",
      });
      for (const at of [
        "/api/status",
        "/api/system",
        "/api/ota/status",
        "/api/hub/questions",
        "/api/apps/list",
      ])
        expect([at, (await askHttp(`${console.http}${at}`)).status]).toEqual([at, 200]);
      await overUsb(console, async (usb) => {
        const { body } = await usb.request("GET", "/api/auth/token");
        expect(body.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
        for (const at of ["/api/wifi", "/api/hub"]) expect((await usb.request("GET", at)).status).toBe(200);
        expect(await usb.request("POST", "/api/settings", { brightness_percent: 50 })).toMatchObject({
          status: 200,
          body: { brightness_percent: 50 },
        });
      });
    });
  });
});

test("An empty bearer token is no token: who sends none is no owner", async () => {
  store(fileOf("http/token"), "");
  await withConsole(async (console) => {
    const settings = `${console.http}/api/settings?sleep_after_s=60`;
    for (const authorization of ["Bearer ", "Bearer"])
      expect((await askHttp(settings, { method: "POST", headers: { authorization } })).status).toBe(401);
  });
});

describe("An app", () => {
  const names = ["one", "two", "three"];
  async function install(console: AppConsole): Promise<void> {
    const module = await moduleOf('(module (memory 1) (func (export "main")))');
    for (const name of names) {
      const file = packageOf(module, { name });
      expect((await installOverHttp(console, { file, signature: publisher.sign(file) })).status).toBe(200);
    }
  }
  const listed = async (console: AppConsole) => (await console.apps()).map(({ name }) => name);

  test("with anything as the end of its last run is listed like one that has not run", () =>
    withConsole(async (console) => {
      await install(console);
      for (const [what, value] of VALUES) {
        store("lfs/apps/two/last-exit.json", value);
        expect([what, await listed(console)]).toEqual([what, ["one", "three", "two"]]);
        expect((await console.apps())[2]).not.toHaveProperty("last_exit");
        expect(await console.shell("app list")).toMatch(/^one.*\nthree.*\ntwo/);
      }
    }));

  test("whose files are missing does not start as module_damaged, and has no icon", () =>
    withConsole(async (console) => {
      const module = await moduleOf('(module (memory 1) (func (export "main")))');
      const file = packageOf(module, { name: "two" }, bitmap());
      expect((await installOverHttp(console, { file, signature: publisher.sign(file) })).status).toBe(200);
      for (const name of ["1.wasm", "1.bmp"]) rmSync(path.join(state, "lfs/apps/two", name));
      const start = await askHttp(`${console.http}/api/apps/start?name=two`, { method: "POST" });
      expect([start.status, start.body.error]).toEqual([500, "module_damaged"]);
      const icon = await askHttp(`${console.http}/api/apps/icon?name=two`);
      expect([icon.status, icon.body.error]).toEqual([404, "icon_not_found"]);
    }));

  const RECORDS = [
    ...VALUES,
    ["an object of the right names", '{"manifest":{},"module":{},"variants":[],"sequence":1}'],
    ["a manifest without a version", '{"manifest":{"name":"two"},"module":{"file":"1.wasm"},"variants":[]}'],
  ] as const;
  test.each(RECORDS)("with %s as its record is not listed, and the others are", async (_, value) => {
    await withConsole(install);
    store("lfs/apps/two/app.json", value);
    await withConsole(async (console) => {
      expect(await listed(console)).toEqual(["one", "three"]);
      await install(console);
      expect(await listed(console)).toEqual(["one", "three", "two"]);
    });
  });
});

test("With anything in its list of revoked keys a console trusts no key, and says so", async () => {
  await withConsole(async (console) => {
    const file = packageOf(await moduleOf('(module (memory 1) (func (export "main")))'));
    const signature = publisher.sign(file);
    for (const [what, value] of VALUES) {
      store("lfs/hub/revocations.bin", value);
      const { status, body } = await askHttp(`${console.http}/api/keys/revocations`);
      expect([what, status, body.error]).toEqual([what, 403, "signature_invalid"]);
      expect((await installOverHttp(console, { file, signature })).status).toBe(403);
    }
  });
});
