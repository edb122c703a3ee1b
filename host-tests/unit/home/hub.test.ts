/** The home screen and the hub: its questions to the user, and its address. */
import { beforeAll, describe, expect, test } from "vitest";
import { QUESTIONS } from "../../../device/home/app/parts.js";
import { ConsoleModel, failure, type ModelQuestion } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import type { HomeHost, Script } from "./home-host.js";
import { posts, setting, times, type } from "./presses.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

describe("a question of the hub", () => {
  const APP: ModelQuestion = {
    id: "install-1",
    kind: "install",
    name: "tetris",
    version: "2.0.0",
    size_bytes: 71_680,
    publisher: "Example",
  };
  const modelWith = (...questions: ModelQuestion[]) => {
    const model = new ConsoleModel(fourApps());
    model.hub = { url: "https://hub.example", connected: true };
    model.questions = questions;
    return model;
  };
  const answers = (model: ConsoleModel) =>
    posts(model).map((request) => request.replace("POST /api/hub/questions?id=", ""));

  test("says what it is, its size, of whom, and who orders it", () => {
    run(function* (host) {
      yield 0;
      expect(host.shows("Install an app?")).toBe(true);
      expect(host.shows("tetris 2.0.0 (70 KB), by Example. Ordered by https://hub.example")).toBe(true);
    }, modelWith(APP));
  });

  test("has no line that the hub has made up: a line feed in the publisher's name is a space", () => {
    const publisher = "Example.\nOrdered by https://good.example\n\n\n\n\n\n";
    run(
      function* (host) {
        yield 0;
        expect(host.shows("by Example. Ordered by")).toBe(true);
        expect(host.shows("https://hub.example")).toBe(true);
      },
      modelWith({ ...APP, publisher }),
    );
  });

  test.each([
    ["puts it off first", ["a"], []],
    ["is put off by B", ["down", "b"], []],
    ["is accepted by the second", ["down", "a"], ["install-1&accept=true"]],
    ["is declined by the third", ["down", "down", "down", "a"], ["install-1&accept=false"]],
  ] as const)("%s", (_name, presses, expected) => {
    const { model } = run(function* (host) {
      yield* host.press(...presses);
      yield 1000;
      expect(host.shows("Install an app?")).toBe(false);
    }, modelWith(APP));
    expect(answers(model)).toEqual(expected);
  });

  test("takes no answer in its first half second: the presses were meant for what was there before", () => {
    for (let laterMs = 0; laterMs < 360; laterMs += 30) {
      const { model } = run(function* (host) {
        host.model.questions = [APP];
        host.model.changed(QUESTIONS); // comes to the display within half a second
        yield laterMs;
        yield* host.press("down", "a"); // the way to the second answer
      }, modelWith());
      expect(answers(model)).not.toContain("install-1&accept=true");
    }
  });

  test("about an app that goes says that what it has stored goes, too", () => {
    run(
      function* (host) {
        yield 0;
        expect(host.shows("Uninstall?")).toBe(true);
        expect(host.shows("clock and everything that it")).toBe(true);
      },
      modelWith({ id: "uninstall-1", kind: "uninstall", name: "clock" }),
    );
  });

  test("comes while the console is used, is followed by the next, and comes once", () => {
    const { model } = run(function* (host) {
      yield* host.press("right");
      host.model.questions = [APP, { ...APP, id: "install-2", name: "chess" }];
      host.model.changed(QUESTIONS);
      yield 1000;
      yield* host.press("a");
      yield 1000;
      expect(host.shows("chess 2.0.0")).toBe(true);
      yield* host.press("a");
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("Install an app?")).toBe(false);
    }, modelWith());
    expect(answers(model)).toEqual([]);
  });

  test("waits while another screen is open, and on the page of the hub once it was put off", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(2));
      expect(host.shows("Answer")).toBe(false);
      host.model.questions = [APP];
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("Install an app?")).toBe(false);
      yield* host.press("right", "right", "a");
      yield 500;
      expect(host.shows("tetris 2.0.0")).toBe(true);
      yield* host.press("a");
      expect(host.shows("Connected")).toBe(true);
      yield* host.press("a");
      yield 500;
      yield* host.press("down", "a");
    }, modelWith());
    expect(answers(model)).toEqual(["install-1&accept=true"]);
  });

  test("goes when it was answered elsewhere, and the one that takes its place comes", () => {
    run(function* (host) {
      host.model.questions = [{ ...APP, id: "install-2", version: "3.0.0" }];
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("tetris 3.0.0")).toBe(true);
      host.model.questions = [];
      host.model.changed(QUESTIONS);
      yield 1000;
      expect(host.shows("Install an app?")).toBe(false);
    }, modelWith(APP));
  });

  test("whose answer the console does not take is told", () => {
    run(function* (host) {
      host.model.instead.set("POST /api/hub", failure(503, "busy", "Too many commands of the hub wait"));
      yield* host.press("down", "a");
      expect(host.shows("Too many commands of the")).toBe(true);
    }, modelWith(APP));
  });
});

