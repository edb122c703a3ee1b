/** The examples show the same, whichever engine runs them (docs/spec/aot.md#same). */
import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { imageArchitecture } from "../../hosts/image-architecture.js";
import { isMissing } from "../../hosts/peers.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { showsPicture } from "../apps/app-picture.js";

const examples = path.join(import.meta.dirname, "../../../sdk/examples");
const temporary = temporaryDirectory();
const BUTTON_A = 1 << 4;

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
});
afterAll(async () => {
  temporary.remove();
  expect(await console.stop()).toBe(0);
});

const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

async function install(name: string, architectures: readonly VariantArchitecture[]): Promise<void> {
  const directory = path.join(temporary.path, name); // a build writes beside the sources
  cpSync(path.join(examples, name), directory, { recursive: true });
  const { package: file } = await buildApp(directory, { architectures });
  const signature = console.publisher.sign(file);
  expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
}

test("bricks waits for its player with the same picture, interpreted and as an image", async () => {
  for (const [engine, architectures] of [
    ["wasm3", []],
    ["aot", [imageArchitecture]],
  ] as const) {
    await install("bricks", architectures); // which stops it
    expect((await console.app("start", "bricks")).body).toMatchObject({ engine });
    await showsPicture(console, "bricks");
    expect(await console.apps()).toContainEqual(expect.objectContaining({ name: "bricks", engine }));
  }
  await console.app("stop", "bricks");
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
  await install("counter", [imageArchitecture]);
  await countsTo(2, "aot");
});
