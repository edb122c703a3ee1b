/** The home screen and firmware: what is offered, on trial, and installed. */
import { beforeAll, describe, expect, test } from "vitest";
import { FIRMWARE, QUESTIONS } from "../../../device/home/app/parts.js";
import { ConsoleModel, type ModelQuestion } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import type { HomeHost, Script } from "./home-host.js";
import { posts, setting } from "./presses.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

describe("firmware", () => {
  const offer = { available: { version: "0.2.0", download_url: "https://hub.example/f" } };
  const QUESTION = { id: "firmware-1", kind: "firmware", version: "0.2.0" } as const;
  const modelWith = (firmware: object, questions: ModelQuestion[] = []) => {
    const model = new ConsoleModel(fourApps());
    Object.assign(model.firmware, firmware);
    model.questions = questions;
    return model;
  };

  test("that the hub offers is fetched when that is chosen, with its progress", () => {
    const { model } = run(
      function* (host) {
        expect(host.shows("New firmware")).toBe(true);
        yield* host.press("down", "a");
        yield 1500;
        expect(host.shows("Receiving: 0 %")).toBe(true);
        host.model.firmware["progress_percent"] = 70;
        yield 1500;
        expect(host.shows("Receiving: 70 %")).toBe(true);
        Object.assign(host.model.firmware, { state: "staged", staged_version: "0.2.0" });
        yield 1500;
        expect(host.shows("The next start tries version")).toBe(true);
        yield* host.press("a");
      },
      modelWith(offer, [QUESTION]),
    );
    expect(posts(model)).toEqual(["POST /api/hub/questions?id=firmware-1&accept=true", "POST /api/reboot"]);
  });

  test("that is put off is not offered again, but can be installed", () => {
    const { model } = run(
      function* (host) {
        yield* host.press("a");
        host.model.changed(FIRMWARE | QUESTIONS);
        yield 1000;
        expect(host.shows("New firmware")).toBe(false);
        yield* host.press(...setting(3));
        expect(host.shows("Install")).toBe(true);
        yield* host.press("a");
      },
      modelWith(offer, [QUESTION]),
    );
    expect(posts(model)).toEqual(["POST /api/cmd?c=ota%20apply"]);
  });

  test("is not offered where nothing waits for an answer", () => {
    run(function* (host) {
      yield 0;
      expect(host.shows("New firmware")).toBe(false);
    }, modelWith(offer));
  });

  test("that cannot be fetched is told", () => {
    const model = modelWith(offer);
    run(function* (host) {
      yield* host.press(...setting(3));
      delete host.model.firmware["available"];
      yield* host.press("a");
      expect(host.shows("There is no firmware to")).toBe(true);
    }, model);
  });

  test.each([
    [["a"], "POST /api/ota/confirm"],
    [["right", "a"], "POST /api/reboot"],
  ] as const)("on trial comes by itself, counts down, and %o is %s", (presses, request) => {
    const { model } = run(
      function* (host) {
        expect(host.texts.join(" ")).toMatch(/goes back in 4:5\d\./);
        yield 60_000;
        expect(host.texts.join(" ")).toMatch(/goes back in 3:5\d\./);
        yield* host.press(...presses);
        yield 500;
      },
      modelWith({ state: "pending_confirm", confirm_within_ms: 299_000 }),
    );
    expect(posts(model)).toEqual([request]);
  });

  test.each([
    [{ result: "confirmed", version: "0.2.0" }, "The last update was kept."],
    [{ result: "rolled_back", message: "It crashed" }, "The last update was taken back: It crashed"],
    [{ result: "rejected", error: "signature_invalid" }, "The last update was rejected: signature_invalid"],
  ])("that ended with %o says so", (last_result, text) => {
    run(function* (host) {
      yield* host.press(...setting(3));
      expect(host.texts.join(" ").replace(/\s+/g, " ")).toContain(text);
    }, modelWith({ last_result }));
  });
});
