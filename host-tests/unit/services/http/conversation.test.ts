/** The phases of a conversation: what each takes, waits for and leaves, without a socket (docs/spec/http.md#messages). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Carrier, UpgradedProtocol } from "../../../../device/services/http/conversation.js";
import { pieces, SampleStream } from "../api/sample-stream.js";
import { converse, playPieces, VALID } from "./converse.js";
import { octets } from "./head.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const get = (target: string, lines = "") => `GET ${target} HTTP/1.1\r\n${HOST}${lines}\r\n`;
const post = (lines: string, body = "") => `POST /echo HTTP/1.1\r\n${HOST}${lines}\r\n${body}`;

describe.each(Object.entries(VALID))("%s", (_, text) => {
  const wire = octets(text);
  const whole = playPieces(wire);

  test("is answered whole, and each of its bytes is taken", () => {
    expect(whole.text).toMatch(/^HTTP\/1\.1 [12345]/);
    expect(whole.taken).toBe(wire.length);
  });

  test("is the same exchange in any two pieces, and byte by byte", () => {
    for (let cut = 1; cut < wire.length; cut++) expect(playPieces(wire, [cut])).toEqual(whole);
    expect(playPieces(wire, Array.from(wire.keys()))).toEqual(whole);
  });

  test("is the same exchange with another request behind it, which follows unless the first was the last", () => {
    const next = octets(get("/echo?next"));
    const both = playPieces(Buffer.concat([wire, next]));
    expect(both.text.startsWith(whole.text)).toBe(true);
    expect(both.text.slice(whole.text.length).includes('"next"')).toBe(!whole.isClosed);
    expect(both.taken - whole.taken).toBe(whole.isClosed ? 0 : next.length);
  });
});

test("Requests are the same exchanges in any order and any pieces", () => {
  const requests = fc.array(fc.constantFrom(...Object.values(VALID)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(requests, fc.array(fc.nat(1000), { maxLength: 8 }), (texts, cuts) => {
      const wire = octets(texts.join(""));
      expect(playPieces(wire, cuts)).toEqual(playPieces(wire));
    }),
    { numRuns: 300 },
  );
});

/** A protocol that only notes what happens to it. */
function noting(notes: string[], takesBytes = true): UpgradedProtocol {
  return {
    takesBytes,
    receive: (bytes) => notes.push(`receive ${bytes.length}`) && bytes.length,
    onRoom: () => void notes.push("room"),
    sayGoodbye: () => void notes.push("goodbye"),
    onClosed: () => void notes.push("closed"),
  };
}

/** A conversation in each phase, and what its end leaves. */
const PHASES: Readonly<
  Record<string, { readonly takes: boolean; begin(): ReturnType<typeof converse>; readonly left?: string }>
> = {
  "without a request": { takes: true, begin: () => converse() },
  "within a head": {
    takes: true,
    begin() {
      const talk = converse();
      talk.receive("GET /hel");
      return talk;
    },
  },
  "within a body": {
    takes: true,
    left: "abort",
    begin() {
      const talk = converse();
      talk.receive(post("Content-Length: 5\r\n", "ab"));
      return talk;
    },
  },
  "whose endpoint has not answered": {
    takes: false,
    left: "end",
    begin() {
      const talk = converse();
      talk.receive(get("/later"));
      return talk;
    },
  },
  "whose answer waits for room": {
    takes: false,
    left: "sent",
    begin() {
      const talk = converse();
      talk.line.isOpen = false;
      talk.receive(get("/large"));
      return talk;
    },
  },
  "whose streamed answer waits for room": {
    takes: false,
    left: "sent",
    begin() {
      const talk = converse();
      talk.api.stream = new SampleStream(pieces([100, 100]));
      talk.line.isOpen = false;
      talk.receive(get("/streamed"));
      return talk;
    },
  },
  "whose streamed answer waits for its next turn": {
    takes: false,
    left: "sent",
    begin() {
      const talk = converse();
      talk.api.stream = new SampleStream(pieces(Array(20).fill(10)), () => talk.clock.advance(5));
      talk.receive(get("/streamed"));
      return talk;
    },
  },
  "between two requests": {
    takes: true,
    left: "sent",
    begin() {
      const talk = converse();
      talk.receive(get("/echo"));
      return talk;
    },
  },
};

