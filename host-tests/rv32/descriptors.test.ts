/** Counters, files, addresses and poll() on RV32 (boards/rv32/kernel), as printed by native/descriptors-test.c. */
import { beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../hosts/peers.js";
import { playScenes } from "./socket-programs.js";

describe.skipIf(isMissing("rv32"))("Descriptors on RV32", () => {
  let scenes: Map<string, string[]>;
  let status: number | null;

  beforeAll(async () => {
    ({ scenes, status } = await playScenes("descriptors"));
  });

  const scene = (name: string) => scenes.get(name);

  test("inet_pton() accepts addresses of four numbers only", () => {
    expect(scene("addresses")).toEqual([
      '"0.0.0.0": 0.0.0.0',
      '"192.0.2.255": 192.0.2.255',
      ...["1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "1..2.3", " 1.2.3.4", "1.2.3.4 ", ""].map(
        (text) => `"${text}": none`,
      ),
      "IPv6: Address family not supported by protocol family",
      "too short: 1",
    ]);
  });

  test("eventfd counters are readable while they are not 0", () => {
    expect(scene("counter")).toEqual([
      "at 1: in out",
      "write: 8",
      "read: 8",
      "counted: 3",
      "at 0: out",
      "read: No more processes",
      "short read: Invalid argument",
    ]);
  });

  test("host files are left unchanged", () => {
    expect(scene("files")).toEqual(["written 1"]);
  });

  test("poll() returns after its timeout, or when another thread makes a descriptor ready", () => {
    expect(scene("waiting")).toEqual([
      "without: 0 after 0 ms",
      "for 20 ms: 0 after 20 ms",
      "before a thread is there: 0 after 20 ms",
      "for a thread: 1 after 30 ms",
    ]);
  });

  test("poll() ends the run if nothing can happen any more", () => {
    expect(scene("waiting for nothing")).toEqual([
      "script: the console has nothing left to do, and has not opened the script",
    ]);
    expect(status).toBe(1);
  });
});
