/** The home screen and apps: the grid, an app in front of it, the card of one that ended, and the page of one. */
import { beforeAll, describe, expect, test } from "vitest";
import { APPS } from "../../../device/home/app/parts.js";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { ConsoleModel, failure, modelApp } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, manyApps, runHome } from "./home-app.js";
import { type HomeHost, type Script, WIDTH } from "./home-host.js";
import { changedArea } from "./pictures.js";
import { posts, times } from "./presses.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

describe("the grid", () => {
  test("flushes once for a moved cursor, and changes two cells and the name", () => {
    run(function* (host) {
      const before = host.shown.slice();
      const { flushes } = host;
      host.calls = {};
      yield* host.press("right");
      expect(host.flushes - flushes).toBe(1);
      expect(host.calls["console_request"]).toBeUndefined();
      expect(host.calls["display_fill"]).toBeLessThan(40);
      const { left, right, top } = changedArea(
        before.subarray(0, WIDTH * 282),
        host.shown.subarray(0, WIDTH * 282),
      );
      expect({ left, right, top }).toEqual({ left: 0, right: 159, top: 24 });
      expect(changedArea(before, host.shown).bottom).toBeLessThan(300);
    });
  });

  test("keeps the cursor on its app while others come and go", () => {
    const { model } = run(function* (host) {
      yield* host.press("right"); // from bricks to clock
      host.model.apps = [modelApp("aaa"), ...host.model.apps];
      host.model.changed(APPS);
      yield 1000;
      yield* host.press("select", "b");
      host.model.apps = [modelApp("aab"), ...host.model.apps.filter(({ name }) => name !== "bricks")];
      host.model.changed(APPS);
      yield 1000;
      yield* host.press("a");
    });
    expect(posts(model)).toEqual([expect.stringMatching(/name=clock$/)]);
  });

  test("reads an icon once, when it comes into view", () => {
    const { model } = run(
      function* (host) {
        yield* host.press(...times(7, "down"), ...times(7, "up"));
        yield 1000;
      },
      new ConsoleModel(manyApps(9)),
    );
    const icons = model.requests.filter((request) => request.includes("/icon"));
    expect(icons).toEqual([0, 2, 4, 6, 8].map((index) => `GET /api/apps/icon?name=app-0${index}`));
  });

  test("shows 64 apps, and scrolls to the last and back", () => {
    run(
      function* (host) {
        yield* host.press(...times(21, "down"));
        yield 1000;
        expect(host.texts).toEqual(expect.arrayContaining(["app-57", "app-63"]));
        yield* host.press("down", "right", ...times(21, "up"));
        expect(host.texts).toEqual(expect.arrayContaining(["app-00", "app-08"]));
      },
      new ConsoleModel(manyApps(70)),
    );
  });

  test("scrolls by a row with one flush and no request but for the icons that come into view", () => {
    run(
      function* (host) {
        yield 1000;
        yield* host.press("down", "down");
        yield 1000;
        expect(host.texts).not.toContain("app-11");
        const { flushes, model } = host;
        const asked = model.requests.length;
        yield* host.press("down"); // past the last row in view
        expect(host.texts).toContain("app-11");
        expect(host.flushes - flushes).toBe(1);
        yield 1000;
        const requests = model.requests.slice(asked).filter((request) => request !== "GET /api/status");
        expect(requests.filter((request) => !request.startsWith("GET /api/apps/icon?"))).toEqual([]);
        expect(requests.length).toBeLessThanOrEqual(3);
      },
      new ConsoleModel(manyApps(64)),
    );
  });

  test("repeats a direction that is held, after 400 ms, every 120 ms", () => {
    run(
      function* (host) {
        host.held = 1 << 3;
        yield 390;
        expect(host.texts.filter((text) => text === "app-01")).toHaveLength(2); // in its cell and below the grid
        yield 400;
        host.held = 0;
        yield 200;
        expect(host.texts.filter((text) => text === "app-05")).toHaveLength(2);
      },
      new ConsoleModel(manyApps(20)),
    );
  });

  test("starts a stopped app, and brings a running one to the front", () => {
    const first = run(function* (host) {
      yield* host.press("a");
      yield 1000;
    });
    expect(posts(first.model)).toEqual(["POST /api/apps/start?name=bricks"]);
    const second = run(function* (host) {
      yield* host.press("right", "a");
      yield 1000;
    });
    expect(posts(second.model)).toEqual(["POST /api/apps/front?name=clock"]);
  });

  test("says why an app does not start, and is as it was after that", () => {
    const model = new ConsoleModel(fourApps());
    model.instead.set("POST /api/apps/start", failure(503, "too_many_apps", "Cannot start: 4 are running"));
    run(function* (host) {
      const before = host.shown.slice();
      yield* host.press("a");
      expect(host.shows("Cannot start: 4 are running")).toBe(true);
      yield* host.press("a");
      yield 500;
      expect(host.shown).toEqual(before);
    }, model);
  });

  test("shows an app that was installed meanwhile, within a second", () => {
    run(function* (host) {
      host.model.apps.push(modelApp("aaa"));
      host.model.changed(APPS);
      yield 1000;
      expect(host.shows("aaa")).toBe(true);
    });
  });
});

