/** Pages of the log (docs/spec/logs.md#log-page). */
import { beforeEach, expect, test } from "vitest";
import { type Call, Parameters } from "../../../../device/services/api/call.js";
import type { Services } from "../../../../device/services/api/endpoint.js";
import type { ByteStream } from "../../../../device/services/api/request.js";
import { recentLog } from "../../../../device/services/logs/log-page.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { emulatedRetainedMemory } from "../../../hosts/emulated-system.js";

let log: LogService;

/** A log whose lines 0 to 5 were dropped, and which holds 6 to 9. */
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

function streamFor(parameters: Record<string, string>): ByteStream {
  const call = { parameters: new Parameters([], new Map(Object.entries(parameters))) } as Call;
  return recentLog({ log } as Services, call).stream;
}

/** Reads to the end; `meanwhile` runs after each piece. */
function textOf(stream: ByteStream, meanwhile = () => {}): string {
  let text = "";
  for (let piece = stream.next(); piece; piece = stream.next()) {
    text += new TextDecoder().decode(piece);
    meanwhile();
  }
  stream.close();
  return text;
}

function ask(parameters: Record<string, string>) {
  const { lines, next, dropped } = JSON.parse(textOf(streamFor(parameters)));
  return [lines.map((line: string) => line.slice(11, 12)).join(""), next, dropped];
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
  test(`GET /api/logs with ${JSON.stringify(asked)} returns lines "${lines}"`, () =>
    expect(ask(asked)).toEqual([lines, next, dropped]));

const largeLog = () => {
  const large = new LogService({
    clock: { uptimeMs: () => 0 },
    retained: emulatedRetainedMemory(),
    level: "info",
    buffer: new Uint8Array(16 * 1024),
  });
  const write = () => large.write("info", "t", '"quoted\\'.repeat(50));
  for (let number = 0; number < 60; number += 1) write();
  return { large, write };
};

test("GET /api/logs never has more than two lines in memory", () => {
  log = largeLog().large;
  const stream = streamFor({});
  for (let piece = stream.next(); piece; piece = stream.next()) expect(piece.length).toBeLessThan(2048);
});

test("Lines overwritten while GET /api/logs is read are counted as dropped", () => {
  const { large, write } = largeLog();
  log = large;
  const { first, next: end } = large;
  const { lines, next, dropped } = JSON.parse(
    textOf(streamFor({ since: String(first) }), () => {
      for (let count = 0; count < 3; count += 1) write();
    }),
  );
  expect(next).toBe(end);
  expect(dropped).toBeGreaterThan(0);
  expect(lines.length + dropped).toBe(end - first);
});
