import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { withLock } from "../../../tools/lock.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** Longer than Linux lets a process id be, so that no process has it. */
const NO_PROCESS = 2 ** 30;

describe("A lock", () => {
  test("lets one task run at a time, and is gone afterwards", async () => {
    const place = path.join(directory.path, "one");
    const order: string[] = [];
    const task = (name: string) =>
      withLock(place, async () => {
        order.push(name);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(name);
      });
    await Promise.all([task("a"), task("b")]);
    expect(order.join("")).toMatch(/^(aabb|bbaa)$/);
    expect(readdirSync(place)).toEqual([]);
  });

  test("of a process that has ended is free", async () => {
    const place = path.join(directory.path, "ended");
    mkdirSync(place);
    writeFileSync(path.join(place, "lock"), String(NO_PROCESS));
    expect(await withLock(place, async () => "ran")).toBe("ran");
  });

  test("that cannot be made is an error, and no wait without end", async () => {
    await expect(withLock("/proc/self", async () => {})).rejects.toThrow(/lock/);
    const place = path.join(directory.path, "folder");
    mkdirSync(path.join(place, "lock"), { recursive: true });
    await expect(withLock(place, async () => {})).rejects.toThrow(/EISDIR/);
  });
});
