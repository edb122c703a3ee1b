/** What is answered, and when (RFC 6762 §6, RFC 6763 §12; docs/spec/mdns.md#records). */
import { describe, expect, test } from "vitest";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import {
  ADDRESS,
  ask,
  HOST,
  HOST_DENIAL,
  INSTANCE,
  META,
  POINTER,
  SERVICE,
  SERVICE_DENIAL,
  TEXT,
  TYPE,
} from "./console-records.js";
import { query } from "./dns-messages.js";
import { announcedConsole, ConstantRandom, GROUP, PORT, SeededRandom, STRANGER } from "./emulated-link.js";

describe("an answer", () => {
  const ANSWERS = [
    {
      question: `${TYPE} PTR`,
      answers: [POINTER],
      additionals: [SERVICE, TEXT, SERVICE_DENIAL, ADDRESS, HOST_DENIAL],
    },
    { question: "_services._dns-sd._udp.local PTR", answers: [META], additionals: [] },
    { question: `${INSTANCE} SRV`, answers: [SERVICE], additionals: [ADDRESS, HOST_DENIAL] },
    { question: `${INSTANCE} TXT`, answers: [TEXT], additionals: [] },
    { question: `${INSTANCE} ANY`, answers: [SERVICE, TEXT], additionals: [ADDRESS, HOST_DENIAL] },
    { question: `${HOST} A`, answers: [ADDRESS], additionals: [HOST_DENIAL] },
    { question: `${HOST} ANY`, answers: [ADDRESS], additionals: [HOST_DENIAL] },
    { question: `${HOST} AAAA`, answers: [HOST_DENIAL], additionals: [ADDRESS] },
    { question: `${HOST} TXT`, answers: [HOST_DENIAL], additionals: [ADDRESS] },
    { question: `${INSTANCE} A`, answers: [SERVICE_DENIAL], additionals: [] },
    { question: `${HOST} NSEC`, answers: [HOST_DENIAL], additionals: [ADDRESS] },
    { question: "CONSOLE-1a2b.LOCAL A", answers: [ADDRESS], additionals: [HOST_DENIAL] },
    {
      question: "_SVC._TCP.Local ANY",
      answers: [POINTER],
      additionals: [SERVICE, TEXT, SERVICE_DENIAL, ADDRESS, HOST_DENIAL],
    },
  ];
  for (const { question, answers, additionals } of ANSWERS)
    test(`to ${question} has the requested records, and those requested next`, () => {
      const { link } = announcedConsole();
      const sent = ask(link, query(question));
      expect(sent).toHaveLength(1);
      expect(sent[0]).toMatchObject({ isResponse: true, id: 0, to: GROUP, port: PORT, questions: [] });
      expect(sent[0]?.answers).toEqual(answers);
      expect(sent[0]?.additionals).toEqual(additionals);
    });

  for (const question of [
    "_http._tcp.local PTR",
    "Console-1A2C.local A",
    "local ANY",
    "Console-1A2B.local.net A",
    `${TYPE} A`,
    "_tcp.local PTR",
  ])
    test(`is not given to ${question}`, () => {
      const { link } = announcedConsole();
      expect(ask(link, query(question))).toEqual([]);
    });

  test("is not given to a question of another class", () => {
    const { link } = announcedConsole();
    const chaos = query(`${HOST} A`);
    chaos[chaos.length - 1] = 3;
    expect(ask(link, chaos)).toEqual([]);
  });

  test("is given to a question of any class", () => {
    const { link } = announcedConsole();
    const any = query(`${HOST} A`);
    any[any.length - 1] = 255;
    expect(ask(link, any)[0]?.answers).toEqual([ADDRESS]);
  });

  test("contains no record twice", () => {
    const { link } = announcedConsole();
    const sent = ask(
      link,
      query(`${INSTANCE} SRV`, `${INSTANCE} ANY`, `${TYPE} PTR`, `${HOST} A`, `${HOST} AAAA`),
    );
    expect(sent).toHaveLength(1);
    const records = [...(sent[0]?.answers ?? []), ...(sent[0]?.additionals ?? [])];
    expect(new Set(records).size).toBe(records.length);
    expect(records).toHaveLength(6);
  });

  test("about two services of one type names the type once", () => {
    const { link, mdns } = announcedConsole();
    mdns.createAdvertisement(tcp("svc"), 8081, { name: "Second" }).start();
    link.pass(5000);
    expect(ask(link, query("_services._dns-sd._udp.local PTR"))[0]?.answers).toEqual([META]);
    expect(ask(link, query(`${TYPE} PTR`))[0]?.answers).toEqual([
      POINTER,
      `${TYPE} PTR Second._svc._tcp.local 4500`,
    ]);
  });

  test("that does not fit one message is split", () => {
    const { link, mdns } = announcedConsole();
    for (let index = 0; index < 7; index++)
      mdns
        .createAdvertisement(tcp("svc"), 9000 + index, {
          name: `Long-${index}`,
          txt: { key: "v".repeat(240) },
        })
        .start();
    link.pass(5000);
    const sent = ask(
      link,
      query(...Array.from({ length: 7 }, (_, index) => `Long-${index}._svc._tcp.local TXT`)),
    );
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.every(({ bytes }) => bytes.length <= 1472)).toBe(true);
    expect(new Set(sent.flatMap(({ answers }) => answers)).size).toBe(7);
  });
});