describe.each(Object.entries(PHASES))("A conversation %s", (_, { takes, begin, left }) => {
  test(takes ? "waits for bytes" : "does not take bytes, which stay with the connection", () => {
    const { conversation, receive } = begin();
    expect(conversation.takesBytes).toBe(takes);
    if (!takes) expect(receive(get("/hello"))).toBe(0);
  });

  test("is ended by a broken connection, once, and leaves nothing", async () => {
    const { api, clock, conversation, line, receive } = begin();
    conversation.close();
    conversation.close();
    expect([line.ends, conversation.takesBytes, receive(get("/hello"))]).toEqual([1, false, 0]);
    expect(api.events.at(-1)).toBe(left);
    expect(clock.timerCount).toBe(0);
    let isSent = false;
    for (const answer of api.later) answer({ status: 200, body: null, onSent: () => (isSent = true) });
    await Promise.resolve();
    expect(isSent).toBe(api.later.length > 0); // a reboot that was announced still happens
    expect(line.resumptions).toBe(0);
  });
});

test("A streamed answer is released with its broken connection", () => {
  const { api, conversation, line, receive } = converse();
  const stream = new SampleStream(pieces([100, 100]));
  api.stream = stream;
  line.isOpen = false;
  receive(get("/streamed"));
  conversation.close();
  expect(stream.closed).toBe(1);
});

test("An answer that has got its room is followed by the bytes that have waited", () => {
  const { api, conversation, line, receive } = converse();
  line.isOpen = false;
  receive(get("/large") + get("/hello"));
  expect(api.events).toEqual(["open GET /large", "end"]);
  conversation.onRoom(line.drain());
  expect(api.events).toEqual(["open GET /large", "end", "sent"]);
  expect([line.resumptions, conversation.takesBytes]).toEqual([1, true]);
});

describe("An upgrade", () => {
  function upgraded(takesBytes = true) {
    const notes: string[] = [];
    const carriers: Carrier[] = [];
    const begin = (carrier: Carrier) => {
      carriers.push(carrier);
      return noting(notes, takesBytes);
    };
    const answer = new TextEncoder().encode("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    const talk = converse({
      guard: { open: () => ({ exchange: undefined, fieldLines: "", upgrade: { answer, begin } }) },
    });
    return { ...talk, notes, carriers };
  }

  test("gives the bytes behind the head to the protocol, whole and byte by byte", () => {
    const { line, notes, receive } = upgraded();
    receive(`${get("/ws")}abc`);
    expect(line.take()).toBe("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    receive("d");
    expect(notes).toEqual(["room", "receive 3", "receive 1"]);
  });

  test("ends only by what the protocol, the console or the connection says, and has no time limit of HTTP", () => {
    const { clock, conversation, line, notes, receive } = upgraded(false);
    receive(get("/ws"));
    expect([conversation.takesBytes, conversation.isUpgraded, conversation.idleSinceMs]).toEqual([
      ...[false, true, undefined],
    ]);
    conversation.checkDeadline(clock.uptimeMs() + 1e9, 0);
    expect(line.ends).toBe(0);
    conversation.endByConsole();
    expect([notes, line.ends]).toEqual([["room", "goodbye", "closed"], 1]);
  });

  test("is ended by its protocol", () => {
    const { carriers, line, notes, receive } = upgraded();
    receive(get("/ws"));
    carriers[0]?.close();
    expect([notes, line.ends, receive("x")]).toEqual([["room", "closed"], 1, 0]);
  });
});
