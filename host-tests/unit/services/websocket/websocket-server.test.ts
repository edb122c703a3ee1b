/** The log as a WebSocket (docs/spec/websocket.md#line-frames). */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LogLines } from "../../../../device/services/logs/log-line.js";
import { EmulatedTcp } from "../http/emulated-tcp.js";
import { BROKEN_FRAMES } from "./broken-frames.js";
import { clientFrames, closePayload, OPCODE } from "./client-frames.js";
import {
  closed,
  EmulatedClient,
  PING,
  PROOF,
  recordingLogger,
  type Served,
  serve,
  turn,
  upgradeRequest,
} from "./served.js";

const { text, close, ping, pong } = OPCODE;

let tcp: EmulatedTcp;
let served: Served;

beforeEach(() => {
  tcp = new EmulatedTcp();
  served = serve(tcp);
});
afterEach(() => served.server.close());

const say = (message: string) => served.log.write("info", "test", message);
const line = (message: string) => `0.000 I test: ${message}\n`;

describe("The log", () => {
  test("is sent one line per frame, the buffered ones first and then the new ones", async () => {
    say("one");
    say("two");
    const client = EmulatedClient.open(tcp);
    expect(client.take()).toEqual([line("one"), line("two")]);
    say("three");
    expect(client.take()).toEqual([]); // not inside the call that logs
    await turn();
    expect(client.take()).toEqual([line("three")]);
  });

  test("is sent with lines of any length, in UTF-8", () => {
    for (const length of [100, 300, 600]) say("é".repeat(length));
    for (const length of [109, 110, 111, 112]) say("x".repeat(length)); // 124 to 127 bytes of payload
    const lines = [];
    for (let number = served.log.first; number < served.log.next; number++)
      lines.push(`${served.log.line(number)}\n`);
    expect(EmulatedClient.open(tcp).take()).toEqual(lines);
  });

  test("is the same for every client", async () => {
    const clients = [EmulatedClient.open(tcp), EmulatedClient.open(tcp)];
    say("one");
    await turn();
    for (const client of clients) expect(client.take()).toEqual([line("one")]);
  });

  test("is complete for a socket that accepts a byte at a time", async () => {
    say("one");
    say("x".repeat(300));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    for (let count = 0; count < 1000; count++) client.peer.drain(1);
    expect(client.take()).toEqual([line("one"), line("x".repeat(300))]);
  });

  test("does not grow by a client that connects, sends and disconnects", () => {
    const client = EmulatedClient.open(tcp);
    client.send({ opcode: text, payload: "hello" }, { opcode: close });
    expect(served.log.next).toBe(0);
  });

  test("waits for no client: one that reads nothing during 10,000 lines gets the number lost", async () => {
    const slow = EmulatedClient.open(tcp, { takesAll: false });
    slow.peer.drain(1000); // its handshake and the first few lines
    for (let count = 0; count < 10_000; count++) {
      say(`line ${count}`);
      if (count % 10 === 0) await turn();
    }
    await turn();
    slow.peer.takesAll = true;
    slow.peer.settle();
    const frames = slow.take();
    const lost = frames.findIndex((frame) => frame.includes("W websocket:"));
    const before = frames.slice(0, lost);
    const after = frames.slice(lost + 1);
    expect(before).toEqual(before.map((_, index) => line(`line ${index}`)));
    expect(after).toEqual(after.map((_, index) => line(`line ${10_000 - after.length + index}`)));
    expect(frames[lost]).toBe(
      `0.000 W websocket: ${10_000 - before.length - after.length} log lines were lost\n`,
    );
    expect(after.length).toBe(served.log.next - served.log.first);
  });
});