describe("the time of an answer", () => {
  test("is immediate for a question that no other host can answer", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.pass(1000);
    expect(ask(link, query(`${HOST} A`))[0]?.afterMs).toBe(0);
  });

  test("is 20 to 120 ms later for a shared record, evenly spread", () => {
    const { link } = announcedConsole({ random: new SeededRandom(3) });
    const delays = Array.from(
      { length: 1000 },
      () => ask(link, query(`${TYPE} PTR`), STRANGER, 2000)[0]?.afterMs ?? 0,
    );
    expect(Math.min(...delays)).toBe(20);
    expect(Math.max(...delays)).toBe(120);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 70)).toBeLessThan(3);
    for (let from = 20; from < 120; from += 20) {
      const share = delays.filter((delay) => delay >= from && delay < from + 20).length / delays.length;
      expect(share).toBeGreaterThan(0.15);
      expect(share).toBeLessThan(0.25);
    }
  });

  test("is 20 to 120 ms later for several questions, unique ones too", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    expect(ask(link, query(`${HOST} A`, `${INSTANCE} TXT`))[0]?.afterMs).toBe(120);
  });

  test("is evenly spread for several questions", () => {
    const { link } = announcedConsole({ random: new SeededRandom(4) });
    const message = query(`${TYPE} PTR`, "_services._dns-sd._udp.local PTR");
    const delays = Array.from({ length: 500 }, () => ask(link, message, STRANGER, 2000)[0]?.afterMs ?? 0);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 70)).toBeLessThan(4);
  });

  test("is shared by questions that arrive close together", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(128) });
    link.send(query(`${TYPE} PTR`), STRANGER);
    link.pass(10);
    const sent = ask(link, query("_services._dns-sd._udp.local PTR"), { ...STRANGER, address: "10.0.0.98" });
    expect(sent.map(({ answers }) => answers)).toEqual([[META, POINTER]]);
  });

  test("is a second after the previous one for the same record", () => {
    const { link } = announcedConsole();
    const first = ask(link, query(`${HOST} A`), STRANGER, 400);
    const second = ask(link, query(`${HOST} A`), STRANGER, 2000);
    expect((second[0]?.atMs ?? 0) - (first[0]?.atMs ?? 0)).toBe(1000);
    expect(second).toHaveLength(1);
  });

  test("leaves out records that all hosts received within the last second", () => {
    const { link } = announcedConsole();
    ask(link, query(`${HOST} A`), STRANGER, 300);
    const [answer] = ask(link, query(`${INSTANCE} SRV`), STRANGER, 300);
    expect([answer?.answers, answer?.additionals]).toEqual([[SERVICE], []]);
  });

  test("is never within a second of the previous one, however often requested", () => {
    const { link } = announcedConsole({ random: new SeededRandom(5) });
    const times = new Map<string, number>();
    for (let count = 0; count < 500; count++) {
      const message = count % 3 === 0 ? query(`${TYPE} PTR`) : query(`${INSTANCE} ANY`, `${HOST} A`);
      for (const { atMs, answers, additionals } of ask(link, message, STRANGER, 37))
        for (const record of [...answers, ...additionals]) {
          expect(atMs - (times.get(record) ?? 0), record).toBeGreaterThanOrEqual(1000);
          times.set(record, atMs);
        }
    }
    expect(times.size).toBe(6);
  });
});
