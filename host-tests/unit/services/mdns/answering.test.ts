import { describe, expect, test } from "vitest";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import { query, response, writeMessage } from "./dns-messages.js";
import {
  announcedConsole,
  ConstantRandom,
  type EmulatedLink,
  GROUP,
  PORT,
  SeededRandom,
  STRANGER,
} from "./emulated-link.js";

const HOST = "Console-1A2B.local";
const INSTANCE = "Console-1A2B._svc._tcp.local";
const TYPE = "_svc._tcp.local";
const META = "_services._dns-sd._udp.local PTR _svc._tcp.local 4500";
const POINTER = `${TYPE} PTR ${INSTANCE} 4500`;
const SERVICE = `${INSTANCE} SRV ${HOST}:8080 120 flush`;
const TEXT = `${INSTANCE} TXT fw=1.0.0;api=v1 4500 flush`;
const ADDRESS = `${HOST} A 10.0.0.1 120 flush`;
const HOST_DENIAL = `${HOST} NSEC A 120 flush`;
const SERVICE_DENIAL = `${INSTANCE} NSEC TXT,SRV 120 flush`;

/** Asks, and gives what comes with the milliseconds from the arrival of the query. */
function ask(link: EmulatedLink, message: Uint8Array, from = STRANGER, waitMs = 900) {
  const arrivalMs = link.clock.uptimeMs() + 1;
  link.send(message, from);
  return link.pass(waitMs).map((datagram) => ({ ...datagram, afterMs: datagram.atMs - arrivalMs }));
}

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
    test(`to ${question} is what was asked, and what will be asked next`, () => {
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

  test("holds no record twice", () => {
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

  test("that does not fit one message goes out in several", () => {
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
  test("is at once for a question that nobody else can answer", () => {
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

  test("is one for questions that come close together", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(128) });
    link.send(query(`${TYPE} PTR`), STRANGER);
    link.pass(10);
    const sent = ask(link, query("_services._dns-sd._udp.local PTR"), { ...STRANGER, address: "10.0.0.98" });
    expect(sent.map(({ answers }) => answers)).toEqual([[META, POINTER]]);
  });

  test("is a second after the last one for the same record", () => {
    const { link } = announcedConsole();
    const first = ask(link, query(`${HOST} A`), STRANGER, 400);
    const second = ask(link, query(`${HOST} A`), STRANGER, 2000);
    expect((second[0]?.atMs ?? 0) - (first[0]?.atMs ?? 0)).toBe(1000);
    expect(second).toHaveLength(1);
  });

  test("leaves out what everybody has heard within the last second", () => {
    const { link } = announcedConsole();
    ask(link, query(`${HOST} A`), STRANGER, 300);
    const [answer] = ask(link, query(`${INSTANCE} SRV`), STRANGER, 300);
    expect([answer?.answers, answer?.additionals]).toEqual([[SERVICE], []]);
  });

  test("is never within a second of the last one, however often is asked", () => {
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

describe("known answers", () => {
  const known = (question: string, ...answers: string[]) => writeMessage({ questions: [question], answers });

  test("are not given again", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER))).toEqual([]);
  });

  test("are given again with less than half of their life left", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER.replace("4500", "2250")))).toEqual([]);
    expect(ask(link, known(`${TYPE} PTR`, POINTER.replace("4500", "2249")))).toHaveLength(1);
  });

  test("count whatever the case of their names", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER.toUpperCase()))).toEqual([]);
  });

  test("do not count where they say something else", () => {
    const { link } = announcedConsole();
    const other = `${TYPE} PTR Other._svc._tcp.local 4500`;
    expect(ask(link, known(`${TYPE} PTR`, other))[0]?.answers).toEqual([POINTER]);
    link.pass(2000);
    expect(ask(link, known(`${HOST} A`, `${HOST} A 10.0.0.2 120`))[0]?.answers).toEqual([ADDRESS]);
  });

  test("of one question leave the answers to the others", () => {
    const { link } = announcedConsole();
    const message = writeMessage({
      questions: [`${TYPE} PTR`, "_services._dns-sd._udp.local PTR"],
      answers: [POINTER],
    });
    expect(ask(link, message)[0]?.answers).toEqual([META]);
  });

  test("of one querier do not keep the answer from another", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.send(query(`${TYPE} PTR`), { ...STRANGER, address: "10.0.0.98" });
    expect(ask(link, known(`${TYPE} PTR`, POINTER))[0]?.answers).toEqual([POINTER]);
  });

  describe("in several messages", () => {
    const first = writeMessage({
      isTruncated: true,
      questions: [`${TYPE} PTR`],
      answers: [`${TYPE} PTR x.${TYPE} 4500`],
    });
    const rest = writeMessage({ answers: [POINTER] });

    test("are waited for 400 to 500 ms", () => {
      for (const [byte, delayMs] of [
        [0, 400],
        [255, 500],
      ] as const) {
        const { link } = announcedConsole({ random: new ConstantRandom(byte) });
        expect(ask(link, first)[0]?.afterMs).toBe(delayMs);
      }
    });

    test("are not given again", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(100);
      expect(ask(link, rest)).toEqual([]);
    });

    test("are waited for again while more are promised", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(300);
      link.send(writeMessage({ isTruncated: true, answers: [`${TYPE} PTR y.${TYPE} 4500`] }), STRANGER);
      expect(link.pass(300)).toEqual([]);
      expect(ask(link, rest)).toEqual([]);
    });

    test("do not keep the answer from who asked meanwhile", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(100);
      link.send(query(`${TYPE} PTR`), { ...STRANGER, address: "10.0.0.98" });
      expect(ask(link, rest)[0]?.answers).toEqual([POINTER]);
    });

    test("do not keep the answer from who asked before", () => {
      const { link } = announcedConsole({ random: new ConstantRandom(255) });
      link.send(query(`${TYPE} PTR`), { ...STRANGER, address: "10.0.0.98" });
      link.pass(10);
      link.send(first, STRANGER);
      link.pass(10);
      expect(ask(link, rest)[0]?.answers).toEqual([POINTER]);
    });

    test("are waited for where a unicast answer is wanted, too", () => {
      const { link } = announcedConsole();
      link.send(writeMessage({ isTruncated: true, questions: [`${TYPE} PTR QU`] }), STRANGER);
      expect(link.pass(300)).toEqual([]);
      expect(ask(link, rest)).toEqual([]);
    });

    test("count from their own querier alone", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(100);
      expect(ask(link, rest, { ...STRANGER, address: "10.0.0.98" })[0]?.answers).toEqual([POINTER]);
    });
  });
});

