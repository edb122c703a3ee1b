/** Where a console has the time from (docs/spec/clock.md). */
import { beforeEach, expect, test } from "vitest";
import { WallClock, type WallClockOptions } from "../../../../device/services/clock/wall-clock.js";
import { HUB_URL_SETTING } from "../../../../device/services/settings/settings.js";
import type { HubClientPorts } from "../../../../hub-client/ports.js";
import { Fields } from "../../../../protocol/http/fields.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { answerTo } from "../../../hosts/time-server.js";
import { nodePorts } from "../../hub-client/client-ports.js";

const TIME_MS = Date.UTC(2026, 10, 26, 12);
const HTTP_DATE = new Date(TIME_MS).toUTCString();

let clock: EmulatedClock;
let address: string;
let lines: string[];
/** Of the name that is resolved; `undefined`: there is no such name. */
let resolved: string | undefined;
let hubUrl: string | undefined;
let hostMs: number | undefined;
/** What was sent, and to whom. */
let sent: { bytes: Uint8Array; to: string }[];
let openSockets: number;
let receive: (bytes: Uint8Array, from?: string, port?: number) => void;
/** Addresses of the web servers that were asked. */
let heads: string[];
let answerHead: (fields: Fields | undefined) => void;
let openHeads: number;

class EmulatedUdp {
  readonly #queue: (ArrayBuffer & { address: string; port: number })[] = [];
  constructor({ onReadable }: ConstructorParameters<WallClockOptions["Udp"]>[0]) {
    openSockets++;
    receive = (bytes, from = "192.0.2.1", port = 123) => {
      const datagram = Object.assign(Uint8Array.from(bytes).buffer, { address: from, port });
      this.#queue.push(datagram);
      onReadable(1);
    };
  }
  read() {
    return this.#queue.shift();
  }
  write(bytes: Uint8Array, to: string, port: number) {
    sent.push({ bytes: bytes.slice(), to: `${to}:${port}` });
  }
  close() {
    openSockets--;
  }
}

function start(server = ""): WallClock {
  const resolver: HubClientPorts["resolver"] = {
    resolve: (name, onResolved) => {
      if (name === "") throw new RangeError("no name");
      clock.set(() => onResolved(resolved === undefined ? new Error("none") : undefined, resolved), 10);
    },
  };
  const random = { getRandomValues: (into: Uint8Array) => into.fill(lines.length + sent.length + 1) };
  const wallClock = new WallClock({
    ports: nodePorts({ clock, timer: clock, random, resolver }),
    server,
    Udp: EmulatedUdp,
    preferences: { utcOffsetMin: 120 },
    network: {
      get address() {
        return address;
      },
    },
    log: { write: (_level, _source, text) => void lines.push(text) },
    hostTimeMs: () => hostMs,
    settings: { read: (path) => (path === HUB_URL_SETTING ? hubUrl : undefined) },
    Head: class {
      constructor(_ports: unknown, url: string, onFields: (fields: Fields | undefined) => void) {
        if (url.includes(" ")) throw new Error("no address");
        heads.push(url);
        answerHead = onFields;
        openHeads++;
      }
      close() {
        openHeads--;
      }
    },
  });
  wallClock.networkChanged();
  return wallClock;
}

beforeEach(() => {
  clock = new EmulatedClock(5000);
  address = "192.0.2.7";
  lines = [];
  sent = [];
  heads = [];
  resolved = "192.0.2.1";
  hubUrl = undefined;
  hostMs = undefined;
  openSockets = openHeads = 0;
});

const fieldsWith = (...dates: string[]) =>
  new Fields(`HTTP/1.1 404 Not Found\r\n${dates.map((date) => `date: ${date}\r\n`).join("")}\r\n`);
const lastAnswer = (timeMs = TIME_MS) => answerTo((sent.at(-1) as { bytes: Uint8Array }).bytes, timeMs);

test("A time server is asked once there is a network, and its answer counts from the middle of its way", async () => {
  address = "";
  const wallClock = start();
  await clock.pass(60_000);
  expect([sent, wallClock.nowMs]).toEqual([[], undefined]);
  address = "192.0.2.7";
  wallClock.networkChanged();
  await clock.pass(10);
  expect(sent.map(({ to }) => to)).toEqual(["192.0.2.1:123"]);
  await clock.pass(100);
  receive(lastAnswer());
  expect([wallClock.nowMs, wallClock.source]).toEqual([TIME_MS + 50, "sntp"]);
  await clock.pass(1000);
  expect(wallClock.nowMs).toBe(TIME_MS + 1050);
  expect(lines).toEqual(["it is 2026-11-26T12:00:00.050Z, by sntp"]);
  expect(openSockets).toBe(0);
});

