/** Listeners of a browser may call anything, and strangers bound nothing of its work. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BrowserData } from "../../../device/mdns-js/browser.js";
import { mdnsJs } from "../../../device/mdns-js/mdns-js.js";
import type { HeapAdmission } from "../../../device/services/heap/heap-admission.js";
import { response } from "../services/mdns/dns-messages.js";
import { EmulatedLink, host, STRANGER } from "../services/mdns/emulated-link.js";

const TYPE = "_http._tcp.local";
const SECONDS = 1000;

/** All records of a service. */
const recordsOf = (name: string, address = "10.0.0.99", ttl = 120) => [
  `${TYPE} PTR ${name}.${TYPE} ${ttl}`,
  `${name}.${TYPE} SRV ${name}.local:80 ${ttl} flush`,
  `${name}.${TYPE} TXT a=b ${ttl} flush`,
  `${name}.local A ${address} ${ttl} flush`,
];

const announce = (link: EmulatedLink, ...names: readonly string[]) =>
  link.send(response(...names.flatMap((name) => recordsOf(name))), STRANGER);

function browsing(type = "_http._tcp") {
  const link = new EmulatedLink();
  const { mdns, log } = host(link);
  const browser = mdnsJs(mdns).createBrowser(type);
  const heard: string[] = [];
  for (const name of ["update", "down"] as const)
    browser.on(name, ({ fullname }) => void heard.push(`${name} ${fullname.split(".")[0]}`));
  return { link, mdns, log, browser, heard };
}

describe("a listener of a browser", () => {
  test("may stop the browser: no further event follows, of those that were due with it too", () => {
    const { link, browser, heard } = browsing();
    browser.on("update", () => browser.stop());
    announce(link, "A", "B", "C");
    link.pass(10 * SECONDS);
    expect(heard).toEqual(["update A"]);
    expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
    browser.stop();
    browser.discover();
    expect(link.pass(10 * SECONDS)).toEqual([]);
  });

  test("may stop the browser when a service goes", () => {
    const { link, browser, heard } = browsing();
    announce(link, "A", "B");
    link.pass(10);
    browser.on("down", () => browser.stop());
    link.pass(300 * SECONDS);
    expect(heard).toEqual(["update A", "update B", "down A"]);
  });

  test("may close everything", () => {
    const { link, mdns, browser, heard } = browsing();
    browser.on("update", () => {
      mdns.close();
      mdns.close();
    });
    announce(link, "A", "B");
    expect(link.pass(10 * SECONDS)).toEqual([]);
    expect(heard).toEqual(["update A"]);
    expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
  });

  test("may start further browsers and the search, each time", () => {
    const { link, mdns, browser, heard } = browsing();
    const found: string[] = [];
    browser.on("update", () => {
      browser.discover();
      mdnsJs(mdns)
        .createBrowser("_http._tcp")
        .on("update", ({ fullname }) => found.push(fullname));
    });
    announce(link, "A");
    link.pass(10);
    announce(link, "A", "B");
    link.pass(10);
    expect(heard).toEqual(["update A", "update B"]);
    expect(found).toEqual([`A.${TYPE}`, `B.${TYPE}`]);
  });

  test("is called once where it was added by once, and not where it was removed before", () => {
    const { link, browser } = browsing();
    const calls: string[] = [];
    const removed = () => calls.push("removed");
    browser.once("update", () => calls.push("once"));
    browser.once("update", removed).off("update", removed);
    announce(link, "A", "B");
    link.pass(10);
    expect(calls).toEqual(["once"]);
    expect(browser.listenerCount("update")).toBe(1);
  });

  test("that throws is logged, and the other events follow", () => {
    const { link, browser, log, heard } = browsing();
    browser.prependListener("update", ({ fullname }) => {
      if (fullname.startsWith("A")) throw new TypeError("cannot read it");
    });
    browser.on("ready", () => {
      throw new Error("not ready");
    });
    announce(link, "A", "B");
    link.pass(10);
    announce(link, "C");
    link.pass(10);
    expect(heard).toEqual(["update B", "update C"]);
    expect(log.lines).toEqual([
      "A listener of a browser has failed: Error: not ready",
      "A listener of a browser has failed: TypeError: cannot read it",
    ]);
  });

  test("may keep and change the data", () => {
    const { link, browser, heard } = browsing();
    const data: BrowserData[] = [];
    browser.on("update", (service) => {
      (service.addresses as string[]).push("10.0.0.1");
      (service.txt as string[]).length = 0;
      service.type[0]?.fromString("_ntp._udp");
      data.push(service);
    });
    announce(link, "A");
    link.pass(5 * SECONDS);
    announce(link, "A");
    link.pass(5 * SECONDS);
    expect(heard).toEqual(["update A"]);
    browser.on("down", (service) => data.push(service));
    link.pass(300 * SECONDS);
    expect(data[1]).toMatchObject({ addresses: ["10.0.0.99"], txt: ["a=b"] });
    expect(String(data[1]?.type)).toBe("_http._tcp");
  });
});

