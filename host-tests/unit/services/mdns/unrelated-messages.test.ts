/** A busy network: a message without our names costs one call of the program `dns`. */
import { describe, expect, test } from "vitest";
import { Mdns } from "../../../../device/services/mdns/mdns.js";
import { tcp } from "../../../../device/services/mdns/service-type.js";
import type { Sandbox } from "../../../../protocol/ports/sandbox.js";
import { query, response, writeMessage } from "./dns-messages.js";
import { sandbox } from "./dns-program.js";
import { CollectedLog, ConstantRandom, EmulatedLink, STRANGER } from "./emulated-link.js";

/** The sandbox, with the names of all calls of its programs in `calls`. */
function countingSandbox() {
  const calls: string[] = [];
  const counting: Sandbox = {
    open(name) {
      const program = sandbox.open(name);
      const counted = <Call extends "begin" | "room" | "feed" | "finish">(call: Call) => {
        return ((first: number, second: number) => {
          calls.push(call);
          return program[call](first, second);
        }) as (typeof program)[Call];
      };
      return {
        memory: program.memory,
        begin: counted("begin"),
        room: counted("room"),
        feed: counted("feed"),
        finish: counted("finish"),
        close: () => program.close(),
      };
    },
  };
  return { calls, sandbox: counting };
}

/** An announced console, and the calls that a message causes in it. */
function countedConsole() {
  const link = new EmulatedLink();
  const { calls, sandbox } = countingSandbox();
  const ports = { Udp: link.Udp, timer: link.clock, clock: link.clock, log: new CollectedLog() };
  const network = { address: "10.0.0.1", rssi: 0 };
  const mdns = new Mdns({ ...ports, sandbox, random: new ConstantRandom(0), network });
  const advertisement = mdns.createAdvertisement(tcp("svc"), 8080, { name: "Console-1A2B" });
  advertisement.start();
  link.pass(60_000);
  const callsFor = (bytes: Uint8Array) => {
    calls.length = 0;
    link.send(bytes, STRANGER);
    const sent = link.pass(10_000);
    return { calls: [...calls], sent };
  };
  return { callsFor };
}

const UNRELATED = [
  { what: "a query for other services", bytes: query("_http._tcp.local PTR", "_ipp._tcp.local PTR QU") },
  { what: "answers of other hosts", bytes: response("x.local A 10.0.0.9 120", "y.local AAAA fe80::2 120") },
  {
    what: "a probe for another name",
    bytes: writeMessage({ questions: ["x.local ANY"], authorities: ["x.local A 10.0.0.9 120"] }),
  },
  {
    what: "known answers of other services",
    bytes: writeMessage({
      questions: ["_http._tcp.local PTR"],
      answers: ["_http._tcp.local PTR x._http._tcp.local 4500"],
    }),
  },
  { what: "a malformed message", bytes: query("_svc._tcp.local PTR").slice(0, -1) },
];

describe("An announced console", () => {
  const { callsFor } = countedConsole();
  for (const { what, bytes } of UNRELATED)
    test(`needs one call for ${what}`, () => expect(callsFor(bytes)).toEqual({ calls: ["feed"], sent: [] }));

  test("needs more for a query about its service", () => {
    const { calls, sent } = callsFor(query("_svc._tcp.local PTR"));
    expect(calls.length).toBeGreaterThan(10);
    expect(sent).toHaveLength(1);
  });
});