describe("behind another app, the home screen", () => {
  test("asks and draws nothing, and looks ten times a second", () => {
    run(function* (host) {
      yield* host.press("a");
      yield 500;
      host.calls = {};
      const { flushes } = host;
      yield 10_000;
      expect(host.flushes).toBe(flushes);
      expect(host.calls["console_request"]).toBeUndefined();
      expect(host.calls["sleep_ms"]).toBeLessThanOrEqual(101);
    });
  });

  test("takes a button for a press that was down when the app began, and is pressed again", () => {
    run(function* (host) {
      host.held = 1 << BUTTONS.indexOf("a");
      yield 100;
      expect(host.model.front).toBe("bricks");
      yield 500;
      host.held = 0; // nobody looks
      host.model.front = undefined;
      host.held = 1 << BUTTONS.indexOf("a");
      yield 500;
      expect(host.model.front).toBe("bricks");
    });
  });

  test("draws everything when it is in front again", () => {
    run(function* (host) {
      yield* host.press("a");
      yield 500;
      host.shown.fill(0);
      host.model.end("bricks", { reason: "exit", code: 0 });
      yield 1000;
      expect(host.shows("bricks")).toBe(true);
      expect(host.shown.some((pixel) => pixel !== 0)).toBe(true);
    });
  });

  test("takes no button that was pressed for the app", () => {
    run(function* (host) {
      yield* host.press("a");
      yield 500;
      yield* host.press("select", "a", "down");
      host.model.end("bricks", { reason: "stopped" });
      yield 1000;
      expect(host.shows("Settings")).toBe(false);
    });
  });
});