describe("a browser", () => {
  test("does not follow changes of the type that it was given", () => {
    const link = new EmulatedLink();
    const { createBrowser, tcp } = mdnsJs(host(link).mdns);
    const type = tcp("http");
    createBrowser(type).discover();
    type.fromString("_services._dns-sd._udp");
    expect(link.pass(100)[0]?.questions).toEqual([`${TYPE} PTR`]);
  });

  const SUBTYPED = ["_http._tcp,printer", "_http._tcp,_printer", "_printer._sub._http._tcp"];
  for (const type of SUBTYPED)
    test(`for ${type} finds the services of that subtype alone`, () => {
      const { link, browser, heard } = browsing(type);
      browser.discover();
      expect(link.pass(100)[0]?.questions).toEqual([`_printer._sub.${TYPE} PTR`]);
      announce(link, "Other");
      const [pointer = "", ...others] = recordsOf("Lamp");
      link.send(response(`_printer._sub.${pointer}`, ...others), STRANGER);
      link.pass(10);
      expect(heard).toEqual(["update Lamp"]);
    });

  test("is refused for a subtype that is no label", () => {
    const { createBrowser } = mdnsJs(host(new EmulatedLink()).mdns);
    expect(() => createBrowser(`_http._tcp,${"x".repeat(63)}`)).toThrow(RangeError);
  });

  test("reports what has changed twice in one turn once", () => {
    const { link, heard } = browsing();
    announce(link, "A");
    link.pass(5 * SECONDS);
    link.send(response(...recordsOf("A", "10.0.0.50")), STRANGER);
    link.send(response(...recordsOf("A", "10.0.0.51")), STRANGER);
    expect(heard).toEqual(["update A"]);
    link.clock.advance(1);
    expect(heard).toEqual(["update A", "update A"]);
  });

  test("holds no more than 64 services, whatever their number, and reports each one that it forgets", () => {
    const { link, heard, browser } = browsing("_services._dns-sd._udp");
    const META = "_services._dns-sd._udp.local PTR";
    for (let round = 0; round < 20; round++) {
      for (let index = 0; index < 100; index += 10)
        link.send(
          response(...Array.from({ length: 10 }, (_, at) => `${META} _t${round}-${index + at}._tcp.local 1`)),
          STRANGER,
        );
      link.pass(5 * SECONDS);
    }
    const ups = heard.filter((event) => event.startsWith("update")).length;
    expect(ups).toBe(20 * 64);
    expect(heard).toHaveLength(2 * ups);
    expect(browser.listenerCount("update")).toBe(1);
  });
});