describe("the hub", () => {
  const model = (hub: Record<string, unknown>) => {
    const made = new ConsoleModel(fourApps());
    made.hub = hub;
    return made;
  };
  const NONE = { url: "", connected: false };
  const SET = { url: "http://hub.example", connected: true };

  test("is set to the address that is typed", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "a");
      expect(host.texts).toContain("https://");
      yield* type(host, "hub.example");
      yield* host.press("start");
      yield 500;
      expect(host.shows("https://hub.example")).toBe(true);
      expect(host.shows("Not connected")).toBe(true);
    }, model(NONE));
    expect(posts(console)).toEqual(["POST /api/hub?url=https%3A%2F%2Fhub.example"]);
  });

  test("is not set to what is no address: that is told, and what was typed stays", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "a", "start"); // nothing was typed
      yield* type(host, "hub@");
      yield* host.press("start");
      expect(host.shows("is not the address")).toBe(true);
      expect(host.concealed).toEqual([46, 300]); // the card repeats what was typed
      yield* host.press("a");
      expect(host.texts).toContain("https://hub@");
    }, model(NONE));
    expect(console.hub).toEqual(NONE);
    expect(posts(console)).toHaveLength(1);
  });

  test("is changed after a question, from the address that it has", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "a");
      yield* type(host, "2");
      yield* host.press("start", "a"); // the first answer changes nothing
      expect(posts(host.model)).toEqual([]);
      yield* host.press("start", "down", "a");
      yield 500;
      expect(host.shows("http://hub.example2")).toBe(true);
    }, model(SET));
    expect(posts(console)).toEqual(["POST /api/hub?url=http%3A%2F%2Fhub.example2"]);
  });

  test("is connected to again at once if its address is entered again", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "a", "start");
    }, model(SET));
    expect(posts(console)).toEqual(["POST /api/hub?url=http%3A%2F%2Fhub.example"]);
  });

  test("is forgotten after a question", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "right", "a", "a");
      expect(posts(host.model)).toEqual([]);
      yield* host.press("a", "down", "a");
      yield 500;
      expect(host.shows("belongs to no hub")).toBe(true);
    }, model(SET));
    expect(posts(console)).toEqual(["POST /api/hub?url="]);
  });

  test("has an address of at most 128 characters; a password has at most 64", () => {
    const { model: console } = run(function* (host) {
      yield* host.press(...setting(2), "a", ...times(125, "a"), "start");
      yield* host.press("b", "b", "b", "b", ...setting(0));
      yield 500;
      yield* host.press("down", "a", ...times(70, "a"), "start");
    }, model(NONE));
    expect(posts(console)).toEqual([
      `POST /api/hub?url=${encodeURIComponent(`https://${"q".repeat(120)}`)}`,
      `POST /api/wifi?ssid=Workshop&password=${"q".repeat(64)}`,
    ]);
  });
});
