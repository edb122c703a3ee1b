/** The apps that `svc app new` makes, in each language: they are to do the same. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { compileApp } from "../../../sdk/builder/build-app.js";
import { LANGUAGES } from "../../../sdk/languages.js";
import { newApp } from "../../../sdk/new-app.js";
import { lacksCompiler } from "../../hosts/peers.js";
import { RUNTIME_TIMEOUT_MS } from "../../hosts/python-app.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";
import { AppHost, type AppHostOptions } from "./app-host.js";
import { COMPILE_TIMEOUT_MS } from "./examples.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

const bit = (name: (typeof BUTTONS)[number]) => 1 << BUTTONS.indexOf(name);
const [A, UP, RIGHT, SELECT] = [bit("a"), bit("up"), bit("right"), bit("select")];
const ORANGE = 0xfd20;
const CYAN = 0x07ff;

for (const lang of LANGUAGES)
  describe.skipIf(lacksCompiler(lang))(`A new app in ${lang}`, () => {
    const directory = path.join(temporary.path, `new-${lang}`);
    let module: Uint8Array;
    beforeAll(async () => {
      await newApp(directory, lang);
      module = (await compileApp(directory)).module;
    }, RUNTIME_TIMEOUT_MS);

    /** Holds each of `buttons` for one sleep in turn, then ends the app with select. */
    function press(buttons: readonly number[], options: AppHostOptions = {}): AppHost {
      const host = new AppHost(options);
      const scheduler = buttons.concat(SELECT);
      expect(host.run(module, () => Object.assign(host, { held: scheduler.shift() ?? host.stop() }))).toBe(0);
      return host;
    }

    test("writes hello to the log and the display", () => {
      const host = press([]);
      expect(host.log[0]).toMatchObject({
        level: 1,
        text: expect.stringContaining(`hello from new-${lang}`),
      });
      expect(host.texts).toContain(`new-${lang}`);
      expect(host.pixel(120, 160)).toBe(ORANGE);
    });

    test("moves its square, and erases the old place", () => {
      const host = press([RIGHT, RIGHT, RIGHT]);
      expect(host.pixel(104, 160)).toBe(0);
      expect(host.pixel(104 + 12, 160)).toBe(ORANGE);
      expect(host.pixel(104 + 12 + 31, 160)).toBe(ORANGE);
    });

    test("keeps its square on the display, clear of the text", () => {
      const corner = press(new Array(100).fill(RIGHT | UP));
      expect(corner.pixel(239, 56)).toBe(ORANGE);
      expect(corner.pixel(239, 55)).toBe(0);
    });

    test("changes the colour at each press of A, held or not", () => {
      expect(press([A, A, A]).pixel(120, 160)).toBe(CYAN);
      expect(press([A, 0, A, 0, A, 0, A]).pixel(120, 160)).toBe(ORANGE);
    });

    test("treats an error as no button", () => {
      const host = new AppHost({ failing: { buttons: -1 } });
      expect(host.run(module, () => host.sleeps > 10 && host.stop())).toBe("stopped");
      expect(host.pixel(120, 160)).toBe(ORANGE);
    });

    test("exits without a display, and logs that", () => {
      const host = new AppHost({ failing: { display_width: -19 } });
      expect(host.run(module, () => host.stop())).toBe(1);
      expect(host.log).toContainEqual({ level: 3, text: "this console has no display" });
    });
  });

test("an editor finds the types of svc, wherever the app is", { timeout: COMPILE_TIMEOUT_MS }, async () => {
  const directory = path.join(temporary.path, "typed");
  await newApp(directory, "assemblyscript");
  const compiler = path.join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", directory, "--pretty", "false"], {
    encoding: "utf8",
  });
  // Errors within the library of AssemblyScript do not concern the app, and no editor shows them.
  expect(
    stdout.split("\n").filter((line) => /(^|\/)main\.ts/.test(line) || /Cannot find/.test(line)),
  ).toEqual([]);
  expect(stdout).toContain("sdk/assemblyscript/svc.ts"); // it has been found
});