describe("a card", () => {
  test.each([
    [{ reason: "trap", message: "integer divide by zero" }, "bricks crashed: integer"],
    [{ reason: "quota", message: "64 KiB" }, "bricks did not get the"],
    [{ reason: "host_error" }, "bricks was ended by an"],
  ])("says that an app has ended by %o", (lastExit, text) => {
    run(function* (host) {
      yield* host.press("a");
      yield 500;
      host.model.end("bricks", lastExit);
      yield 1000;
      expect(host.shows(text)).toBe(true);
      yield* host.press("a");
      yield 1000;
      expect(host.shows("An app has ended")).toBe(false);
    });
  });

  test.each([{ reason: "exit", code: 3 }, { reason: "stopped" }])("does not come for %o", (lastExit) => {
    run(function* (host) {
      yield* host.press("a");
      yield 500;
      host.model.end("bricks", lastExit);
      yield 1000;
      expect(host.shows("An app has ended")).toBe(false);
    });
  });

  // Uptime begins anew with each start of the console: that of an earlier one may be later than now.
  test.each([1, 3600_000, 5 * 60_000 + 20_000])(
    "does not come for an app that had crashed before, at %i ms",
    (at_ms) => {
      const apps = fourApps();
      Object.assign(apps[0] as object, { last_exit: { reason: "trap", message: "old", at_ms } });
      run(function* (host) {
        for (let turns = 0; turns < 60; turns++) {
          host.model.changed(APPS);
          yield 1000;
        }
        expect(host.shows("An app has ended")).toBe(false);
      }, new ConsoleModel(apps));
    },
  );

  test("comes for an app that something else has started and that has crashed in front", () => {
    run(function* (host) {
      host.model.front = "bricks"; // before the home screen has seen it run
      yield 2000;
      host.model.end("bricks", { reason: "trap", message: "unreachable" });
      yield 1000;
      expect(host.shows("bricks crashed: unreachable")).toBe(true);
      yield* host.press("a");
      host.model.changed(APPS);
      yield 1000;
      expect(host.shows("An app has ended")).toBe(false);
      host.model.front = "bricks";
      yield 2000;
      host.model.end("bricks", { reason: "trap", message: "unreachable" });
      yield 1000;
      expect(host.shows("bricks crashed: unreachable")).toBe(true);
    });
  });

  test("comes for the app that starts with the console, which is in front before any list was read", () => {
    const model = new ConsoleModel(fourApps());
    model.front = "bricks";
    runHome(
      module,
      function* (host) {
        host.model.end("bricks", { reason: "trap", message: "unreachable" });
        yield 1000;
        expect(host.shows("bricks crashed: unreachable")).toBe(true);
      },
      model,
    );
  });

  test("comes for an app that crashes at its start, and waits while a question is open", () => {
    run(function* (host) {
      yield* host.press("right", "start", "right", "right", "a"); // uninstall the clock, which runs?
      expect(host.shows("Uninstall?")).toBe(true);
      host.model.end("clock", { reason: "trap", message: "unreachable" });
      yield 1000;
      expect(host.shows("Uninstall?")).toBe(true);
      yield* host.press("b");
      yield 500;
      expect(host.shows("clock crashed: unreachable")).toBe(true);
    });
  });
});

describe("the page of an app", () => {
  test("stops it", () => {
    const { model } = run(function* (host) {
      yield* host.press("right", "start", "right", "a");
      yield 1000;
      expect(host.shows("Start")).toBe(true);
      expect(host.shows("was stopped")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/apps/stop?name=clock"]);
  });

  test("uninstalls it after a question, whose first answer changes nothing", () => {
    const { model } = run(function* (host) {
      yield* host.press("start", "right", "a", "a");
      expect(posts(host.model)).toEqual([]);
      yield* host.press("a", "down", "a");
      yield 1000;
      expect(host.shows("bricks")).toBe(false);
      expect(host.shows("clock")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/apps/uninstall?name=bricks"]);
  });

  test("lets it run in the background, and no longer", () => {
    const { model } = run(function* (host) {
      yield* host.press("start");
      expect(host.shows("In background: no")).toBe(true);
      yield* host.press("select");
      expect(host.shows("In background: yes")).toBe(true);
      yield* host.press("select");
      expect(host.shows("In background: no")).toBe(true);
      yield* host.press("b");
      expect(host.shows("clock")).toBe(true);
    });
    expect(posts(model)).toEqual(
      ["true", "false"].map((allowed) => `POST /api/apps/background?allowed=${allowed}&name=bricks`),
    );
  });

  test("says why the console does not let it run in the background", () => {
    const model = new ConsoleModel(fourApps());
    model.instead.set("POST /api/apps/background", failure(507, "storage_full", "The storage is full"));
    run(function* (host) {
      yield* host.press("start", "select");
      expect(host.shows("The storage is full")).toBe(true);
      yield* host.press("a");
      expect(host.shows("In background: no")).toBe(true);
    }, model);
  });

  test("says so when the app is gone", () => {
    run(function* (host) {
      yield* host.press("start");
      host.model.apps.shift();
      host.model.changed(APPS);
      yield 1000;
      expect(host.shows("This app is no longer installed")).toBe(true);
      yield* host.press("a", "b");
      expect(host.shows("clock")).toBe(true);
    });
  });
});
