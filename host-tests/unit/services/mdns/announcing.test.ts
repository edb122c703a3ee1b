/** Names are announced and taken back (docs/spec/mdns.md#goodbye). */
import { describe, expect, test } from "vitest";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import { query, response, writeMessage } from "./dns-messages.js";
import {
  announcedConsole,
  ConstantRandom,
  consoleOn,
  EmulatedLink,
  GROUP,
  host,
  STRANGER,
} from "./emulated-link.js";

const HOST = "Console-1A2B.local";
const INSTANCE = "Console-1A2B._svc._tcp.local";
const META = "_services._dns-sd._udp.local PTR _svc._tcp.local";
const POINTER = `_svc._tcp.local PTR ${INSTANCE}`;
const ANNOUNCED = [
  `${HOST} A 10.0.0.1 120 flush`,
  `${META} 4500`,
  `${POINTER} 4500`,
  `${INSTANCE} SRV ${HOST}:8080 120 flush`,
  `${INSTANCE} TXT fw=1.0.0;api=v1 4500 flush`,
];

describe("announcing", () => {
  function announcements(random = new ConstantRandom(0)) {
    const link = new EmulatedLink();
    consoleOn(link, { random }).advertisement.start();
    const startMs = link.clock.uptimeMs();
    return link
      .pass(60_000)
      .filter(({ isResponse }) => isResponse)
      .map((datagram) => ({ ...datagram, atMs: datagram.atMs - startMs }));
  }

  test("follows the third probe by 250 ms, and again after a second", () => {
    expect(announcements().map(({ atMs }) => atMs)).toEqual([750, 1750]);
  });

  test("goes to all hosts with all records, unique ones with the cache-flush bit and shared ones without", () => {
    for (const { to, id, questions, answers } of announcements()) {
      expect({ to, id, questions }).toEqual({ to: GROUP, id: 0, questions: [] });
      expect(answers.filter((record) => !record.includes(" NSEC "))).toEqual(ANNOUNCED);
    }
  });

  test("leaves no timer, and nothing is sent unsolicited for a day", () => {
    const { link } = announcedConsole();
    expect(link.clock.timerCount).toBe(0);
    expect(link.pass(86_400_000)).toEqual([]);
  });

  test("goes out with an IP time to live of 255", () => {
    const { link } = announcedConsole();
    expect([...link.sockets].map(({ timeToLive }) => timeToLive)).toEqual([255]);
  });

  test("denies an AAAA record, and announces one if there is one", () => {
    const { link } = announcedConsole({ addressIpv6: "fe80::1" });
    link.send(query(`${HOST} AAAA`), STRANGER);
    const [answer] = link.pass(500);
    expect(answer?.answers).toEqual([`${HOST} AAAA fe80::1 120 flush`]);
    expect(answer?.additionals).toEqual([`${HOST} A 10.0.0.1 120 flush`, `${HOST} NSEC A,AAAA 120 flush`]);
  });

  test("names hosts with letters, digits and hyphens alone", () => {
    const link = new EmulatedLink();
    const { mdns } = host(link);
    mdns.createAdvertisement(tcp("svc"), 80, { name: "Anna's Konsole" }).start();
    const [probe] = link.pass(100);
    expect(probe?.questions).toEqual([
      "Anna-s-Konsole.local ANY QU",
      "Anna's\\032Konsole._svc._tcp.local ANY QU",
    ]);
  });
});

