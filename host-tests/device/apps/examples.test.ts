/** The example apps on the console, run as in the README. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApps } from "../../../sdk/build-apps.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp, closedConnectionsNoticed } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { Publisher } from "../../hosts/publisher.js";

const publisher = new Publisher();
const out = mkdtempSync(path.join(tmpdir(), "apps-"));
let console: AppConsole;
let packages: Map<string, string>;

const BUTTON = { left: 1 << 2, a: 1 << 4, select: 1 << 9 };
const LIMIT_MS = 60_000;

beforeAll(async () => {
  const key = path.join(out, "publisher.pem");
  writeFileSync(key, publisher.privatePem);
  const { built } = await buildApps({ out, key });
  packages = new Map(built.map((app) => [app.name, app.package]));
  console = await startAppConsole({ publisher });
}, 120_000);
afterAll(async () => {
  await console.stop();
  rmSync(out, { recursive: true, force: true });
});

async function installed(name: string): Promise<void> {
  const file = packages.get(name);
  if (!file) throw new Error(`"${name}" was not built`);
  const signature = readFileSync(`${file}.sig`, "utf8").trim();
  expect(await installOverHttp(console, { file: readFileSync(file), signature })).toMatchObject({
    status: 200,
  });
}

const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** @returns a digest of the display's picture */
async function screen(): Promise<string> {
  const answer = await fetch(`${console.http}/api/screen`);
  return createHash("sha256")
    .update(new Uint8Array(await answer.arrayBuffer()))
    .digest("hex");
}

/** Polls the display until its picture is none of `known`. */
async function anotherScreen(...known: readonly string[]): Promise<string> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await screen();
    if (!known.includes(seen)) return seen;
    if (performance.now() > deadline) throw new Error("The picture does not change");
  }
}

test("clock draws the time and updates it", async () => {
  await installed("clock");
  const dark = await screen();
  expect((await console.app("start", "clock")).body).toMatchObject({ state: "running", engine: "wasm3" });
  const first = await anotherScreen(dark);
  await anotherScreen(dark, first);
  expect((await console.app("stop", "clock")).body).toMatchObject({ state: "stopped" });
});

test.skipIf(isMissing("clang"))("counter keeps its value when it stops and over a reboot", async () => {
  await installed("counter");
  const countsTo = async (count: number) => {
    const from = console.stderr.length;
    await console.app("start", "counter");
    await press(BUTTON.a);
    await console.waitForLine(new RegExp(`app/counter: count is ${count}$`), from);
    await press(0);
    expect((await console.app("stop", "counter")).status).toBe(200);
  };
  await countsTo(1);
  await countsTo(2);
  const from = console.stderr.length;
  await askHttp(`${console.http}/api/reboot`, { method: "POST" });
  await console.waitForLine(/is ready/, from);
  await closedConnectionsNoticed(); // connections of the previous run
  await countsTo(3);
});

test("bricks reacts to buttons pressed over HTTP, and select ends it with code 0", async () => {
  await installed("bricks");
  const before = await screen();
  await console.app("start", "bricks");
  const waiting = await anotherScreen(before);
  await press(BUTTON.a); // launches the ball, which then moves by itself
  const flying = await anotherScreen(before, waiting);
  await press(BUTTON.left);
  await anotherScreen(before, waiting, flying);
  await press(BUTTON.select);
  const entry = await console.until(({ state }) => state === "stopped", "bricks");
  await press(0);
  expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
});
