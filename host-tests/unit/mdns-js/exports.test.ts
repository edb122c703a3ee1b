/** The exports of the package, and what its browsers report of one message. */
import { describe, expect, test } from "vitest";
import { Browser, type BrowserData } from "../../../device/mdns-js/browser.js";
import { mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import { Advertisement } from "../../../device/services/mdns/advertisement.js";
import { response } from "../services/mdns/dns-messages.js";
import { consoleOn, EmulatedLink, host, STRANGER } from "../services/mdns/emulated-link.js";
import { decodeAsPublished, published } from "./package.js";

const onLink = (link: EmulatedLink) => mdnsJs(host(link).mdns);

describe("the exports", () => {
  test("are those of the package, with its name and version", () => {
    const exported = onLink(new EmulatedLink());
    expect(Object.keys(exported).sort()).toEqual(Object.keys(published).sort());
    for (const [name, value] of Object.entries(published))
      expect([name, typeof exported[name as keyof typeof exported]]).toEqual([name, typeof value]);
    expect([exported.name, exported.version]).toEqual([published.name, published.version]);
  });

  test("work without the object that they came from", () => {
    const { createBrowser, createAdvertisement, excludeInterface, tcp, udp, makeServiceType } = onLink(
      new EmulatedLink(),
    );
    excludeInterface("0.0.0.0");
    excludeInterface("eth0");
    expect(createBrowser(udp("ntp"))).toBeInstanceOf(Browser);
    expect(createAdvertisement(tcp("http"), 80, { name: "x" })).toBeInstanceOf(Advertisement);
    expect(String(makeServiceType("http", "tcp", "a"))).toBe("_http._tcp,a");
  });

  test("have the classes whose instances the functions create", () => {
    const link = new EmulatedLink();
    const { mdns } = host(link);
    const exported = mdnsJs(mdns);
    const options = { name: "x" };
    const advertisement = new exported.Advertisement(mdns.engine, exported.tcp("http"), 80, options);
    advertisement.start();
    link.pass(5000);
    expect(advertisement.alias).toBe("x._http._tcp.local");
    expect([advertisement.port, advertisement.options]).toEqual([80, options]);
    const browser = new exported.Browser(mdns.engine, "_http._tcp");
    expect(browser.serviceType).toBe("_http._tcp");
    expect(exported.createBrowser().serviceType).toBe(exported.ServiceType.wildcard);
  });

  test("refuse what is no service type", () => {
    const { createBrowser, createAdvertisement } = onLink(new EmulatedLink());
    for (const type of [5, null, {}, ["http", "tcp"], "", "http"] as unknown as string[])
      expect(() => createBrowser(type)).toThrow(RangeError);
    expect(() => createAdvertisement("http", 80, { name: "x" })).toThrow(RangeError);
    expect(() => createAdvertisement("_http._tcp", 80, {} as { name: string })).toThrow(/name/);
    expect(() => createAdvertisement("_http._tcp", 80, undefined as unknown as { name: string })).toThrow(
      /name/,
    );
  });
});

describe("the data of an update is what the package makes of the message", () => {
  /** What our browser reports of one message. */
  function reportOf(bytes: Uint8Array, type: string): BrowserData | undefined {
    const link = new EmulatedLink();
    const reports: BrowserData[] = [];
    onLink(link)
      .createBrowser(type)
      .on("update", (data) => reports.push(data));
    link.send(bytes, STRANGER);
    link.pass(10);
    expect(reports.length).toBeLessThanOrEqual(1);
    return reports[0];
  }

  const texts = (types: readonly { toString(): string }[] | undefined) => types?.map(String);

  test("for a service with all of its records", () => {
    const message = response(
      "_http._tcp.local PTR Lamp._http._tcp.local 4500",
      "Lamp._http._tcp.local SRV lamp.local:8080 120 flush",
      "Lamp._http._tcp.local TXT a=1;b=two 4500 flush",
      "lamp.local A 10.0.0.99 120 flush",
    );
    const theirs = decodeAsPublished(message);
    const ours = reportOf(message, "_http._tcp");
    expect(theirs).toMatchObject({ fullname: "Lamp._http._tcp.local", port: 8080 });
    const { fullname, port, host: hostName, txt, query } = ours as BrowserData;
    expect({ fullname, port, host: hostName, txt, query }).toEqual({
      fullname: theirs?.fullname,
      port: theirs?.port,
      host: theirs?.host,
      txt: theirs?.txt,
      query: theirs?.query,
    });
    expect(texts(ours?.type)).toEqual(texts(theirs?.type));
    expect(ours?.addresses).toEqual([STRANGER.address]);
  });

  test("for a type in the list of types", () => {
    const message = response("_services._dns-sd._udp.local PTR _http._tcp.local 4500");
    const theirs = decodeAsPublished(message);
    const ours = reportOf(message, "_services._dns-sd._udp");
    expect(texts(ours?.type)).toEqual(texts(theirs?.type));
    expect(ours?.query).toEqual(theirs?.query);
    expect(ours?.addresses).toEqual([STRANGER.address]);
  });

  test("for what a console announces", () => {
    const link = new EmulatedLink();
    consoleOn(link).advertisement.start();
    const announced = link.pass(5000).filter(({ isResponse }) => isResponse);
    const theirs = decodeAsPublished(announced.at(-1)?.bytes as Uint8Array);
    expect(texts(theirs?.type)).toContain("_svc._tcp");
    expect(theirs).toMatchObject({
      fullname: "Console-1A2B._svc._tcp.local",
      port: 8080,
      txt: ["fw=1.0.0", "api=v1"],
    });
  });
});