describe("an answer of somebody else", () => {
  /** Asks for the type, and lets another host answer before the console does. */
  function answeredBefore(...answers: string[]) {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.pass(2000);
    link.send(query("_services._dns-sd._udp.local PTR"), STRANGER);
    link.pass(50);
    link.send(response(...answers), { ...STRANGER, address: "10.0.0.98" });
    return link.pass(5000);
  }

  test("makes the same one needless", () => {
    expect(answeredBefore(META)).toEqual([]);
  });

  test("makes the same one needless in a query of several questions", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.pass(2000);
    link.send(query("_services._dns-sd._udp.local PTR", `${TYPE} PTR`), STRANGER);
    link.pass(50);
    link.send(response(META), { ...STRANGER, address: "10.0.0.98" });
    expect(link.pass(5000).map(({ answers }) => answers)).toEqual([[POINTER]]);
  });

  test("with a shorter life does not", () => {
    expect(answeredBefore(META.replace("4500", "4000"))).toHaveLength(1);
  });

  test("with other data does not", () => {
    expect(answeredBefore("_services._dns-sd._udp.local PTR _http._tcp.local 4500")).toHaveLength(1);
  });

  test("with less than half of the life is corrected, asked or not", () => {
    const { link } = announcedConsole();
    link.send(response(META.replace("4500", "0")), STRANGER);
    expect(link.pass(900)[0]?.answers).toEqual([META]);
  });
});

describe("a question for a unicast answer", () => {
  const SECONDS = 1000;

  test("gets one while everybody has heard the record lately", () => {
    const { link } = announcedConsole();
    const message = writeMessage({ id: 77, questions: [`${TYPE} PTR QU`] });
    const [answer] = ask(link, message);
    expect(answer).toMatchObject({
      to: STRANGER.address,
      port: PORT,
      id: 77,
      questions: [],
      answers: [POINTER],
    });
    expect(answer?.additionals).toContain(SERVICE);
  });

  test("gets a multicast one after a quarter of the life of the record", () => {
    const { link } = announcedConsole();
    link.pass(4500 * 250 - 60_000);
    expect(ask(link, query(`${TYPE} PTR QU`))[0]?.to).toBe(STRANGER.address);
    link.pass(65 * SECONDS);
    expect(ask(link, query(`${TYPE} PTR QU`))[0]?.to).toBe(GROUP);
  });

  test("gets both where only a part is fresh", () => {
    const { link } = announcedConsole();
    link.pass(40 * SECONDS);
    const sent = ask(link, query(`${INSTANCE} TXT QU`, `${INSTANCE} SRV QU`));
    expect(sent.map(({ to, answers }) => ({ to, answers }))).toEqual([
      { to: STRANGER.address, answers: [TEXT] },
      { to: GROUP, answers: [SERVICE] },
    ]);
  });

  test("gets a multicast one where another question in the message wants that", () => {
    const { link } = announcedConsole();
    expect(ask(link, query(`${TYPE} PTR QU`, `${TYPE} PTR`))[0]?.to).toBe(GROUP);
  });
});

describe("a plain DNS resolver", () => {
  const RESOLVER = { address: "10.0.0.97", port: 49_152 };

  test("gets its id and question back, a short life and no cache-flush bits", () => {
    const { link } = announcedConsole();
    const [answer] = ask(link, writeMessage({ id: 4711, questions: [`${INSTANCE} SRV`] }), RESOLVER);
    expect(answer).toMatchObject({
      to: RESOLVER.address,
      port: RESOLVER.port,
      afterMs: 0,
      id: 4711,
      questions: [`${INSTANCE} SRV`],
      answers: [`${INSTANCE} SRV ${HOST}:8080 10`],
      additionals: [`${HOST} A 10.0.0.1 10`, `${HOST} NSEC A 10`],
    });
  });

  test("gets names in SRV records uncompressed", () => {
    const { link } = announcedConsole();
    const [answer] = ask(link, query(`${INSTANCE} SRV`), RESOLVER);
    const target = [12, ...Buffer.from("Console-1A2B"), 5, ...Buffer.from("local"), 0];
    expect(Buffer.from(answer?.bytes ?? []).includes(Buffer.from([0x1f, 0x90, ...target]))).toBe(true);
  });

  test("gets an answer however often it asks", () => {
    const { link } = announcedConsole();
    for (let count = 0; count < 5; count++)
      expect(ask(link, query(`${HOST} A`), RESOLVER, 10)).toHaveLength(1);
  });
});
