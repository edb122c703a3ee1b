/** The log of a console (docs/spec/logs.md#buffer). */
import { expect, test, vi } from "vitest";
import { LOG_BUFFER_BYTES } from "../../../../device/services/logs/log-line.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { emulatedRetainedMemory } from "../../../hosts/emulated-system.js";

function logService(retained = emulatedRetainedMemory(), uptimeMs = 1500) {
  const buffer = new Uint8Array(LOG_BUFFER_BYTES);
  return new LogService({ clock: { uptimeMs: () => uptimeMs }, buffer, retained, level: "info" });
}

const linesOf = (log: LogService) => {
  const lines = [];
  for (let number = log.first; number < log.next; number += 1) lines.push(log.line(number));
  return lines;
};

test("LogService keeps lines at or above its level", () => {
  const log = logService();
  log.loggerFor("http").debug("not this");
  log.loggerFor("http").warning("this");
  log.level = "error";
  log.loggerFor("http").warning("nor this");
  expect(linesOf(log)).toEqual(["1.500 W http: this"]);
});

test("LogService puts the previous run's last lines first, then a line that it ended", () => {
  const retained = emulatedRetainedMemory();
  logService(retained).write("error", "app", "the end is near");
  const log = logService(retained, 3);
  log.write("info", "boot", "hello");
  expect(linesOf(log)).toEqual([
    "1.500 E app: the end is near",
    "0.003 I boot: previous run ended here",
    "0.003 I boot: hello",
  ]);
});

test("LogService keeps the newest 16 KiB", () => {
  const log = logService();
  for (let count = 0; count < 2000; count += 1) log.write("info", "test", `line ${count}`);
  const lines = linesOf(log);
  expect(lines.at(-1)).toBe("1.500 I test: line 1999");
  const held = lines.join("\n").length + 2 * lines.length;
  expect(held).toBeGreaterThan(LOG_BUFFER_BYTES - 100);
  expect(log.first).toBe(2000 - lines.length);
});

test("LogService notifies its subscribers once per turn, after the call that logged", async () => {
  const log = logService();
  const onLines = vi.fn();
  const unsubscribe = log.subscribe(onLines);
  log.write("info", "test", "one");
  log.write("info", "test", "two");
  expect(onLines).not.toHaveBeenCalled();
  await Promise.resolve();
  expect(onLines).toHaveBeenCalledTimes(1);
  unsubscribe();
  log.write("info", "test", "three");
  await Promise.resolve();
  expect(onLines).toHaveBeenCalledTimes(1);
});

test("LogService echoes every kept line with its terminator", () => {
  const echo = vi.fn();
  const buffer = new Uint8Array(1024);
  const clock = { uptimeMs: () => 0 };
  new LogService({ clock, buffer, retained: emulatedRetainedMemory(), level: "debug", echo }).write(
    "debug",
    "a",
    "b",
  );
  expect(echo).toHaveBeenCalledWith("0.000 D a: b\n");
});
