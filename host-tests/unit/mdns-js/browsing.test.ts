import { describe, expect, test } from "vitest";
import type { BrowserData } from "../../../device/mdns-js/browser.js";
import { mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import { tcp } from "../../../device/services/mdns/service-type.js";
import { response, writeMessage } from "../services/mdns/dns-messages.js";
import {
  ConstantRandom,
  consoleOn,
  EmulatedLink,
  GROUP,
  host,
  STRANGER,
} from "../services/mdns/emulated-link.js";

const TYPE = "_svc._tcp.local";
const INSTANCE = `Lamp.${TYPE}`;
const POINTER = `${TYPE} PTR ${INSTANCE} 4500`;
const SERVICE = `${INSTANCE} SRV lamp.local:8080 120 flush`;
const TEXT = `${INSTANCE} TXT fw=1.0.0;api=v1 4500 flush`;
const ADDRESS = "lamp.local A 10.0.0.99 120 flush";
const ALL = [POINTER, SERVICE, TEXT, ADDRESS];
const SECONDS = 1000;

/** A browser that records its events, on a link without other hosts. */
function browsing(type = tcp("svc"), random = new ConstantRandom(0)) {
  const link = new EmulatedLink();
  const { mdns, network } = host(link, { random });
  const browser = mdnsJs(mdns).createBrowser(type);
  const events: string[] = [];
  const data: BrowserData[] = [];
  browser.on("ready", () => {
    events.push("ready");
    browser.discover();
  });
  browser.on("update", (service) => {
    events.push(`update ${service.fullname}`);
    data.push(service);
  });
  browser.on("down", (service) => events.push(`down ${service.fullname}`));
  const startMs = link.clock.uptimeMs();
  return { link, mdns, network, browser, events, data, startMs };
}

/** A browser that has found the lamp, and received no further message. */
function found() {
  const all = browsing();
  all.link.pass(500);
  all.link.send(response(...ALL), STRANGER);
  all.link.pass(10);
  return { ...all, foundMs: all.link.clock.uptimeMs() - 9 };
}

describe("a browser", () => {
  test("is ready, then queries 20 to 120 ms later", () => {
    for (const [byte, delayMs] of [
      [0, 20],
      [255, 120],
    ] as const) {
      const { link, events, startMs } = browsing(tcp("svc"), new ConstantRandom(byte));
      const [first] = link.pass(500);
      expect(events).toEqual(["ready"]);
      expect(first).toMatchObject({ to: GROUP, isResponse: false, questions: [`${TYPE} PTR`], answers: [] });
      expect((first?.atMs ?? 0) - startMs).toBe(delayMs);
    }
  });

  test("queries again after 1, 2, 4 … seconds, and finally every hour", () => {
    const { link } = browsing();
    const times = link.pass(6 * 3600 * SECONDS).map(({ atMs }) => atMs);
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / SECONDS);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600, 3600]);
  });

  test("reports a service as mdns-js does", () => {
    const { data } = found();
    expect(data).toEqual([
      {
        addresses: ["10.0.0.99"],
        query: [],
        type: [{ name: "svc", protocol: "tcp", subtypes: [] }],
        port: 8080,
        fullname: INSTANCE,
        txt: ["fw=1.0.0", "api=v1"],
        host: "lamp.local",
        interfaceIndex: 0,
        networkInterface: "10.0.0.1",
      },
    ]);
  });

  test("accepts the records of a message in any order and section", () => {
    const { link, events } = browsing();
    link.pass(100);
    link.send(
      writeMessage({ isResponse: true, answers: [ADDRESS, TEXT], additionals: [SERVICE, POINTER] }),
      STRANGER,
    );
    link.pass(10);
    expect(events).toEqual(["ready", `update ${INSTANCE}`]);
  });

  test("queries missing records of a service, and reports it once it is complete", () => {
    const { link, events } = browsing();
    link.pass(100);
    link.send(response(POINTER), STRANGER);
    expect(link.pass(100)[0]?.questions).toEqual([`${INSTANCE} SRV`, `${INSTANCE} TXT`]);
    link.send(response(SERVICE, TEXT), STRANGER);
    expect(link.pass(100)[0]?.questions).toEqual(["lamp.local A", "lamp.local AAAA"]);
    expect(events).toEqual(["ready"]);
    link.send(response(ADDRESS), STRANGER);
    link.pass(10);
    expect(events).toEqual(["ready", `update ${INSTANCE}`]);
    expect(link.pass(10 * SECONDS).every(({ questions }) => questions.join() === `${TYPE} PTR`)).toBe(true);
  });

  test("reports a service once, and again after a change", () => {
    const { link, events, data } = found();
    link.send(response(...ALL), STRANGER);
    link.pass(3000);
    expect(events).toHaveLength(2);
    link.send(response(TEXT.replace("1.0.0", "1.0.1")), STRANGER);
    link.pass(3000);
    expect(data.at(-1)?.txt).toEqual(["fw=1.0.1", "api=v1"]);
  });

  test("sends known answers when it queries again, until half of their life is over", () => {
    const { link } = found();
    const isBrowsing = ({ questions }: { questions: readonly string[] }) => questions.includes(`${TYPE} PTR`);
    const sent = link.pass(4300 * SECONDS).filter(isBrowsing);
    const elapsed = (atMs: number) => (atMs - (sent[0]?.atMs ?? 0)) / SECONDS;
    expect(sent[0]?.answers[0]).toMatch(new RegExp(`^${TYPE} PTR ${INSTANCE} 44\\d\\d$`));
    for (const { atMs, answers } of sent)
      expect(answers.length, `after ${elapsed(atMs)} s`).toBe(elapsed(atMs) < 2249 ? 1 : 0);
    expect(elapsed(sent.at(-1)?.atMs ?? 0)).toBeGreaterThan(2249);
  });

  test("queries a record at 80, 85, 90 and 95 % of its life, then forgets it", () => {
    const { link, foundMs, events } = found();
    const sent = link.pass(130 * SECONDS);
    const times = sent
      .filter(({ questions }) => questions.includes("lamp.local A"))
      .map(({ atMs }) => (atMs - foundMs) / SECONDS);
    expect(times.slice(0, 4)).toEqual([96, 102, 108, 114]);
    expect(events.at(-1)).toBe(`down ${INSTANCE}`);
  });

  test("keeps a service whose records are renewed", () => {
    const { link, events } = found();
    for (let count = 0; count < 20; count++) {
      link.pass(100 * SECONDS);
      link.send(response(SERVICE, ADDRESS), STRANGER);
    }
    expect(events).toEqual(["ready", `update ${INSTANCE}`]);
  });

  test("reports a goodbye after a second, unless the service returns within it", () => {
    const { link, events } = found();
    const goodbye = response(`${TYPE} PTR ${INSTANCE} 0`);
    link.send(goodbye, STRANGER);
    link.pass(500);
    link.send(response(POINTER), STRANGER);
    link.pass(2000);
    expect(events).toHaveLength(2);
    link.send(goodbye, STRANGER);
    link.pass(1000);
    expect(events).toHaveLength(2);
    link.pass(2);
    expect(events.at(-1)).toBe(`down ${INSTANCE}`);
  });

  test("replaces an address a second after one with the cache-flush bit, and adds one without", () => {
    const { link, data } = found();
    link.pass(5000);
    link.send(response("lamp.local A 10.0.0.50 120"), STRANGER);
    link.pass(5000);
    expect(data.at(-1)?.addresses).toEqual(["10.0.0.99", "10.0.0.50"]);
    link.send(response("lamp.local A 10.0.0.51 120 flush"), STRANGER);
    link.pass(5000);
    expect(data.at(-1)?.addresses).toEqual(["10.0.0.51"]);
  });

  test("keeps addresses that arrive within a second of each other, as the records of one answer may", () => {
    const { link, data } = found();
    link.pass(5000);
    link.send(response("lamp.local A 10.0.0.50 120 flush"), STRANGER);
    link.pass(500);
    link.send(response("lamp.local A 10.0.0.51 120 flush"), STRANGER);
    link.pass(5000);
    expect(data.at(-1)?.addresses).toEqual(["10.0.0.50", "10.0.0.51"]);
  });

  test("ignores responses that are not from port 5353, and records of other types", () => {
    const { link, events } = browsing();
    link.pass(100);
    link.send(response(...ALL), { ...STRANGER, port: 5354 });
    link.send(response(...ALL.map((record) => record.replaceAll("_svc", "_http"))), STRANGER);
    link.pass(500);
    expect(events).toEqual(["ready"]);
  });

  test("remembers at most 64 records", () => {
    const { link, events } = browsing();
    link.pass(100);
    for (let index = 0; index < 200; index++)
      link.send(
        response(`${TYPE} PTR L${index}.${TYPE} 4500`, `L${index}.${TYPE} SRV lamp.local:1 120`),
        STRANGER,
      );
    link.pass(10);
    link.send(response(TEXT, ADDRESS), STRANGER);
    link.pass(10);
    expect(events).toEqual(["ready"]);
    // What is known is 64 pointers at most, in as many messages as they take.
    const knownAnswers = link.pass(950).flatMap(({ answers }) => answers);
    expect(knownAnswers.length).toBeLessThanOrEqual(64);
  });

  test("spreads known answers over messages with the truncation bit", () => {
    const link = new EmulatedLink();
    const { mdns } = host(link);
    const browser = mdnsJs(mdns).createBrowser();
    browser.discover();
    link.pass(100);
    for (let index = 0; index < 60; index++)
      link.send(
        response(`_services._dns-sd._udp.local PTR _type-of-many-${index}._tcp.local 4500`),
        STRANGER,
      );
    const sent = link.pass(1000);
    expect(sent.map(({ isTruncated }) => isTruncated)).toEqual([true, false]);
    expect(sent.map(({ questions }) => questions.length)).toEqual([1, 0]);
    expect(new Set(sent.flatMap(({ answers }) => answers)).size).toBe(60);
  });

  test("splits its questions over several messages", () => {
    const { link } = browsing();
    link.pass(100);
    for (let index = 0; index < 50; index++)
      link.send(response(`${TYPE} PTR ${"a-long-name-".repeat(4)}${index}.${TYPE} 4500`), STRANGER);
    const sent = link.pass(500);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.flatMap(({ questions }) => questions)).size).toBe(100);
  });

  test("sends nothing once stopped", () => {
    const { link, browser, events } = found();
    browser.stop();
    browser.stop();
    link.send(response(`${TYPE} PTR ${INSTANCE} 0`), STRANGER);
    expect(link.pass(10 * SECONDS)).toEqual([]);
    expect(events).toHaveLength(2);
    expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
  });

  test("finds another console of the same program, and one on the link", () => {
    const { link, mdns, data } = browsing();
    mdns.createAdvertisement(tcp("svc"), 1, { name: "Own" }).start();
    consoleOn(link, { address: "10.0.0.2" }).advertisement.start();
    link.pass(5000);
    expect(data.map(({ fullname }) => fullname).sort()).toEqual([`Console-1A2B.${TYPE}`, `Own.${TYPE}`]);
  });

  test("forgets the services of another network, and queries again", () => {
    const { link, mdns, network, events } = found();
    network.address = "10.9.0.1";
    mdns.networkChanged();
    const sent = link.pass(100);
    expect(events.at(-1)).toBe(`down ${INSTANCE}`);
    expect(sent.map(({ from, questions }) => [from, questions.join()])).toEqual([
      ["10.9.0.1", `${TYPE} PTR`],
    ]);
  });

  test("is ready when a network is joined", () => {
    const link = new EmulatedLink();
    const { mdns, network } = host(link, { address: "" });
    let isReady = false;
    mdnsJs(mdns)
      .createBrowser(tcp("svc"))
      .on("ready", () => {
        isReady = true;
      });
    link.pass(1000);
    expect(isReady).toBe(false);
    network.address = "10.0.0.1";
    mdns.networkChanged();
    expect(isReady).toBe(false);
    link.pass(0);
    expect(isReady).toBe(true);
  });
});

test("a browser for all types reports each type once", () => {
  const link = new EmulatedLink();
  const { mdns } = host(link);
  const types: string[] = [];
  const browser = mdnsJs(mdns).createBrowser();
  browser.on("ready", () => browser.discover());
  browser.on("update", ({ type }) => types.push(String(type[0])));
  link.pass(100);
  const META = "_services._dns-sd._udp.local PTR";
  link.send(response(`${META} _http._tcp.local 4500`, `${META} _svc._tcp.local 4500`), STRANGER);
  link.send(response(`${META} _http._tcp.local 4500`, `${META} no-type.local 4500`), STRANGER);
  link.pass(10);
  expect(types).toEqual(["_http._tcp", "_svc._tcp"]);
});
