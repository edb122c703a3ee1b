/**
 * Suppressed answers: the querier knows them, or another host has sent them (RFC 6762 §7; docs/spec/mdns.md#records).
 */
import { describe, expect, test } from "vitest";
import { ADDRESS, ask, HOST, META, POINTER, TYPE } from "./console-records.js";
import { query, response, writeMessage } from "./dns-messages.js";
import { announcedConsole, ConstantRandom, STRANGER } from "./emulated-link.js";

describe("known answers", () => {
  const known = (question: string, ...answers: string[]) => writeMessage({ questions: [question], answers });

  test("are not sent again", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER))).toEqual([]);
  });

  test("are sent again with less than half of their life left", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER.replace("4500", "2250")))).toEqual([]);
    expect(ask(link, known(`${TYPE} PTR`, POINTER.replace("4500", "2249")))).toHaveLength(1);
  });

  test("count whatever the case of their names", () => {
    const { link } = announcedConsole();
    expect(ask(link, known(`${TYPE} PTR`, POINTER.toUpperCase()))).toEqual([]);
  });

  test("do not count if their data differ", () => {
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

  test("of one querier do not suppress the answer to another", () => {
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

    test("are not sent again", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(100);
      expect(ask(link, rest)).toEqual([]);
    });

    test("are waited for again while more are announced", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(300);
      link.send(writeMessage({ isTruncated: true, answers: [`${TYPE} PTR y.${TYPE} 4500`] }), STRANGER);
      expect(link.pass(300)).toEqual([]);
      expect(ask(link, rest)).toEqual([]);
    });

    test("do not delay the answer to a query made meanwhile", () => {
      const { link } = announcedConsole();
      link.send(first, STRANGER);
      link.pass(100);
      link.send(query(`${TYPE} PTR`), { ...STRANGER, address: "10.0.0.98" });
      expect(ask(link, rest)[0]?.answers).toEqual([POINTER]);
    });

    test("do not delay the answer to an earlier query", () => {
      const { link } = announcedConsole({ random: new ConstantRandom(255) });
      link.send(query(`${TYPE} PTR`), { ...STRANGER, address: "10.0.0.98" });
      link.pass(10);
      link.send(first, STRANGER);
      link.pass(10);
      expect(ask(link, rest)[0]?.answers).toEqual([POINTER]);
    });

    test("are waited for if a unicast answer is requested, too", () => {
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

describe("an answer of another host", () => {
  /** Asks for the type, and lets another host answer before the console does. */
  function answeredBefore(...answers: string[]) {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.pass(2000);
    link.send(query("_services._dns-sd._udp.local PTR"), STRANGER);
    link.pass(50);
    link.send(response(...answers), { ...STRANGER, address: "10.0.0.98" });
    return link.pass(5000);
  }

  test("suppresses the same one", () => {
    expect(answeredBefore(META)).toEqual([]);
  });

  test("suppresses the same one in a query of several questions", () => {
    const { link } = announcedConsole({ random: new ConstantRandom(255) });
    link.pass(2000);
    link.send(query("_services._dns-sd._udp.local PTR", `${TYPE} PTR`), STRANGER);
    link.pass(50);
    link.send(response(META), { ...STRANGER, address: "10.0.0.98" });
    expect(link.pass(5000).map(({ answers }) => answers)).toEqual([[POINTER]]);
  });

  test("with a shorter life does not suppress it", () => {
    expect(answeredBefore(META.replace("4500", "4000"))).toHaveLength(1);
  });

  test("with other data does not suppress it", () => {
    expect(answeredBefore("_services._dns-sd._udp.local PTR _http._tcp.local 4500")).toHaveLength(1);
  });

  test("with less than half of the life is corrected, requested or not", () => {
    const { link } = announcedConsole();
    link.send(response(META.replace("4500", "0")), STRANGER);
    expect(link.pass(900)[0]?.answers).toEqual([META]);
  });
});
