/** The home screen and the owner's keys for apps: questions about one, and the list that forgets them. */
import { beforeAll, describe, expect, test } from "vitest";
import { QUESTIONS } from "../../../device/home/app/parts.js";
import { ConsoleModel, type ModelQuestion } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import type { HomeHost, Script } from "./home-host.js";
import { posts, setting } from "./presses.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model: ConsoleModel) => runHome(module, script, model);

const KEY = "0123456789abcdef".repeat(4);
const OTHER = "fedcba9876543210".repeat(4);
const KEYS_ROW = 9;
const HUB_ROW = 2;

describe("a question about a key", () => {
  const ADD: ModelQuestion = { id: "add_key-1", kind: "add_key", name: KEY };
  const modelWith = (...questions: ModelQuestion[]) => {
    const model = new ConsoleModel(fourApps());
    model.questions = questions;
    return model;
  };

  test("has all digits of the key in groups, and names no hub", () => {
    run(function* (host) {
      yield 0;
      expect(host.shows("Let this key sign apps?")).toBe(true);
      expect(host.shows("0123 4567 89ab cdef 0123")).toBe(true);
      expect(host.shows("cdef")).toBe(true);
      expect(host.shows("Ordered by")).toBe(false);
    }, modelWith(ADD));
  });

  test.each([
    ["puts it off first", ["a"], []],
    ["is accepted by the second", ["down", "a"], ["POST /api/hub/questions?id=add_key-1&accept=true"]],
    ["is refused by the third", ["down", "down", "a"], ["POST /api/hub/questions?id=add_key-1&accept=false"]],
  ] as const)("%s", (_name, presses, expected) => {
    const model = modelWith(ADD);
    run(function* (host) {
      yield* host.press(...presses);
      yield 1000;
      expect(host.shows("Let this key sign apps?")).toBe(false);
    }, model);
    expect(posts(model)).toEqual(expected);
  });

  test("says what becomes of its apps where a key is to go", () => {
    run(
      function* (host) {
        yield 0;
        expect(host.shows("Forget this key?")).toBe(true);
        expect(host.shows("Forget")).toBe(true);
      },
      modelWith({ id: "remove_key-1", kind: "remove_key", name: KEY }),
    );
  });

  test("that was put off waits on the page of the hub, also without a hub", () => {
    run(function* (host) {
      yield* host.press("a");
      yield 1000;
      yield* host.press(...setting(HUB_ROW));
      yield* host.press("right");
      expect(host.shows("Answer")).toBe(true);
      yield* host.press("a");
      yield 1000;
      expect(host.shows("Let this key sign apps?")).toBe(true);
    }, modelWith(ADD));
  });

  test("goes when its time is over, and one asked anew comes", () => {
    run(function* (host) {
      yield 0;
      host.model.questions = [];
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("Let this key sign apps?")).toBe(false);
      host.model.questions = [{ ...ADD, id: "add_key-2" }];
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("Let this key sign apps?")).toBe(true);
    }, modelWith(ADD));
  });
});

describe("the list of keys", () => {
  test("names each by its first 16 digits, and asks the console to forget one", () => {
    const model = new ConsoleModel(fourApps());
    model.keys = [KEY, OTHER];
    run(function* (host) {
      yield* host.press(...setting(KEYS_ROW));
      expect([host.shows(KEY.slice(0, 16)), host.shows(OTHER.slice(0, 16))]).toEqual([true, true]);
      yield* host.press("down", "a");
      yield 1000;
      expect(host.shows("Forget this key?")).toBe(true);
      expect(host.shows("fedc ba98 7654 3210 fedc")).toBe(true);
      expect(host.shows("start.")).toBe(true);
      model.keys = [KEY];
      yield* host.press("down", "a");
      yield 1000;
      expect([host.shows(KEY.slice(0, 16)), host.shows(OTHER.slice(0, 16))]).toEqual([true, false]);
    }, model);
    expect(posts(model)).toEqual([
      `POST /api/keys/owner?remove=true&key=${OTHER.slice(0, 16)}`,
      "POST /api/hub/questions?id=remove_key-1&accept=true",
    ]);
  });

  test("says that there is none", () => {
    run(function* (host) {
      yield* host.press(...setting(KEYS_ROW));
      expect([host.shows("Keys for apps"), host.shows("none")]).toEqual([true, true]);
    }, new ConsoleModel(fourApps()));
  });
});