describe("a browser short of memory", () => {
  test("keeps no further record, and renews those that it has", () => {
    const link = new EmulatedLink();
    let hasRoom = true;
    const asked: number[] = [];
    const heap = {
      hasRoom: () => true,
      hasRoomToStay(byteLength: number) {
        asked.push(byteLength);
        return hasRoom;
      },
    } as unknown as HeapAdmission;
    const { mdns } = host(link, { heap });
    const heard: string[] = [];
    mdnsJs(mdns)
      .createBrowser("_http._tcp")
      .on("update", ({ fullname }) => heard.push(fullname));
    announce(link, "A");
    link.pass(60 * SECONDS);
    expect(asked).toHaveLength(4);
    for (const byteLength of asked) expect(byteLength).toBeGreaterThan(640);
    hasRoom = false;
    announce(link, "A", "B");
    link.pass(100 * SECONDS);
    expect(heard).toEqual([`A.${TYPE}`]);
    hasRoom = true;
    announce(link, "B");
    link.pass(10);
    expect(heard).toEqual([`A.${TYPE}`, `B.${TYPE}`]);
  });

  test("keeps no record over 1300 bytes, and reports eight addresses of a host", () => {
    const { link, browser } = browsing();
    const found: BrowserData[] = [];
    browser.on("update", (data) => found.push(data));
    const text = (strings: number) => `A.${TYPE} TXT ${Array(strings).fill("x".repeat(129)).join(";")} 120`;
    const [pointer = "", service = ""] = recordsOf("A");
    const addresses = Array.from({ length: 20 }, (_, at) => `A.local A 10.0.1.${at} 120`);
    link.send(response(pointer, service, text(11), ...addresses), STRANGER);
    link.pass(10);
    expect(found).toEqual([]);
    link.send(response(text(10)), STRANGER);
    link.pass(10);
    expect(found.map(({ addresses }) => addresses.length)).toEqual([8]);
  });
});

describe("hostile messages", () => {
  const label = fc.constantFrom(
    "_http",
    "_tcp",
    "local",
    "A",
    "a.b",
    "_sub",
    "_services",
    "_dns-sd",
    "_udp",
    "é",
    "x".repeat(63),
  );
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
  const anyName = fc.oneof(
    fc.constantFrom(TYPE, `A.${TYPE}`, `B.${TYPE}`, "a.local", "_services._dns-sd._udp.local", "."),
    name,
  );
  const ttl = fc.constantFrom("0", "1", "120", "4500", "2147483647", "4294967295");
  const flush = fc.constantFrom("", " flush");
  const data = fc.oneof(
    fc.tuple(fc.constant("PTR"), anyName),
    fc.tuple(
      fc.constant("SRV"),
      anyName.map((target) => `${target}:80`),
    ),
    fc.tuple(
      fc.constant("TXT"),
      fc
        .array(
          fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[ ;]/g, "")),
          { maxLength: 60 },
        )
        .map((strings) => strings.join(";")),
    ),
    fc.tuple(fc.constant("A"), fc.constantFrom("10.0.0.7", "10.0.0.8", "0.0.0.0")),
    fc.tuple(fc.constant("AAAA"), fc.constantFrom("fe80::1", "::")),
  );
  const record = fc
    .tuple(anyName, data, ttl, flush)
    .map(([owner, [type, text], seconds, bit]) => `${owner} ${type} ${text} ${seconds}${bit}`);
  const message = fc.array(record, { minLength: 1, maxLength: 20 });

  for (const type of ["_http._tcp", "_services._dns-sd._udp", "_a._sub._http._tcp"])
    test(`cause no fault and no more events than they have records, for ${type}`, () => {
      fc.assert(
        fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
          const { link, log, browser, heard } = browsing(type);
          const known = new Set<string>();
          browser.on("update", ({ fullname, addresses, txt = [] }) => {
            known.add(fullname);
            expect(known.size).toBeLessThanOrEqual(64);
            expect(addresses.length).toBeLessThanOrEqual(8);
            expect(txt.length).toBeLessThanOrEqual(32);
          });
          browser.on("down", ({ fullname }) => expect(known.delete(fullname)).toBe(true));
          browser.discover();
          for (const records of messages) {
            link.send(response(...records), STRANGER);
            link.pass(500);
          }
          browser.stop();
          link.pass(10);
          expect(log.lines).toEqual([]);
          expect(heard.length).toBeLessThanOrEqual(2 * messages.flat().length + 2);
          expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
        }),
        { numRuns: 300 },
      );
    });
});
