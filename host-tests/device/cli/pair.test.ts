/** Pairing: the console requires its token over the network, and `svc pair` reads it over USB. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askHttp } from "../../hosts/http-client.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { svc, svcJson, temporaryFolder } from "./svc-process.js";

const folder = temporaryFolder();
const environment = { XDG_CONFIG_HOME: folder.path };
const kept = path.join(folder.path, "svc", "consoles.json");
let console: Console;

beforeAll(async () => {
  console = await startConsole({ flags: ["--config", "CONFIG_SVC_PAIRING=on"] });
});
afterAll(async () => {
  await console?.stop();
  folder.remove();
});

const overNetwork = ["--device", ""];
const overCable = () => ["--device", `usb:${console.usb}`];

test("A console built for pairing requires its token over the network, and svc advises svc pair", async () => {
  expect(await askHttp(`${console.http}/api/status`)).toMatchObject({
    status: 401,
    body: { error: "unauthorized" },
  });
  overNetwork[1] = console.http;
  const refused = await svc(["status", ...overNetwork], { environment });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("svc pair");
});

test("svc pair over the network fails with status 1", async () => {
  expect((await svc(["pair", ...overNetwork], { environment })).status).toBe(1);
});

test("svc pair stores the token readable by its owner only, and later commands use it", async () => {
  const { name, mac } = await svcJson(["pair", ...overCable()], { environment });
  expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual([
    { name, mac, host: "127.0.0.1", token: expect.stringMatching(/^[\w-]{43}$/) },
  ]);
  expect(statSync(kept).mode & 0o077).toBe(0);
  expect(await svcJson(["system", ...overNetwork], { environment })).toMatchObject({ name, mac });
});

test("a replaced token needs another svc pair, which updates the stored entry", async () => {
  await svcJson(["token", "--replace", ...overCable()], { environment });
  expect((await svc(["status", ...overNetwork], { environment })).status).toBe(1);
  await svcJson(["pair", ...overCable()], { environment });
  expect(JSON.parse(readFileSync(kept, "utf8"))).toHaveLength(1);
  expect(await svcJson(["status", ...overNetwork], { environment })).toHaveProperty("fw_version");
});
