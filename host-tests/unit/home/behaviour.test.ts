/** What the home screen does: with apps, with settings, when something fails, and when nothing happens. */
import { beforeAll, describe, expect, test } from "vitest";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { ConsoleModel, failure, type ModelQuestion, modelApp } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, manyApps, runHome } from "./home-app.js";
import { type ButtonName, HEIGHT, type HomeHost, type Script, WIDTH } from "./home-host.js";
import { type Matrix, readQr } from "./qr-reader.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

const times = (count: number, button: ButtonName): ButtonName[] =>
  Array.from({ length: count }, () => button);

/** Presses that open a row of the settings. */
const setting = (row: number): ButtonName[] => ["select", ...times(row, "down"), "a"];

const posts = (model: ConsoleModel) => model.requests.filter((request) => request.startsWith("POST"));

/** Types on the keyboard, whose cursor is on q, by the keys of its first page. */
function* type(host: HomeHost, text: string): Script {
  const keys = "1234567890qwertyuiopasdfghjkl-zxcvbnm_.@";
  let at = 10;
  for (const letter of text) {
    const to = keys.indexOf(letter);
    const [row, column] = [Math.floor(to / 10) - Math.floor(at / 10), (to % 10) - (at % 10)];
    yield* host.press(...times(Math.abs(row), row < 0 ? "up" : "down"));
    yield* host.press(...times(Math.abs(column), column < 0 ? "left" : "right"), "a");
    at = to;
  }
}

/** Columns and rows between which pixels differ. */
function changedArea(before: Uint16Array, after: Uint16Array) {
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let at = 0; at < WIDTH * HEIGHT; at++)
    if (before[at] !== after[at]) {
      xs.push(at % WIDTH);
      ys.push(Math.floor(at / WIDTH));
    }
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

/** Modules of the code of version 3 that is below the title, four pixels each, in a margin of four modules. */
function codeOn(shown: Uint16Array): Matrix {
  const [size, scale, top] = [29, 4, 46 + 16];
  const left = (WIDTH - size * scale) / 2;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => shown[(top + y * scale) * WIDTH + left + x * scale] === 0),
  );
}

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
      host.model.changes++;
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

  test("does not come for an app that had crashed before", () => {
    const apps = fourApps();
    Object.assign(apps[0] as object, { last_exit: { reason: "trap", message: "old", at_ms: 1 } });
    run(function* (host) {
      expect(host.shows("An app has ended")).toBe(false);
      yield 0;
    }, new ConsoleModel(apps));
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
      host.model.changes++;
      yield 1000;
      expect(host.shows("This app is no longer installed")).toBe(true);
      yield* host.press("a", "b");
      expect(host.shows("clock")).toBe(true);
    });
  });
});