test("The time is asked for again after a day, and what was known stays until then", async () => {
  const wallClock = start("time.example:12345");
  await clock.pass(10);
  expect(sent.map(({ to }) => to)).toEqual(["192.0.2.1:12345"]);
  receive(lastAnswer(), "192.0.2.1", 12345);
  await clock.pass(24 * 3_600_000 + 10);
  expect([sent.length, wallClock.nowMs]).toEqual([2, TIME_MS + 24 * 3_600_000 + 10]);
  receive(lastAnswer(TIME_MS), "192.0.2.1", 12345);
  expect(wallClock.nowMs).toBe(TIME_MS);
  expect(lines).toHaveLength(1);
});

test("An answer from elsewhere, for another request, or that is none, is not taken", async () => {
  const wallClock = start();
  await clock.pass(10);
  receive(lastAnswer(), "192.0.2.66");
  receive(lastAnswer(), "192.0.2.1", 124);
  receive(answerTo(new Uint8Array(48), TIME_MS));
  receive(new Uint8Array(1000));
  expect(wallClock.nowMs).toBeUndefined();
  receive(lastAnswer());
  expect(wallClock.nowMs).toBe(TIME_MS);
});

test("Where no time server answers three times, the hub's web server is asked, else one for everybody", async () => {
  hubUrl = "https://hub.example";
  const wallClock = start();
  await clock.pass(8999);
  expect([sent.length, heads]).toEqual([3, []]);
  await clock.pass(1);
  expect([heads, openSockets]).toEqual([["https://hub.example"], 0]);
  answerHead(fieldsWith(HTTP_DATE));
  expect([wallClock.nowMs, wallClock.source, openHeads]).toEqual([TIME_MS + 500, "http", 0]);
  hubUrl = "";
  start();
  await clock.pass(9010);
  expect(heads.at(-1)).toBe("http://www.pool.ntp.org/");
  start("ntp.example:99");
  await clock.pass(9010);
  expect(heads.at(-1)).toBe("http://ntp.example/");
});

test.each([
  ["no answer", undefined],
  ["no date", fieldsWith()],
  ["two dates", fieldsWith(HTTP_DATE, HTTP_DATE)],
  ["a wrong date", fieldsWith("yesterday")],
  ["a date before there were consoles", fieldsWith("Mon, 01 Jan 0001 00:00:00 GMT")],
  ["a long date", fieldsWith("x".repeat(2000))],
])("A web server with %s: all are asked again after a minute, and each time later", async (_, fields) => {
  const wallClock = start();
  await clock.pass(9010);
  answerHead(fields);
  await clock.pass(59_999);
  expect(sent).toHaveLength(3);
  await clock.pass(12);
  expect(sent).toHaveLength(4);
  await clock.pass(9010);
  answerHead(fields);
  await clock.pass(119_000);
  expect(sent).toHaveLength(6);
  for (let day = 0; day < 2; day++) await clock.pass(12 * 3_600_000);
  expect(sent.length).toBeLessThan(6 + 3 * 30);
  expect([wallClock.nowMs, openHeads]).toEqual([undefined, 0]);
});

test("A time before there were consoles is none", async () => {
  const wallClock = start();
  await clock.pass(10);
  receive(lastAnswer(Date.UTC(2024, 11, 31)));
  expect([wallClock.nowMs, heads.length]).toEqual([undefined, 1]);
});

test("A server that refuses is not asked again for an hour", async () => {
  start();
  await clock.pass(10);
  const answer = lastAnswer();
  answer[1] = 0;
  receive(answer);
  expect([sent.length, heads.length]).toEqual([1, 1]);
  answerHead(undefined);
  await clock.pass(3_599_000);
  expect(sent).toHaveLength(1);
  await clock.pass(1100);
  expect(sent).toHaveLength(2);
});

test("A name that there is not is asked for like a server that does not answer", async () => {
  resolved = undefined;
  start();
  await clock.pass(40);
  expect([sent, heads]).toEqual([[], ["http://www.pool.ntp.org/"]]);
  start(":9");
  expect(heads).toHaveLength(1);
});

test("The host's own clock is the time, and nobody is asked, unless a server is named", async () => {
  hostMs = TIME_MS;
  const wallClock = start();
  await clock.pass(100_000);
  expect([wallClock.nowMs, wallClock.source, sent]).toEqual([TIME_MS, "host", []]);
  const other = start("time.example");
  expect([other.nowMs, other.source]).toEqual([undefined, undefined]);
  await clock.pass(10);
  expect(sent).toHaveLength(1);
});

test("With `off` nobody is asked, and there is no time", async () => {
  hostMs = TIME_MS;
  const wallClock = start("off");
  await clock.pass(100_000);
  expect([wallClock.nowMs, sent, clock.timerCount]).toEqual([undefined, [], 0]);
});

test("A network that was left ends every question, and a closed clock leaves nothing behind", async () => {
  const wallClock = start();
  await clock.pass(10);
  address = "";
  wallClock.networkChanged();
  expect([openSockets, clock.timerCount]).toEqual([0, 0]);
  address = "192.0.2.9";
  wallClock.networkChanged();
  wallClock.networkChanged();
  await clock.pass(10);
  expect([openSockets, sent.length]).toEqual([1, 2]);
  wallClock.close();
  expect([openSockets, clock.timerCount]).toEqual([0, 0]);
});
