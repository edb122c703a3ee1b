/** Apps that the user leaves, and those that they let run in the background (docs/spec/apps.md#background). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { moduleOf, packageOf } from "../../hosts/app-files.js";
import { HomeUser } from "../../hosts/home-user.js";
import { askHttp, getJson } from "../../hosts/http-client.js";

/** Logs a line every 20 ms, whatever is in front. */
const TICKING = `(module (import "svc" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (memory 1) (data (i32.const 0) "tick")
  (func (export "main") (loop $again
    (drop (call $log (i32.const 1) (i32.const 0) (i32.const 4)))
    (drop (call $sleep (i32.const 20)))
    (br $again))))`;

/** Ends when select is pressed, as those that `svc app new` makes. */
const ENDING_ON_SELECT = `(module (import "svc" "buttons_pressed" (func $pressed (result i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32) (result i32)))
  (func (export "main") (loop $again
    (drop (call $sleep (i32.const 10)))
    (br_if $again (i32.eqz (i32.and (call $pressed) (i32.const 512)))))))`;

let console: AppConsole;
let user: HomeUser;

beforeAll(async () => {
  console = await startAppConsole();
  for (const [name, module] of [
    ["first", TICKING],
    ["second", TICKING],
    ["third", ENDING_ON_SELECT],
  ] as const) {
    const file = packageOf(await moduleOf(module), { name, capabilities: ["gpio.read"] });
    const { status } = await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    expect(status).toBe(200);
  }
  user = await HomeUser.of(console);
});
afterAll(async () => {
  await user.close();
  expect(await console.stop()).toBe(0);
});

/** Opens the app from the grid. */
async function open(name: string): Promise<void> {
  await user.moveTo(name);
  await user.hold("a");
  await expect.poll(front).toBe(name);
  await user.hold();
}

const front = async () => (await getJson(`${console.http}/api/system`)).foreground;
const entry = async (wanted: string) => (await console.apps()).find(({ name }) => name === wanted);

const ticks = (name: string) => console.stderr.filter((line) => line.endsWith(`app/${name}: tick`)).length;

async function tenMoreTicks(name: string): Promise<void> {
  const before = ticks(name);
  await expect.poll(() => ticks(name)).toBeGreaterThan(before + 10);
}

async function standsStill(name: string, while_: () => Promise<void>): Promise<void> {
  const before = ticks(name);
  await while_();
  expect(ticks(name)).toBe(before);
}

test("An app that the user leaves for the home screen has no time until it is in front again", async () => {
  await open("first");
  await tenMoreTicks("first");
  await user.comeHome();
  expect(await entry("first")).toMatchObject({ state: "running", suspended: true });

  await console.app("start", "second");
  await tenMoreTicks("second"); // by which time a line of the other that was on its way has arrived
  await standsStill("first", () => tenMoreTicks("second"));

  await user.comeHome();
  await open("first");
  expect(await entry("first")).not.toHaveProperty("suspended");
  await standsStill("second", () => tenMoreTicks("first"));
  await console.app("stop", "second");
});

test("The page of an app lets it run in the background, where it goes on then", async () => {
  await user.comeHome();
  expect((await entry("first"))?.suspended).toBe(true);
  await user.moveTo("first");
  await user.tapUntil("start", "the page of the app", ({ words }) => words.includes("In background: no"));
  await user.tapUntil("select", "an app in the background", ({ words }) =>
    words.includes("In background: yes"),
  );
  expect(await entry("first")).toMatchObject({ background: true });
  expect(await entry("first")).not.toHaveProperty("suspended");
  await tenMoreTicks("first");
});

// docs/spec/display-and-input.md#chord-wait
test("The buttons that lead home end no app that ends on one of them, and do nothing at home", async () => {
  await user.goHome();
  await open("third");
  await user.hold("select");
  await user.comeHome();
  expect(await entry("third")).toMatchObject({ state: "running", suspended: true });
  await user.hold("select", "start");
  await new Promise((resolve) => setTimeout(resolve, 1000)); // twice as long as leads home
  await user.hold();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await user.look()).isHome).toBe(true);
  expect(await entry("third")).not.toHaveProperty("background");

  await open("third");
  await user.hold("select");
  await expect.poll(async () => (await entry("third"))?.state).toBe("stopped");
  await user.hold();
});

test("Only the owner lets an app run in the background", async () => {
  const address = `${console.http}/api/apps/background?name=second`;
  const post = (query: string) => askHttp(`${address}${query}`, { method: "POST" });
  expect(await post("&allowed=true")).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  expect(await entry("second")).not.toHaveProperty("background");
  expect((await console.shell("app background second on")).trim()).toMatch(/bearer token/);

  const choose = (params: Readonly<Record<string, string>>) =>
    user.ask("POST", "/api/apps/background", { name: "second", ...params });
  expect(await choose({ allowed: "true" })).toMatchObject({ status: 200, body: { background: true } });
  expect((await choose({ allowed: "false" })).body).not.toHaveProperty("background");
  expect(await choose({ allowed: "yes" })).toMatchObject({ status: 400, body: { error: "bad_parameter" } });
  expect(await choose({})).toMatchObject({ status: 400, body: { error: "missing_parameter" } });
  expect(await choose({ name: "fourth", allowed: "true" })).toMatchObject({
    status: 404,
    body: { error: "app_not_found" },
  });
});