describe("Wi-Fi", () => {
  test("joins a network with the password that is typed", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("down", "a");
      yield* type(host, "solder-iron");
      yield* host.press("start");
      yield 1500;
      expect(host.shows("joined Workshop")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/wifi?ssid=Workshop&password=solder-iron"]);
  });

  test("keeps what was typed when the console does not take it", () => {
    run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("down", "a");
      yield* type(host, "short");
      yield* host.press("start");
      expect(host.shows("A password has 8 to 63")).toBe(true);
      yield* host.press("a");
      expect(host.texts).toContain("short");
    });
  });

  describe("set-up with a phone", () => {
    const CODE = "WIFI:T:WPA;S:Console-1A2B;P:k7mwp3xteh9v;;";
    const withSetup = () => Object.assign(new ConsoleModel(fourApps()), { setup: { state: "closed" } });

    function* openSetup(host: HomeHost): Script {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("down", "a");
      yield 500;
    }

    function become(host: HomeHost, more: Readonly<Record<string, unknown>>): void {
      host.model.setup = { ...host.model.setup, ...more };
    }

    test("is not offered by a console that cannot", () => {
      run(function* (host) {
        yield* host.press(...setting(0));
        yield 500;
        expect(host.shows("Set up with a phone")).toBe(false);
      });
    });

    test("shows name and password, and a code that a phone reads; B ends it", () => {
      const { model } = run(function* (host) {
        yield* openSetup(host);
        expect(host.shows("Network  Console-1A2B Password k7mwp3xteh9v Phones   0")).toBe(true);
        expect(readQr(codeOn(host.shown)).text).toBe(CODE);
        yield* host.press("b");
        yield 100;
        expect(host.shows("Look again")).toBe(true);
        expect(host.texts.join(" ")).not.toContain("k7mwp3xteh9v");
      }, withSetup());
      expect(posts(model)).toEqual(["POST /api/wifi/setup?open=true", "POST /api/wifi/setup?open=false"]);
      expect(model.setup).toMatchObject({ state: "closed" });
    });

    test("follows phones, a wrong password and the network that is joined", () => {
      const { model } = run(function* (host) {
        yield* openSetup(host);
        become(host, { clients: 2 });
        yield 1000;
        expect(host.shows("Phones   2 Choose on the phone. http://192.168.4.1/")).toBe(true);
        const last_error = { reason: "wrong_password", message: "…" };
        host.model.wifi = { state: "waiting", ssid: "Workshop", ip: "", rssi: 0, last_error };
        become(host, { last_error });
        yield 1000;
        expect(host.shows("The password is wrong.")).toBe(true);
        host.model.wifi = { state: "joining", ssid: "Workshop", ip: "", rssi: 0 };
        host.model.setup = { ...host.model.setup, state: "joining", last_error: undefined };
        yield 1000;
        expect(host.shows("joining Workshop")).toBe(true);
        host.model.wifi = { state: "joined", ssid: "Workshop", ip: "192.168.1.24", rssi: -50 };
        host.model.setup = { state: "closed", ended: "joined" };
        yield 1000;
        expect(host.shows("joined Workshop")).toBe(true);
        expect(host.texts.join(" ")).not.toContain("k7mwp3xteh9v");
        yield* host.press("b");
      }, withSetup());
      expect(posts(model)).toEqual(["POST /api/wifi/setup?open=true"]);
    });

    test("says that its time is over", () => {
      run(function* (host) {
        yield* openSetup(host);
        host.model.setup = { state: "closed", ended: "timeout" };
        yield 1000;
        expect(host.shows("The time for this is over.")).toBe(true);
      }, withSetup());
    });

    test("that the console refuses is told, and shows no page", () => {
      run(function* (host) {
        host.model.instead.set("POST /api/wifi/setup", failure(409, "wifi_busy", "Cannot be opened now"));
        yield* openSetup(host);
        expect(host.shows("Cannot be opened now")).toBe(true);
        yield* host.press("a");
        expect(host.shows("Look again")).toBe(true);
      }, withSetup());
    });

    test("does not draw again while nothing changes", () => {
      run(function* (host) {
        yield* openSetup(host);
        const before = host.flushes;
        yield 5000;
        expect(host.flushes).toBe(before);
      }, withSetup());
    });
  });

  test("joins an open network at once, by its name in UTF-8", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("down", "down", "a");
      yield 1500;
    });
    expect(posts(model)).toEqual(["POST /api/wifi?ssid=Caf%C3%A9%20Nord"]);
    expect(model.wifi).toMatchObject({ state: "joined", ssid: "Café Nord" });
  });

  test("joins a hidden network by its name", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press(...times(4, "down"), "a");
      yield* type(host, "cellar");
      yield* host.press("start");
      yield* host.press("start"); // no password
      yield 1500;
      expect(host.shows("The network was not found.")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/wifi?ssid=cellar"]);
  });

  test("forgets the network after a question", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("up", "a", "down", "a");
      yield 500;
      expect(host.shows("not set up")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/wifi?forget=true"]);
  });

  test("types capitals and symbols, deletes, and sends them encoded", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      yield* host.press("down", "a", "y", "a", "a", "x", "select", ...times(8, "a"), "start");
      yield 500;
    });
    expect(posts(model)).toEqual([`POST /api/wifi?ssid=Workshop&password=Q${"%2B".repeat(8)}`]);
  });

  test("tells a scan that fails, and keeps the networks that were found before", () => {
    run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      host.model.instead.set("GET /api/wifi/scan", failure(409, "wifi_busy", "Another scan is running"));
      yield* host.press("a");
      yield 200;
      expect(host.shows("Another scan is running")).toBe(true);
      yield* host.press("b");
      expect(host.shows("Workshop")).toBe(true);
    });
  });
});

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
        host.model.changes++;
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
});

