/** What `svc app new` makes, in each language, on the console: built, installed, run, seen, and uninstalled. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildApp } from "../../../sdk/builder/build-app.js";
import { LANGUAGES } from "../../../sdk/languages.js";
import { newApp } from "../../../sdk/new-app.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { askHttp } from "../../hosts/http-client.js";
import { lacksCompiler } from "../../hosts/peers.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { showsPicture } from "./app-picture.js";

const temporary = temporaryDirectory();
let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
  temporary.remove();
});

const SELECT = 1 << 9;
const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

for (const lang of LANGUAGES)
  describe.skipIf(lacksCompiler(lang))(`A new app in ${lang}`, () => {
    test("shows its square, ends by select, and leaves with its uninstall", {
      timeout: RUNTIME_TIMEOUT_MS,
    }, async () => {
      const directory = path.join(temporary.path, lang, "square"); // one name, so that all look alike
      await newApp(directory, lang);
      const { package: file } = await buildApp(directory);
      const signature = console.publisher.sign(file);
      expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
      expect(await console.app("start", "square")).toMatchObject({ status: 200 });
      await showsPicture(console, "square");
      await press(SELECT);
      const entry = await console.until(({ state }) => state === "stopped", "square");
      expect(entry.last_exit).toMatchObject({ reason: "exit", code: 0 });
      await press(0);
      expect(await console.app("uninstall", "square")).toMatchObject({ status: 200 });
      expect(await console.apps()).toEqual([]);
    });
  });
