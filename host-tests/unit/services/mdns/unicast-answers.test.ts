/** Answers to one querier alone (RFC 6762 §5.4 and §6.7). */
import { describe, expect, test } from "vitest";
import { ask, HOST, INSTANCE, POINTER, SERVICE, TEXT, TYPE } from "./console-records.js";
import { query, writeMessage } from "./dns-messages.js";
import { announcedConsole, GROUP, PORT, STRANGER } from "./emulated-link.js";

describe("a question for a unicast answer", () => {
  const SECONDS = 1000;

  test("gets one although the record was multicast recently", () => {
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

  test("gets both if only a part is fresh", () => {
    const { link } = announcedConsole();
    link.pass(40 * SECONDS);
    const sent = ask(link, query(`${INSTANCE} TXT QU`, `${INSTANCE} SRV QU`));
    expect(sent.map(({ to, answers }) => ({ to, answers }))).toEqual([
      { to: STRANGER.address, answers: [TEXT] },
      { to: GROUP, answers: [SERVICE] },
    ]);
  });

  test("gets a multicast one if another question in the message requests that", () => {
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

  test("gets an answer however often it queries", () => {
    const { link } = announcedConsole();
    for (let count = 0; count < 5; count++)
      expect(ask(link, query(`${HOST} A`), RESOLVER, 10)).toHaveLength(1);
  });
});
