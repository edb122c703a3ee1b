/** Code that was written for mdns-js runs (docs/spec/mdns.md#mdns-calls). */
import { describe, expect, test } from "vitest";
import { makeServiceType, ServiceType, tcp, udp } from "../../../../device/services/mdns/domain-name.js";
import { announcedConsole, EmulatedLink, host } from "./emulated-link.js";

describe("service types", () => {
  test("are created by tcp and udp, with or without underscore", () => {
    expect([tcp("svc"), tcp("_svc"), udp("ntp")].map(String)).toEqual([
      "_svc._tcp",
      "_svc._tcp",
      "_ntp._udp",
    ]);
    expect(tcp("http", "_printer").subtypes).toEqual(["printer"]);
  });

  const WRITTEN = [
    { type: "_http._tcp", is: "_http._tcp" },
    { type: "_http._tcp.local", is: "_http._tcp" },
    { type: "_http", is: "_http._tcp" },
    { type: "_http._tcp,_printer", is: "_http._tcp,printer" },
    { type: ["http", "udp"], is: "_http._udp" },
    { type: { name: "_http", protocol: "_tcp" }, is: "_http._tcp" },
    { type: ServiceType.wildcard, is: "_services._dns-sd._udp" },
  ];
  for (const { type, is } of WRITTEN)
    test(`are read from ${JSON.stringify(type)}`, () => expect(String(makeServiceType(type))).toBe(is));

  for (const type of [
    "",
    "http",
    "_http.tcp",
    "_http._ip",
    "_a._b._c._tcp",
    "_h ttp._tcp",
    `_${"x".repeat(21)}._tcp`,
  ])
    test(`are rejected in "${type}"`, () => expect(() => makeServiceType(type)).toThrow(RangeError));

  test("match regardless of subtypes", () => {
    expect(tcp("http", "printer").matches(tcp("http"))).toBe(true);
    expect(tcp("http").matches(udp("http"))).toBe(false);
    expect(makeServiceType(ServiceType.wildcard).isWildcard()).toBe(true);
  });
});

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
    expect(ninth.fullname).toBe("S9._svc._tcp.local");
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
    expect(advertisement.fullname).toBe("");
    advertisement.start();
    expect(link.pass(5000)).toHaveLength(5);
  });
});

test("a removed listener is not called", () => {
  const link = new EmulatedLink();
  const browser = host(link).mdns.createBrowser(tcp("svc"));
  const heard: string[] = [];
  const listener = () => heard.push("removed");
  browser.on("ready", listener).on("ready", () => heard.push("kept"));
  browser.removeListener("ready", listener);
  link.pass(10);
  expect(heard).toEqual(["kept"]);
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