describe("a question of the hub", () => {
  const APP: ModelQuestion = {
    ...{ id: "install-1", kind: "install", name: "tetris", version: "2.0.0" },
    ...{ size_bytes: 71_680, publisher: "Example" },
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
      host.model.changes++;
      yield 1000;
      yield* host.press("a");
      yield 1000;
      expect(host.shows("chess 2.0.0")).toBe(true);
      yield* host.press("a");
      host.model.changes++;
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
      host.model.changes++;
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
      host.model.changes++;
      yield 1000;
      expect(host.shows("tetris 3.0.0")).toBe(true);
      host.model.questions = [];
      host.model.changes++;
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

test("The mark of a plug is shown while a program of a USB host has the port open", () => {
  run(function* (host) {
    const before = host.shown.slice();
    host.model.isUsbConnected = true;
    host.model.changes++;
    yield 1000;
    const { left, right, bottom } = changedArea(before, host.shown);
    expect(left).toBeGreaterThanOrEqual(88);
    expect(right).toBeLessThan(104);
    expect(bottom).toBeLessThan(22);
    host.model.isUsbConnected = false;
    host.model.changes++;
    yield 1000;
    expect(host.shown).toEqual(before);
  });
});

describe("settings", () => {
  test.each([
    [[...setting(6), "left"], "POST /api/settings?brightness_percent=90"],
    [[...setting(6), "a"], "POST /api/settings?brightness_percent=10"],
    [[...setting(6), "down", "right"], "POST /api/settings?sleep_after_s=30"],
    [[...setting(7), "down", "a"], "POST /api/settings?start_app=%2A"],
    [[...setting(7), "down", "down", "a"], "POST /api/settings?start_app=bricks"],
    [[...setting(7), "a"], "POST /api/settings?start_app="],
    [[...setting(8), "down", "a"], "POST /api/settings?updates=automatic"],
    [[...setting(8), "down", "down", "a"], "POST /api/settings?updates=ask_all"],
  ] as const)("%o send %s", (presses, request) => {
    const { model } = run((host) => host.press(...presses));
    expect(posts(model)).toEqual([request]);
  });

  test("that another client changes are shown within a second", () => {
    run(function* (host) {
      yield* host.press(...setting(6));
      expect(host.shows("100 %")).toBe(true);
      host.model.settings["brightness_percent"] = 40;
      host.model.changes++;
      yield 1000;
      expect(host.shows("40 %")).toBe(true);
    });
  });

  test("reset the console only after two questions", () => {
    const { model } = run(function* (host) {
      yield* host.press(...setting(9), "a", "a", "down", "a", "a");
      expect(posts(host.model)).toEqual([]);
      yield* host.press("a", "down", "a", "down", "a");
      expect(host.shows("The console restarts")).toBe(true);
    });
    expect(posts(model)).toEqual(["POST /api/factory-reset"]);
  });
});

describe("the console's state", () => {
  test("is asked for again only after a change, but the status every 10 s", () => {
    const { model } = run(function* (host) {
      host.model.requests.length = 0;
      yield 30_000;
    });
    expect(model.requests).toEqual(times(3, "a").map(() => "GET /api/status"));
  });

  test("is asked for again a second after the console was busy", () => {
    const model = new ConsoleModel(fourApps());
    model.instead.set("GET /api/apps/list", failure(503, "busy", "Busy"));
    run(function* (host) {
      expect(host.shows("No apps yet")).toBe(true);
      host.model.instead.clear();
      yield 1500;
      expect(host.shows("clock")).toBe(true);
    }, model);
  });

  test("stays as it was when an answer fails", () => {
    run(function* (host) {
      for (const answer of [
        -16,
        -22,
        failure(500, "internal_error", "A bug"),
        { status: 200, body: new Uint8Array() },
      ])
        for (const path of ["GET /api/apps/list", "GET /api/status", "GET /api/hub"]) {
          host.model.instead.set(path, answer);
          host.model.changes++;
          yield 2500;
          expect(host.shows("clock"), `${path} ${JSON.stringify(answer)}`).toBe(true);
        }
    });
  });

  test("flushes nothing for a minute but the clock", () => {
    run(function* (host) {
      const { flushes } = host;
      yield 60_000;
      expect(host.flushes - flushes).toBe(1);
    });
  });

  test.each([...Array(10).keys()])("flushes nothing in setting %i, either", (row) => {
    run(function* (host) {
      yield* host.press(...setting(row));
      yield 3000;
      const { flushes } = host;
      yield 50_000;
      expect(host.flushes - flushes).toBeLessThanOrEqual(1);
    });
  });
});
