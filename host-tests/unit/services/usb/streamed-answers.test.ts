/**
 * Answers whose line is made as the host reads: whole lines all the same, and what ends them early
 * (docs/spec/usb.md#cut-answer).
 */
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Answer, Api } from "../../../../device/services/api/request.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { UsbService } from "../../../../device/services/usb/usb-service.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { nodeBase64 } from "../../../hosts/node-bytes.js";
import { pieces, SampleStream } from "../api/sample-stream.js";
import { EmulatedUsb } from "./emulated-usb.js";

const sandbox = await loadSandbox(["usb-line"]);

let closeService: () => void;
afterEach(() => closeService());

/** A console that answers every path but `/api/status` with `answer`, and has its log events on. */
async function start(answer: () => Answer | Promise<Answer>, capacityBytes = 64) {
  const clock = new EmulatedClock();
  const log = new LogService({
    clock,
    level: "debug",
    buffer: new Uint8Array(4096),
    retained: { byteLength: 64, read: () => undefined, write: () => undefined },
  });
  const api: Api = {
    open: ({ path }) => ({
      write: () => undefined,
      end: () => (path === "/api/status" ? { status: 200, body: {} } : answer()),
      abort: () => undefined,
    }),
    answerTo: (error) => ({ status: 500, body: { error: String(error) } }),
    methodsOf: () => undefined,
    isForPage: () => false,
  };
  const usb = new EmulatedUsb(capacityBytes);
  const service = new UsbService({
    sandbox,
    serial: usb.serial,
    api,
    log,
    clock,
    timer: clock,
    base64: nodeBase64,
    parameterNames: [],
    status: () => ({}),
  });
  closeService = () => service.close();
  usb.plug();
  usb.send(request(0, "/api/status"));
  await usb.receive();
  return { clock, log, service, usb };
}

const request = (id: number, path = "/streamed") =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "GET", path })}\n`;
const streamed = (stream: SampleStream, onSent?: () => void): Answer => ({
  status: 200,
  mediaType: "image/png",
  stream,
  field: "png",
  ...(onSent && { onSent }),
});
const answerOf = (id: number, stream: SampleStream) => ({
  jsonrpc: "2.0",
  id,
  status: 200,
  body: { png: stream.bytes.toString("base64") },
});

describe("A streamed answer", () => {
  test("is one line, whatever the lengths of its pieces", async () => {
    for (const lengths of [
      [],
      [0],
      [1],
      [2],
      [3],
      [1, 1],
      [1, 1, 1],
      [2, 2, 2],
      [0, 4, 0, 5],
      [3000, 1, 1],
    ]) {
      const stream = new SampleStream(pieces(lengths));
      const { usb } = await start(() => streamed(stream));
      usb.send(request(1));
      expect(await usb.receive()).toEqual([answerOf(1, stream)]);
      expect(stream.closed).toBe(1);
    }
  });

  test("is the same however it is split", async () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 300 }), async (lengths, capacityBytes) => {
        const stream = new SampleStream(pieces(lengths));
        const { usb } = await start(() => streamed(stream), capacityBytes);
        usb.send(request(1));
        expect(await usb.receive()).toEqual([answerOf(1, stream)]);
      }),
      { numRuns: 50 },
    );
  });

  test("is not interrupted by an event or the next answer, which follow it", async () => {
    const stream = new SampleStream(pieces(Array.from({ length: 30 }, () => 50)));
    let sent = 0;
    const { log, service, usb } = await start(() => streamed(stream, () => sent++));
    usb.send(request(1) + request(2, "/api/status"));
    usb.take(10);
    log.write("info", "test", "meanwhile");
    service.notifyStatus();
    usb.take(10);
    expect([stream.closed, sent]).toEqual([0, 0]);
    const messages = await usb.receive();
    expect(messages[0]).toEqual(answerOf(1, stream));
    expect(messages.slice(1)).toMatchObject([{ id: 2 }, { event: "status" }, { event: "log" }]);
    expect([stream.closed, sent]).toEqual([1, 1]);
  });

  test("is read at most one piece ahead of its host", async () => {
    const stream = new SampleStream(pieces(Array.from({ length: 30 }, () => 60)));
    const { usb } = await start(() => streamed(stream), 80);
    usb.send(request(1));
    expect(stream.asked).toBeLessThanOrEqual(1);
    for (let taken = 0; stream.closed === 0 && taken < 5000; taken += 20) {
      usb.take(20);
      expect(stream.asked * 80).toBeLessThanOrEqual(taken + 20 + 80 + 80);
    }
    expect(await usb.receive()).toEqual([answerOf(1, stream)]);
  });

  test("of slow pieces takes several turns", async () => {
    const holder: { clock?: EmulatedClock } = {};
    const stream = new SampleStream(pieces(Array.from({ length: 20 }, () => 9)), () =>
      holder.clock?.advance(3),
    );
    const { clock, usb } = await start(() => streamed(stream), 10_000);
    holder.clock = clock;
    usb.send(request(1));
    let turns = 0;
    for (; clock.timerCount > 0 && turns < 100; turns++) clock.advance(clock.untilNextMs ?? 0);
    expect(turns).toBeGreaterThan(3);
    expect(await usb.receive()).toEqual([answerOf(1, stream)]);
    usb.send(request(2, "/api/status"));
    expect(await usb.receive()).toMatchObject([{ id: 2, status: 200 }]);
  });
});

describe("A streamed answer is released, once,", () => {
  const LONG = () => new SampleStream(pieces(Array.from({ length: 100 }, () => 90)));

  test("when the cable is pulled, and none of it reaches the next host", async () => {
    const stream = LONG();
    let sent = 0;
    const { usb } = await start(() => streamed(stream, () => sent++));
    usb.send(request(1));
    usb.take(50);
    expect(stream.closed).toBe(0);
    usb.unplug();
    expect([stream.closed, sent]).toEqual([1, 1]);
    usb.plug();
    usb.send(request(2, "/api/status"));
    expect(await usb.receive()).toMatchObject([{ id: 2, status: 200 }]);
  });

  test("when the service closes", async () => {
    const stream = LONG();
    const { clock, service, usb } = await start(() => streamed(stream));
    usb.send(request(1));
    usb.take(50);
    service.close();
    service.close();
    expect([stream.closed, clock.timerCount]).toEqual([1, 0]);
  });

  test("when its host has disconnected before it begins", async () => {
    const stream = LONG();
    let resolve: (answer: Answer) => void = () => undefined;
    const { usb } = await start(() => new Promise<Answer>((settle) => (resolve = settle)));
    usb.send(request(1));
    usb.unplug();
    resolve(streamed(stream));
    await new Promise((settle) => setImmediate(settle));
    expect(stream.closed).toBe(1);
  });

  test("when it fails: its line is not JSON, and the error follows", async () => {
    const stream = new SampleStream(pieces([30, 30]), (index) => {
      if (index === 1) throw new Error("The flash is gone");
    });
    const { usb } = await start(() => streamed(stream), 10_000);
    usb.send(request(1) + request(2, "/api/status"));
    const lines = usb.takeLines();
    expect(() => JSON.parse(lines[0] as string)).toThrow(SyntaxError);
    expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, status: 500, body: { error: "Error: The flash is gone" } },
      { id: 2, status: 200 },
    ]);
    expect(stream.closed).toBe(1);
  });
});