describe("a later conflict", () => {
  test("about an address makes the host probe again, and keep a name that no other host defends", () => {
    const { link, log, advertisement } = announcedConsole();
    link.send(response(`${HOST} A 10.0.0.7 120 flush`), STRANGER);
    const [first, second, third, announcement] = link.pass(3000);
    for (const probe of [first, second, third]) expect(probe?.questions).toEqual([`${HOST} ANY QU`]);
    expect(announcement?.answers[0]).toBe(`${HOST} A 10.0.0.1 120 flush`);
    expect(advertisement.alias).toBe(INSTANCE);
    expect(log.lines).toContain(`${HOST} is contested`);
  });

  test("about a service makes the instance probe again, and take another name if the other host defends it", () => {
    const { link, advertisement } = announcedConsole();
    const theirs = response(`${INSTANCE} SRV other.local:1 120 flush`);
    link.send(theirs, STRANGER);
    const [first] = link.pass(300);
    expect(first?.questions).toEqual([`${INSTANCE} ANY QU`]);
    link.send(theirs, STRANGER);
    link.pass(3000);
    expect(advertisement.alias).toBe("Console-1A2B (2)._svc._tcp.local");
  });

  test("about two records of a name counts as one conflict", () => {
    const { link, advertisement } = announcedConsole();
    link.send(response(`${INSTANCE} SRV other.local:1 120`, `${INSTANCE} TXT x=y 4500`), STRANGER);
    link.pass(5000);
    expect(advertisement.alias).toBe(INSTANCE);
  });

  test("is not detected in a record type that the console does not have", () => {
    const { link } = announcedConsole();
    link.send(response(`${HOST} AAAA fe80::9 120`), STRANGER);
    expect(link.pass(3000)).toEqual([]);
  });
});

describe("goodbye", () => {
  test("withdraws every record at once", () => {
    const { link, advertisement } = announcedConsole();
    advertisement.stop();
    const [goodbye] = link.pass(0);
    expect(goodbye?.to).toBe(GROUP);
    expect([...(goodbye?.answers ?? [])].sort()).toEqual(
      ANNOUNCED.map((record) => record.replace(/ (120|4500)/, " 0")).sort(),
    );
  });

  test("leaves no answer, no timer and no socket", () => {
    const { link, advertisement } = announcedConsole();
    advertisement.stop();
    link.pass(10);
    link.send(query("_svc._tcp.local PTR"), STRANGER);
    expect(link.pass(5000)).toEqual([]);
    expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
  });

  test("is not sent for a name that was not claimed", () => {
    const link = new EmulatedLink();
    const { advertisement } = consoleOn(link);
    advertisement.start();
    link.pass(600);
    advertisement.stop();
    expect(link.pass(5000)).toEqual([]);
  });

  test("keeps the records that another service of the host still has", () => {
    const { link, mdns, advertisement } = announcedConsole();
    const second = mdns.createAdvertisement(tcp("svc"), 8081, { name: "Second", host: "Console-1A2B" });
    second.start();
    link.pass(5000);
    advertisement.stop();
    expect(link.pass(10)[0]?.answers).toEqual([
      `_svc._tcp.local PTR ${INSTANCE} 0`,
      `${INSTANCE} SRV ${HOST}:8080 0 flush`,
      `${INSTANCE} TXT fw=1.0.0;api=v1 0 flush`,
    ]);
    link.pass(2000);
    link.send(query(`${HOST} A`), STRANGER);
    expect(link.pass(500)[0]?.answers).toEqual([`${HOST} A 10.0.0.1 120 flush`]);
    second.stop();
    expect(link.pass(10)[0]?.answers).toContain(`${META} 0`);
  });

  test("is sent for all records when the program ends", () => {
    const { link, mdns } = announcedConsole();
    mdns.close();
    mdns.close();
    const said = link.pass(1000);
    expect(said).toHaveLength(1);
    expect(said[0]?.answers).toContain(`${POINTER} 0`);
    expect(link.sockets.size).toBe(0);
  });
});