describe("A client's frames", () => {
  test("with data are ignored", () => {
    const client = EmulatedClient.open(tcp);
    client.send({ opcode: text, payload: "hello" }, { opcode: ping, payload: "still there?" });
    expect(client.take()).toEqual([`${pong} still there?`]);
  });

  test("may arrive with the request", () => {
    const peer = tcp.connect();
    const frames = clientFrames({ opcode: ping, payload: "early" });
    peer.send(Buffer.concat([Buffer.from(upgradeRequest()), frames]));
    const bytes = Buffer.from(peer.takeBytes());
    expect(bytes.toString("latin1")).toContain(`${PROOF}\r\n\r\n\x8a\x05early`);
  });

  test("that are pings each get a pong with the same payload, in order", () => {
    const client = EmulatedClient.open(tcp);
    const payloads = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(125));
    client.send(...payloads.map((payload) => ({ opcode: ping, payload })));
    expect(client.take()).toEqual(payloads.map((payload) => `${pong} ${payload}`));
  });

  test("that are thousands of pings, from one who reads no pongs, are answered once afterwards", () => {
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.peer.drain(300); // the answer and a few pongs
    for (let count = 0; count < 5000; count++) client.send({ opcode: ping, payload: `ping ${count}` });
    client.peer.takesAll = true;
    client.peer.settle();
    const pongs = client.take();
    expect(pongs.at(-1)).toBe(`${pong} ping 4999`);
    expect(pongs.length).toBeLessThan(100);
  });

  test("after a ping do not change the payload of its pong", () => {
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.send({ opcode: ping, payload: "mine" }, { opcode: pong, payload: "not mine" });
    client.peer.drain(1000);
    expect(client.take()).toEqual([`${pong} mine`]);
  });

  for (const { name, wire, code } of BROKEN_FRAMES)
    test(`end the connection with ${code} for ${name}`, () => {
      const client = EmulatedClient.open(tcp);
      client.peer.send(Uint8Array.from(wire));
      expect(client.take().at(-1)).toBe(closed(code));
      expect(client.peer.isClosed).toBe(true);
      expect(served.clock.timerCount).toBe(0);
    });

  test("after an invalid one are ignored", () => {
    const client = EmulatedClient.open(tcp);
    client.send({ opcode: 3 }, { opcode: ping }, { opcode: close, payload: closePayload(1000) });
    expect(client.take()).toEqual([closed(1002)]);
  });
});

describe("Closing", () => {
  test("is answered with the same code, and the console closes the connection", () => {
    const client = EmulatedClient.open(tcp);
    client.send({ opcode: close, payload: closePayload(4321, "enough") });
    expect(client.take()).toEqual([closed(4321)]);
    expect(client.peer.isClosed).toBe(true);
  });

  test("without a code is answered without one", () => {
    const client = EmulatedClient.open(tcp);
    client.send({ opcode: close }, { opcode: ping });
    expect(client.take()).toEqual([`${close} `]);
  });

  test("waits for the current frame, and ends after it", () => {
    for (const message of ["one", "two"]) say(message.repeat(50));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.peer.drain(200); // the answer and a part of a line
    client.send({ opcode: close, payload: closePayload(1000) });
    expect(client.peer.isClosed).toBe(false);
    client.peer.drain(1000);
    expect(client.take()).toEqual([line("one".repeat(50)), closed(1000)]);
    expect(client.peer.isClosed).toBe(true);
  });

  test("takes five seconds for a client that does not read the answer", () => {
    say("x".repeat(300));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.send({ opcode: close });
    served.clock.advance(4_999);
    expect(client.peer.isClosed).toBe(false);
    served.clock.advance(1);
    expect(client.peer.isClosed).toBe(true);
    expect(served.clock.timerCount).toBe(0);
  });

  test("takes no time for a client whose connection breaks meanwhile", () => {
    say("x".repeat(300));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.send({ opcode: close });
    client.peer.end(); // maybe of its own side alone
    expect(client.peer.isClosed).toBe(false);
    client.peer.reset();
    expect(client.peer.isClosed).toBe(true);
    expect(served.clock.timerCount).toBe(0);
  });

  test("without a Close frame leaves nothing", async () => {
    const client = EmulatedClient.open(tcp);
    client.peer.end();
    expect(client.peer.isClosed).toBe(true);
    expect(served.clock.timerCount).toBe(0);
    say("unread");
    await turn();
    expect(client.take()).toEqual([]);
  });

  test("ends the subscription to the log, whichever side closes", () => {
    let subscriptions = 0;
    const lines: LogLines = {
      first: 0,
      next: 0,
      line: () => "",
      subscribe() {
        subscriptions++;
        return () => subscriptions--;
      },
    };
    served.server.close();
    served = serve(tcp, { lines });
    const clients = Array.from({ length: 4 }, (_, host) =>
      EmulatedClient.open(tcp, { address: `192.0.2.${host}` }),
    );
    expect(subscriptions).toBe(4);
    clients[0]?.send({ opcode: close });
    clients[1]?.send({ opcode: 3 });
    clients[2]?.peer.end();
    expect(subscriptions).toBe(1);
    served.server.close();
    expect(subscriptions).toBe(0);
  });

  test("the server sends every client the last lines and 1001, and may be repeated", () => {
    const clients = [EmulatedClient.open(tcp), EmulatedClient.open(tcp)];
    const asking = tcp.connect();
    asking.send("GET /ws");
    say("goodbye");
    served.server.close();
    served.server.close();
    for (const client of clients) {
      expect(client.take()).toEqual([line("goodbye"), closed(1001)]);
      expect(client.peer.isClosed).toBe(true);
    }
    expect(asking.isClosed).toBe(true);
    expect(served.clock.timerCount).toBe(0);
  });

  test("by a socket that fails during a write affects no other", async () => {
    const failing = EmulatedClient.open(tcp);
    const client = EmulatedClient.open(tcp);
    failing.peer.isBroken = true;
    say("one");
    await turn();
    expect(failing.peer.isClosed).toBe(true);
    expect(client.take()).toEqual([line("one")]);
  });
});

