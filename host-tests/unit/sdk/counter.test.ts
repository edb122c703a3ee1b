import { beforeAll, describe, expect, test } from "vitest";
import { BUTTONS } from "../../../device/wasm/abi.js";
import { isMissing } from "../../hosts/peers.js";
import { AppHost, type AppHostOptions } from "./app-host.js";
import { COMPILE_TIMEOUT_MS, compileExample } from "./examples.js";

const A = 1 << BUTTONS.indexOf("a");
const B = 1 << BUTTONS.indexOf("b");
const SELECT = 1 << BUTTONS.indexOf("select");

describe.skipIf(isMissing("clang"))("the counter (needs clang)", () => {
  let counter: Uint8Array;
  beforeAll(async () => {
    counter = await compileExample("counter");
  }, COMPILE_TIMEOUT_MS);

  /** Holds each of `buttons` for one sleep in turn, then ends the app with select. */
  function press(buttons: readonly number[], options: AppHostOptions = {}): AppHost {
    const host = new AppHost(options);
    const scheduler = buttons.concat(SELECT);
    expect(host.run(counter, () => Object.assign(host, { held: scheduler.shift() ?? host.stop() }))).toBe(0);
    return host;
  }

  test("starts at 0", () => {
    expect(press([]).texts).toContain("Count 0");
  });

  test("adds one for each press of A", () => {
    const host = press([A, 0, A, 0]);
    expect(host.lastText("Count")).toBe("Count 2");
  });

  test("counts a held button once", () => {
    expect(press([A, A, A | B, A]).lastText("Count")).toBe("Count 0");
    expect(press([A, A, A]).lastText("Count")).toBe("Count 1");
  });

  test("starts again at B", () => {
    expect(press([A, 0, A, 0, B, 0]).lastText("Count")).toBe("Count 0");
  });

  test("keeps its value across runs, and counts the runs", () => {
    const storage = new Map<string, Uint8Array>();
    for (let run = 1; run <= 12; run++) {
      const host = press([A, 0], { storage });
      expect(host.lastText("Start")).toBe(`Start ${run}`);
      expect(host.lastText("Count")).toBe(`Count ${run}`);
    }
  });

  test("stores and logs each change, and nothing else", () => {
    const host = press([A, 0, 0, 0, B, 0]);
    expect(host.log.map(({ text }) => text)).toEqual(["count is 1", "count is 0"]);
    expect(host.stores).toBe(3); // the starts too
  });

  test("draws a change", () => {
    expect(press([A]).shown).not.toEqual(press([]).shown);
  });

  test("continues when storage is full, and logs that", () => {
    const host = press([A, 0, A, 0], { failing: { storage_write: -28 } });
    expect(host.lastText("Count")).toBe("Count 2");
    expect(host.log.filter(({ level }) => level === 3)).toHaveLength(3);
  });

  test("starts at 0 if the stored value is not a number", () => {
    const storage = new Map([["count", Uint8Array.of(1, 2)]]);
    expect(press([], { storage }).texts).toContain("Count 0");
  });

  test("treats an error as no button", () => {
    const host = new AppHost({ failing: { buttons: -19 } });
    expect(host.run(counter, () => (host.sleeps === 10 ? host.stop() : undefined))).toBe("stopped");
    expect(host.lastText("Count")).toBe("Count 0");
  });
});
