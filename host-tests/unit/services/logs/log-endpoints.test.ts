import { beforeEach, expect, test } from "vitest";
import type { Call, Services } from "../../../../device/services/api/endpoint.js";
import { Parameters } from "../../../../device/services/api/parameters.js";
import { recentLog } from "../../../../device/services/logs/log-endpoints.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { emulatedRetainedMemory } from "../../../hosts/emulated-system.js";

let log: LogService;

/** A log of which the lines 0 to 5 are gone and 6 to 9 are there. */
beforeEach(() => {
  const buffer = new Uint8Array(4 * "0.000 I t: 0__".length + 4 * 2);
  log = new LogService({
    clock: { uptimeMs: () => 0 },
    retained: emulatedRetainedMemory(),
    level: "info",
    buffer,
  });
  for (let number = 0; number < 10; number += 1) log.write("info", "t", `${number}__`);
});

function ask(parameters: Record<string, string>) {
  const call = { parameters: new Parameters([], new Map(Object.entries(parameters))) } as Call;
  const { lines, next, dropped } = recentLog({ log } as Services, call).body as {
    lines: string[];
    next: number;
    dropped: number;
  };
  return [lines.map((line) => line.slice(11, 12)).join(""), next, dropped];
}

const ANSWERS = [
  { asked: {}, lines: "6789", next: 10, dropped: 0 },
  { asked: { limit: "2" }, lines: "89", next: 10, dropped: 0 },
  { asked: { limit: "0" }, lines: "", next: 10, dropped: 0 },
  { asked: { since: "8" }, lines: "89", next: 10, dropped: 0 },
  { asked: { since: "10" }, lines: "", next: 10, dropped: 0 },
  { asked: { since: "2" }, lines: "6789", next: 10, dropped: 4 },
  { asked: { since: "2", limit: "1" }, lines: "6", next: 7, dropped: 4 },
  { asked: { since: "7", limit: "2" }, lines: "78", next: 9, dropped: 0 },
  { asked: { since: "11" }, lines: "6789", next: 10, dropped: 0 },
];

for (const { asked, lines, next, dropped } of ANSWERS)
  test(`GET /api/logs with ${JSON.stringify(asked)} gives lines "${lines}"`, () =>
    expect(ask(asked)).toEqual([lines, next, dropped]));