describe("The console's own log", () => {
  test("has why a connection was closed: no pong, or an invalid frame", () => {
    served.server.close();
    const { logger, lines } = recordingLogger();
    served = serve(tcp, { log: logger });
    EmulatedClient.open(tcp, { address: "192.0.2.1" });
    served.clock.advance(60_000);
    EmulatedClient.open(tcp, { address: "192.0.2.2" }).send({ opcode: 3 });
    expect(lines).toEqual([
      "debug closed 192.0.2.1: no pong",
      expect.stringMatching(/^debug closed 192\.0\.2\.2: ./),
    ]);
  });

  test("has a failure of the console, of which the client gets 1011 alone", () => {
    served.server.close();
    const { logger, lines } = recordingLogger();
    const broken: LogLines = {
      first: 0,
      next: 1,
      line() {
        throw new Error("the ring is broken");
      },
      subscribe: () => () => undefined,
    };
    served = serve(tcp, { log: logger, lines: broken });
    const client = EmulatedClient.open(tcp);
    expect(client.take().at(-1)).toBe(closed(1011));
    expect(client.peer.isClosed).toBe(true);
    expect(lines).toEqual(["error Error: the ring is broken"]);
  });
});

describe("Pings", () => {
  test("are sent every 30 seconds to a client that answers", () => {
    const client = EmulatedClient.open(tcp);
    for (let count = 0; count < 5; count++) {
      served.clock.advance(29_999);
      expect(client.take()).toEqual([]);
      served.clock.advance(1);
      expect(client.take()).toEqual([PING]);
      client.send({ opcode: pong });
    }
    expect(client.peer.isClosed).toBe(false);
  });

  test("disconnect a client that has not answered by the next one", () => {
    const client = EmulatedClient.open(tcp);
    served.clock.advance(30_000);
    client.send({ opcode: text, payload: "I am here, but I do not listen" });
    served.clock.advance(29_999);
    expect(client.peer.isClosed).toBe(false);
    served.clock.advance(1);
    expect(client.peer.isClosed).toBe(true);
    expect(served.clock.timerCount).toBe(0);
  });

  test("disconnect a client that reads nothing, though the ping never reached it", () => {
    say("x".repeat(300));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.peer.drain(200);
    served.clock.advance(60_000);
    expect(client.peer.isClosed).toBe(true);
  });

  test("disconnect a client that reads nothing, though it sends pongs", () => {
    say("x".repeat(300));
    const client = EmulatedClient.open(tcp, { takesAll: false });
    client.peer.drain(200);
    for (let second = 0; second < 61; second++) {
      client.send({ opcode: pong });
      served.clock.advance(1000);
    }
    expect(client.peer.isClosed).toBe(true);
  });

  test("keep a client that answers them and has nothing to read, for an hour", () => {
    const client = EmulatedClient.open(tcp);
    for (let count = 0; count < 120; count++) {
      served.clock.advance(30_000);
      expect(client.take()).toEqual([PING]);
      client.send({ opcode: pong });
    }
    for (let host = 1; host < 9; host++) EmulatedClient.open(tcp, { address: `192.0.2.1${host}` });
    expect(client.peer.isClosed).toBe(false);
  });
});
