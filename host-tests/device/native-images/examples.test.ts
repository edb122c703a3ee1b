/** The examples show the same, whichever engine runs them (docs/spec/aot.md#same). */
import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const examples = path.join(import.meta.dirname, "../../../sdk/examples");
const temporary = temporaryDirectory();
const BUTTON_A = 1 << 4;
const TIMEOUT = { timeout: 120_000, interval: 50 };

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
});
afterAll(async () => {
  temporary.remove();
  expect(await console.stop()).toBe(0);
});

async function screen(): Promise<string> {
  const answer = await fetch(`${console.http}/api/screen`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return createHash("sha256").update(bytes).digest("hex");
}

const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

async function install(name: string, architectures: readonly "native"[]): Promise<void> {
  const directory = path.join(temporary.path, name); // a build writes beside the sources
  cpSync(path.join(examples, name), directory, { recursive: true });
  const { package: file } = await buildApp(directory, { architectures });
  const signature = console.publisher.sign(file);
  expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
}

/** The picture, once it is the same twice in a row. */
async function settledPicture(): Promise<string> {
  for (let seen = await screen(); ; ) {
    const next = await screen();
    if (next === seen) return next;
    seen = next;
  }
}

/** Starts the app from the home screen's picture. @returns its engine and its first picture */
async function firstPicture(name: string): Promise<{ engine: unknown; picture: string }> {
  const before = await screen();
  const { body } = await console.app("start", name);
  await expect.poll(screen, TIMEOUT).not.toBe(before);
  return { engine: body.engine, picture: await settledPicture() };
}

test("bricks waits for its player with the same picture, interpreted and as an image", async () => {
  await install("bricks", []);
  const interpreted = await firstPicture("bricks");
  await install("bricks", ["native"]); // which stops it
  const image = await firstPicture("bricks");
  await console.app("stop", "bricks");
  expect([interpreted.engine, image.engine]).toEqual(["wasm3", "aot"]);
  expect(image.picture).toBe(interpreted.picture);
});

test.skipIf(isMissing("clang"))("counter counts on as an image from where it was interpreted", async () => {
  const countsTo = async (count: number, engine: string) => {
    const from = console.stderr.length;
    expect((await console.app("start", "counter")).body).toMatchObject({ engine });
    await press(BUTTON_A);
    await console.waitForLine(new RegExp(`app/counter: count is ${count}$`), from);
    await press(0);
    expect((await console.app("stop", "counter")).status).toBe(200);
  };
  await install("counter", []);
  await countsTo(1, "wasm3");
  await install("counter", ["native"]);
  await countsTo(2, "aot");
});
