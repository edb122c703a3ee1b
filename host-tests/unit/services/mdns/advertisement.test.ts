/** What an advertisement takes and does (docs/spec/mdns.md#mdns-calls). */
import { describe, expect, test } from "vitest";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import { announcedConsole, EmulatedLink, host } from "./emulated-link.js";

describe("an advertisement", () => {
  test("is rejected without a name, with an invalid port, or with text that is too long", () => {
    const { mdns } = host(new EmulatedLink());
    const create = (port: number, options: object) => () =>
      mdns.createAdvertisement(tcp("svc"), port, options as { name: string });
    expect(create(80, {})).toThrow(/name/);
    expect(create(80, { name: "" })).toThrow(/name/);
    expect(create(65_536, { name: "x" })).toThrow(/port 65536/);
    expect(create(1.5, { name: "x" })).toThrow(/port/);
    expect(create(80, { name: "x", txt: { "a=b": "c" } })).toThrow(/key/);
    expect(create(80, { name: "x", domain: "example.com" })).toThrow(/"local" alone/);
    expect(create(80, { name: "x", domain: "local" })).not.toThrow();
  });

  test("is rejected past eight at a time, without a claim for its names", () => {
    const link = new EmulatedLink();
    const { mdns } = host(link);
    const advertise = (index: number) =>
      mdns.createAdvertisement(tcp("svc"), 80, { name: `S${index}`, host: "h" });
    const eight = Array.from({ length: 8 }, (_, index) => advertise(index));
    for (const one of eight) one.start();
    const ninth = advertise(9);
    expect(() => ninth.start()).toThrow(RangeError);
    eight[0]?.stop();
    ninth.start();
    expect(ninth.alias).toBe("S9._svc._tcp.local");
  });

  test("calls back after stop, not within it", () => {
    const { link, advertisement } = announcedConsole();
    let isStopped = false;
    advertisement.stop(() => {
      isStopped = true;
    });
    expect(isStopped).toBe(false);
    link.pass(0);
    expect(isStopped).toBe(true);
  });

  test("may be started and stopped twice, and again", () => {
    const { link, advertisement } = announcedConsole();
    advertisement.start();
    expect(link.pass(5000)).toEqual([]);
    advertisement.stop();
    advertisement.stop();
    expect(link.pass(5000)).toHaveLength(1);
    expect(advertisement.alias).toBe("");
    advertisement.start();
    expect(link.pass(5000)).toHaveLength(5);
  });
});

test("a port that cannot be opened is logged, and nothing is sent", () => {
  const link = new EmulatedLink();
  const { mdns, log } = host({
    ...link,
    clock: link.clock,
    get Udp() {
      return class {
        constructor() {
          throw new Error("address in use");
        }
      };
    },
  } as unknown as EmulatedLink);
  mdns.createAdvertisement(tcp("svc"), 80, { name: "x" }).start();
  expect(log.lines[0]).toBe("Cannot open port 5353 on 10.0.0.1: Error: address in use");
  expect(link.clock.timerCount).toBe(0);
});
