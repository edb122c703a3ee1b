/** The home screen and Wi-Fi: joining, forgetting, and setting up with a phone. */
import { beforeAll, describe, expect, test } from "vitest";
import { SETUP, WIFI } from "../../../device/home/app/parts.js";
import { ConsoleModel, failure } from "./console-model.js";
import { COMPILE_TIMEOUT_MS, compileHome, fourApps, runHome } from "./home-app.js";
import { type HomeHost, type Script, WIDTH } from "./home-host.js";
import { posts, setting, times, type } from "./presses.js";
import { type Matrix, readQr } from "./qr-reader.js";

let module: Uint8Array;
beforeAll(async () => {
  module = await compileHome();
}, COMPILE_TIMEOUT_MS);

const run = (script: (host: HomeHost) => Script, model?: ConsoleModel) => runHome(module, script, model);

/** Modules of the code of version 3 that is below the title, four pixels each, in a margin of four modules. */
function codeOn(shown: Uint16Array): Matrix {
  const [size, scale, top] = [29, 4, 46 + 16];
  const left = (WIDTH - size * scale) / 2;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => shown[(top + y * scale) * WIDTH + left + x * scale] === 0),
  );
}

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
      host.model.changed(SETUP | WIFI);
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
        become(host, { state: "joining", last_error: undefined });
        yield 1000;
        expect(host.shows("joining Workshop")).toBe(true);
        host.model.wifi = { state: "joined", ssid: "Workshop", ip: "192.168.1.24", rssi: -50 };
        become(host, { state: "closed", ended: "joined" });
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
        become(host, { state: "closed", ended: "timeout" });
        yield 1000;
        expect(host.shows("The time for this is over.")).toBe(true);
      }, withSetup());
    });

    test("says that another client has ended it", () => {
      run(function* (host) {
        yield* openSetup(host);
        become(host, { state: "closed", ended: "closed" });
        yield 1000;
        expect(host.shows("This was ended elsewhere.")).toBe(true);
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

  // docs/spec/wifi.md#scan
  test("says that there are networks which the list does not have", () => {
    const model = new ConsoleModel(fourApps());
    model.instead.set("GET /api/wifi/scan", {
      status: 200,
      body: new TextEncoder().encode(
        JSON.stringify({
          networks: [{ ssid: "Workshop", rssi: -50, channel: 6, secured: true }],
          more: true,
        }),
      ),
    });
    run(function* (host) {
      yield* host.press(...setting(0));
      yield 500;
      expect(host.shows("Other (there are more)")).toBe(true);
    }, model);
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