describe("a change of the network", () => {
  test("to another address causes a goodbye with the old one, then probes and announcements", () => {
    const { link, mdns, network } = announcedConsole();
    network.address = "10.0.0.5";
    mdns.networkChanged();
    const [goodbye] = link.take();
    expect([goodbye?.from, goodbye?.answers[0]]).toEqual(["10.0.0.1", `${HOST} A 10.0.0.1 0 flush`]);
    const sent = link.pass(5000);
    expect(sent.every(({ from }) => from === "10.0.0.5")).toBe(true);
    expect(sent.filter(({ isResponse }) => !isResponse)).toHaveLength(3);
    expect(sent.filter(({ isResponse }) => isResponse).map(({ answers }) => answers[0])).toEqual([
      `${HOST} A 10.0.0.5 120 flush`,
      `${HOST} A 10.0.0.5 120 flush`,
    ]);
  });

  test("is preceded by a goodbye, and names are claimed anew if the network stays", () => {
    const { link, mdns, network } = announcedConsole();
    mdns.networkEnds();
    expect(link.take().map(({ answers }) => answers)).toEqual([expect.arrayContaining([`${POINTER} 0`])]);
    expect(link.pass(5000).map(({ isResponse }) => isResponse)).toEqual([false, false, false, true, true]);
    mdns.networkEnds();
    network.address = "";
    mdns.networkChanged();
    expect(link.take()).toHaveLength(1);
  });

  test("to no network stops all messages, and its return starts the claims anew", () => {
    const { link, mdns, network } = announcedConsole();
    network.address = "";
    mdns.networkChanged();
    link.take();
    expect(link.pass(5000)).toEqual([]);
    expect([link.sockets.size, link.clock.timerCount]).toEqual([0, 0]);
    network.address = "10.0.0.1";
    mdns.networkChanged();
    expect(link.pass(5000).map(({ isResponse }) => isResponse)).toEqual([false, false, false, true, true]);
  });

  test("without a difference has no effect", () => {
    const { link, mdns } = announcedConsole();
    mdns.networkChanged();
    expect(link.pass(5000)).toEqual([]);
  });

  test("before the first network keeps a service waiting for it", () => {
    const link = new EmulatedLink();
    const { mdns, network, advertisement } = consoleOn(link, { address: "" });
    advertisement.start();
    expect(link.pass(5000)).toEqual([]);
    network.address = "10.0.0.1";
    mdns.networkChanged();
    expect(link.pass(5000)).toHaveLength(5);
  });

  test("onto a link where the name is taken selects the next one", () => {
    const { link, mdns, network, advertisement } = announcedConsole();
    const other = consoleOn(link, { address: "10.9.0.2" });
    link.unplugged.add("10.9.0.2");
    other.advertisement.start();
    link.pass(5000);
    link.unplugged.delete("10.9.0.2");
    network.address = "10.9.0.1";
    mdns.networkChanged();
    link.pass(10_000);
    expect([other.advertisement.alias, advertisement.alias]).toEqual([
      INSTANCE,
      "Console-1A2B (2)._svc._tcp.local",
    ]);
  });
});

test("a manual name change withdraws the old name, then probes for and announces the new one", () => {
  const { link, mdns, advertisement } = announcedConsole();
  advertisement.stop();
  mdns.createAdvertisement(tcp("svc"), 8080, { name: "Kitchen", txt: { fw: "1.0.0", api: "v1" } }).start();
  const [goodbye, ...rest] = link.pass(5000);
  expect(goodbye?.answers).toContain(`${POINTER} 0`);
  expect(rest.map(({ isResponse }) => isResponse)).toEqual([false, false, false, true, true]);
  expect(rest.at(-1)?.answers).toContain("_svc._tcp.local PTR Kitchen._svc._tcp.local 4500");
});

test("two advertisements of one name in one console get two names", () => {
  const { link, mdns } = announcedConsole();
  const twin = mdns.createAdvertisement(tcp("svc"), 8081, { name: "Console-1A2B" });
  twin.start();
  link.pass(5000);
  expect(twin.alias).toBe("Console-1A2B (2)._svc._tcp.local");
});

test("a probe for a claimed name is refused within 250 ms, each time", () => {
  const { link } = announcedConsole();
  const probe = writeMessage({
    questions: [`${INSTANCE} ANY`],
    authorities: [`${INSTANCE} SRV other.local:1 120`],
  });
  const refusals: number[] = [];
  for (let count = 0; count < 3; count++) {
    link.send(probe, STRANGER);
    for (const { answers } of link.pass(250))
      if (answers.includes(`${INSTANCE} SRV ${HOST}:8080 120 flush`)) refusals.push(count);
  }
  expect(refusals).toEqual([0, 1, 2]);
});
