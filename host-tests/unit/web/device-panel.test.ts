/** Charts and texts of the Device panel. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { SystemInfo } from "../../../protocol/device/answers.js";
import { BAR_STEPS, barsPath, inWords } from "../../../web/panels/device/bars-path.js";
import {
  advance,
  HISTORY_LENGTH,
  type SystemView,
  valuesOver,
} from "../../../web/panels/device/use-system.js";
import { signalInWords, wifiInWords } from "../../../web/panels/device/words.js";
import { pathOf } from "../../../web/parts/bitmaps.js";

const percent = (value: number) => `${value}%`;

test("the newest bar is at the right, and zero has a visible bar", () => {
  assert.equal(barsPath([0, 100], 100, 60), `M232 24v-1h3v1zM236 24v-24h3v24z`);
  assert.equal(barsPath([], 100, 60), "");
});

test("values without bounds have bars, too", () => {
  assert.equal(barsPath([Infinity, -Infinity], Infinity, 2), "M0 24v-24h3v24zM4 24v-1h3v1z");
});

test("any values give bars within the picture, as many as there is room for", () =>
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true })), fc.double({ noNaN: true }), (values, maximum) => {
      const bars = [...barsPath(values, maximum, 60).matchAll(/M(\d+) 24v-(\d+)h3v\d+z/g)];
      assert.equal(bars.length, Math.min(60, values.length));
      for (const [, x, height] of bars) {
        assert.ok(Number(x) >= 0 && Number(x) <= 236);
        assert.ok(Number(height) >= 1 && Number(height) <= BAR_STEPS);
      }
    }),
  ));

test("a chart has a text for screen readers", () => {
  assert.equal(
    inWords([3, 15, 4], percent, "last 2 minutes"),
    "Now 4%, between 3% and 15% in the last 2 minutes",
  );
  assert.equal(inWords([], percent, "last 2 minutes"), "No values yet");
});

function systemOf(mac: string, load: number): SystemInfo {
  const heap = { total_bytes: 1000, free_bytes: 400, minimum_free_bytes: 100 };
  return { mac, cpu: { model: "x", cores: 1, load_percent: load }, heap } as unknown as SystemInfo;
}

test("the charts continue over restarts, cover a limited time, and start anew with another console", () => {
  let view: SystemView = { system: undefined, history: [] };
  for (let load = 0; load < HISTORY_LENGTH + 5; load++)
    view = advance(view, systemOf("a", load), load * 2000);
  assert.equal(view.history.length, HISTORY_LENGTH);
  assert.deepEqual(view.history[0], { atMs: 10_000, loadPercent: 5, heapUsedBytes: 600 });
  view = advance(view, systemOf("b", 7), 200_000);
  assert.deepEqual(view.history, [{ atMs: 200_000, loadPercent: 7, heapUsedBytes: 600 }]);
});

test("the charts continue with a gap when the user comes back", () => {
  let view: SystemView = { system: undefined, history: [] };
  for (const [atMs, load] of [
    [0, 1],
    [2050, 2],
    [7990, 5],
  ] as const)
    view = advance(view, systemOf("a", load), atMs);
  const values = valuesOver(view.history, ({ loadPercent }) => loadPercent);
  assert.equal(values.length, HISTORY_LENGTH);
  assert.deepEqual(values.slice(-6), [undefined, 1, 2, undefined, undefined, 5]);
  assert.equal(barsPath([...values], 100, HISTORY_LENGTH).match(/M/g)?.length, 3);
  assert.equal(inWords(values, percent, "last 2 minutes"), "Now 5%, between 1% and 5% in the last 2 minutes");
});

test("states and signal strengths of networks are shown as text", () => {
  assert.equal(wifiInWords({ state: "unprovisioned", ip: "", rssi: 0 }), "No network has been set up");
  assert.equal(wifiInWords({ state: "joining", ssid: "home", ip: "", rssi: 0 }), "Joining home …");
  assert.equal(wifiInWords({ state: "joined", ssid: "home", ip: "1.2.3.4", rssi: -50 }), "In home");
  assert.equal(
    wifiInWords({ state: "waiting", ssid: "home", ip: "", rssi: 0 }),
    "Not connected to home; retrying",
  );
  assert.deepEqual([0, -48, -71, -88].map(signalInWords), [
    "By wire",
    "Strong, -48 dBm",
    "Good, -71 dBm",
    "Weak, -88 dBm",
  ]);
});

test("a picture is one rectangle for each run of its pixels", () => {
  assert.equal(pathOf("##.#\n....\n.###"), "M0 0h2v1h-2zM3 0h1v1h-1zM1 2h3v1h-3z");
});
