/** Who may do what (docs/spec/management-api.md#who), for each endpoint and each shell command. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../device/services/api/endpoints.js";
import { RIGHTS } from "../../../device/services/auth/rights.js";
import { COMMANDS } from "../../../device/services/shell/commands.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { overUsb } from "../../hosts/usb-client.js";

let console: AppConsole;
let token: string;
beforeAll(async () => {
  console = await startAppConsole();
  token = await overUsb(console, async (usb) => (await usb.request("GET", "/api/auth/token")).body.token);
  const data = path.join(console.state, "lfs/apps/notes/data");
  mkdirSync(data, { recursive: true });
  writeFileSync(path.join(data, "diary"), "dear diary");
});
afterAll(() => console?.stop());

const run = (c: string, headers: Record<string, string> = {}) =>
  askHttp(`${console.http}/api/cmd?${new URLSearchParams({ c })}`, { method: "POST", headers });
const owner = () => ({ authorization: `Bearer ${token}` });

/** Valid parameters of all of them. */
const ANYTHING = "?name=notes&allowed=true&id=1&accept=true&sleep_after_s=60&key=58";

describe("Endpoints of the owner", () => {
  const rows = ENDPOINTS.filter(
    ({ right, transport }) => RIGHTS[right].who === "owner" && transport !== "usb",
  );

  test("there are some", () => expect(rows.length).toBeGreaterThan(3));
  test.each(rows)("$method $path is 401 for a stranger", async ({ method, path: at }) => {
    expect(await askHttp(`${console.http}${at}${ANYTHING}`, { method })).toMatchObject({
      status: 401,
      body: { error: "unauthorized", message: expect.stringContaining("bearer token") },
    });
  });
});

test("A command has the right of the endpoint that does the same", () => {
  const SAME = {
    "app background": "POST /api/apps/background",
    "app front": "POST /api/apps/front",
    "app install": "POST /api/apps/install",
    "app list": "GET /api/apps/list",
    "app start": "POST /api/apps/start",
    "app stop": "POST /api/apps/stop",
    "app uninstall": "POST /api/apps/uninstall",
    "hub set": "POST /api/hub",
    "hub status": "GET /api/hub",
    "ota confirm": "POST /api/ota/confirm",
    "ota status": "GET /api/ota/status",
    reboot: "POST /api/reboot",
    status: "GET /api/status",
  };
  const rightOf = (name: string) => COMMANDS.find((command) => command.name === name)?.right;
  const guarding = (row: string) =>
    ENDPOINTS.find(({ method, path: at }) => `${method} ${at}` === row)?.right;
  for (const [command, row] of Object.entries(SAME))
    expect([command, rightOf(command)]).toEqual([command, guarding(row)]);
});

test("GET /api/system tells who asks whether the home screen sees their buttons", async () => {
  const ask = (headers: Record<string, string> = {}) => askHttp(`${console.http}/api/system`, { headers });
  expect((await ask()).body.home_buttons).toBe(false);
  expect((await ask(owner())).body.home_buttons).toBe(true);
  const { body } = await overUsb(console, (usb) => usb.request("GET", "/api/system"));
  expect(body.home_buttons).toBe(true);
});

test("A stranger's `app background` changes nothing", async () => {
  expect((await run("app background notes on")).body).toMatchObject({ error: "unauthorized" });
});

describe("What an app stores", () => {
  const LINES = ["cat /lfs/apps/notes/data/diary", "cat apps//notes/./data/diary", "ls /lfs/apps/notes/data"];
  test.each(LINES)("%s is unauthorized for a stranger, and answered to the owner", async (line) => {
    const refused = await run(line);
    expect(refused).toMatchObject({ status: 200, body: { error: "unauthorized" } });
    expect(refused.body.output).not.toMatch(/dear/);
    const { body } = await run(line, owner());
    expect(body).not.toHaveProperty("error");
    expect(body.output).toMatch(/diary/);
  });

  test.each(["diary", "nothing"])("app install of %s says nothing of it to a stranger", async (file) => {
    const line = `app install apps/./notes/data/${file}`;
    expect((await run(line)).body).toMatchObject({ error: "unauthorized" });
    expect((await run(line, owner())).body.error).toMatch(/^(media_type_unsupported|file_not_found)$/);
  });
});

test("Ten wrong tokens of an address are 401 where the owner is asked for, and then it is 429 for a minute", async () => {
  const ask = (authorization: string) =>
    askHttp(`${console.http}/api/settings?sleep_after_s=60`, { method: "POST", headers: { authorization } });
  const statuses = [];
  for (let guess = 0; guess < 12; guess++) statuses.push((await ask(`Bearer ${guess}`)).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await ask(`Bearer ${token}`)).toMatchObject({ status: 429, body: { error: "too_many_attempts" } });
  expect((await askHttp(`${console.http}/api/status`, { headers: owner() })).status).toBe(200);
});
