/** A reader that falls behind (docs/spec/logs.md#lost-lines). */
import { expect, test } from "vitest";
import type { LogLines } from "../../../../device/services/logs/log-line.js";
import { LogFollower } from "../../../../device/services/logs/log-page.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

/** A log that keeps its newest three lines. */
class ShortLog implements LogLines {
  first = 0;
  next = 0;

  line(number: number): string {
    if (number < this.first || number >= this.next) throw new RangeError(`No line ${number}`);
    return `line ${number}`;
  }

  add(count: number): void {
    this.next += count;
    this.first = Math.max(this.first, this.next - 3);
  }

  subscribe(): () => void {
    return () => undefined;
  }
}

function all(follower: LogFollower): string[] {
  const lines: string[] = [];
  for (let line = follower.next(); line !== undefined; line = follower.next()) lines.push(line);
  return lines;
}

function followed() {
  const log = new ShortLog();
  return { log, follower: new LogFollower(log, new EmulatedClock(61_005), "usb") };
}

test("LogFollower returns buffered lines and then new ones, each once", () => {
  const { log, follower } = followed();
  log.add(2);
  expect(all(follower)).toEqual(["line 0", "line 1"]);
  log.add(1);
  expect(all(follower)).toEqual(["line 2"]);
  expect(all(follower)).toEqual([]);
});

test("LogFollower begins with the oldest buffered line, and counts none before it as lost", () => {
  const { log } = followed();
  log.add(9);
  expect(all(new LogFollower(log, new EmulatedClock(), "usb"))).toEqual(["line 6", "line 7", "line 8"]);
});

test("LogFollower reports how many lines it has lost, at their place", () => {
  const { log, follower } = followed();
  log.add(2);
  follower.next();
  log.add(7);
  expect(all(follower)).toEqual(["61.005 W usb: 5 log lines were lost", "line 6", "line 7", "line 8"]);
});

test("LogFollower skips lost lines silently when configured to", () => {
  const { log, follower } = followed();
  log.add(9);
  follower.skipLost();
  expect(all(follower)).toEqual(["line 6", "line 7", "line 8"]);
});

test("LogFollower rewinds to the oldest buffered line", () => {
  const { log, follower } = followed();
  log.add(4);
  all(follower);
  follower.rewind();
  expect(all(follower)).toEqual(["line 1", "line 2", "line 3"]);
});
