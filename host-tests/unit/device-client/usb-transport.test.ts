/** The client's side of USB, against a port whose other end is the test. Time passes when the test advances it. */
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { identifyConsole } from "../../../device-client/device.js";
import {
  IDENTIFY_FIRST_MS,
  IDENTIFY_TIMEOUT_MS,
  INPUT_LINE_LIMIT_BYTES,
} from "../../../device-client/limits.js";
import { ANSWER_TIMEOUT_MS } from "../../../device-client/transport.js";
import { UsbTransport } from "../../../device-client/usb-transport.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";
import { ScriptedStream, type WrittenRequest } from "../../hosts/scripted-stream.js";

const STATUS = { method: "GET", path: "/api/status" } as const;
const LIST = { method: "GET", path: "/api/apps/list" } as const;

let clock: EmulatedClock;
let stream: ScriptedStream;
let usb: UsbTransport;
beforeEach(() => {
  clock = new EmulatedClock();
  stream = new ScriptedStream();
  usb = new UsbTransport(stream, clock);
});

/** Every promise callback that can run has. */
const turn = () => clock.pass(0);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "fulfilled",
    ({ code }) => code,
  );
/** Id of the request that was written last. */
const lastId = () => stream.requests.at(-1)?.id as number;
describe("The identity of a console", () => {
  test("is requested a second time, if a restart swallows the first request", async () => {
    const greeted = identifyConsole(usb);
    await turn();
    stream.say('{"jsonrpc":"2.0","id":null,"event":"log","data":"0.001 I boot: starting"}\n');
    await clock.pass(IDENTIFY_FIRST_MS);
    expect(stream.requests).toHaveLength(2);
    stream.answer(lastId(), { fw_version: "1.0.0", uptime_ms: 1 });
    expect(await greeted).toMatchObject({ fw_version: "1.0.0" });
  });

  test("is missing when two requests time out", async () => {
    const greeted = codeOf(identifyConsole(usb));
    await clock.pass(IDENTIFY_FIRST_MS);
    await clock.pass(IDENTIFY_TIMEOUT_MS - IDENTIFY_FIRST_MS);
    expect(await greeted).toBe("device_timeout");
    expect(stream.requests).toHaveLength(2);
  });
});

describe("a request over USB", () => {
  test("is a line with its parameters, and resolves with the answer of its id", async () => {
    stream.answerWith(({ id }) => ({ status: 404, body: { id } }));
    const parameters = { name: "Grüße" };
    const answer = await usb.request({ method: "POST", path: "/api/apps/start", parameters });
    const [{ id, ...request } = { id: 0 }] = stream.requests;
    expect(request).toEqual({ jsonrpc: "2.0", method: "POST", path: "/api/apps/start", params: parameters });
    expect(answer).toEqual({ status: 404, body: { id } });
  });

  test("resolves however the answer is split, after junk and events", () => {
    const wire = `f":"half a line\n\u0000boot: noise\r\n{}\n[1]\nnull\n{"jsonrpc":"2.0","id":null,"event":"log","data":"1.0 I a: ü"}\n`;
    return fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30 })), async (sizes) => {
        const port = new ScriptedStream();
        const transport = new UsbTransport(port, new EmulatedClock());
        const asked = transport.request(STATUS);
        await turn();
        const id = port.requests[0]?.id;
        const all = new TextEncoder().encode(`${wire}{"jsonrpc":"2.0","id":${id},"status":200,"body":"ö"}\n`);
        let start = 0;
        for (const size of [...sizes, all.length]) {
          port.onBytes(all.slice(start, start + size));
          start += size;
        }
        expect(await asked).toEqual({ status: 200, body: "ö" });
        expect(transport.skippedLines).toBe(5);
      }),
    );
  });

  test("resolves with an answer after the beginning of an unfinished line", async () => {
    const asked = usb.request(STATUS);
    await turn();
    stream.say(
      `{"jsonrpc":"2.0","id":null,"event":"log","da{"jsonrpc":"2.0","id":${lastId()},"status":200,"body":7}\n`,
    );
    expect(await asked).toEqual({ status: 200, body: 7 });
  });

  test("is preceded by one line end, once per port, to end a line of an earlier host", async () => {
    const written: string[] = [];
    stream.write = async (bytes) => void written.push(new TextDecoder().decode(bytes));
    for (const request of [STATUS, LIST]) {
      const asked = usb.request(request);
      await turn();
      stream.answer(JSON.parse(written.at(-1) as string).id, 1);
      await asked;
    }
    expect(written.map((line) => line.slice(0, 5))).toEqual(["\n", '{"jso', '{"jso']);
  });

  test("waits for the answer to the previous one, in the order of the calls", async () => {
    const answers = [STATUS, LIST, STATUS].map((request) => usb.request(request));
    for (let count = 1; count <= 3; count++) {
      await turn();
      expect(stream.lines).toHaveLength(count);
      stream.answer(lastId(), count);
    }
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual([1, 2, 3]);
  });

  test("reports when it is sent, which is after the answer to the previous one", async () => {
    const sent: number[] = [];
    const answers = [1, 2].map((number) => usb.request({ ...STATUS, onSent: () => sent.push(number) }));
    await turn();
    expect(sent).toEqual([1]);
    stream.answer(lastId(), "first");
    await turn();
    expect(sent).toEqual([1, 2]);
    stream.answer(lastId(), "second");
    await Promise.all(answers);
  });

  test("times out, and its late answer is dropped", async () => {
    const first = codeOf(usb.request(STATUS));
    const second = usb.request(LIST);
    await clock.pass(ANSWER_TIMEOUT_MS);
    expect(await first).toBe("device_timeout");
    const [early, late] = stream.requests as [WrittenRequest, WrittenRequest];
    stream.answer(early.id, "late");
    stream.answer(late.id, "right");
    expect((await second).body).toBe("right");
  });

  test("has its timeout count from when it is sent", async () => {
    const first = codeOf(usb.request({ ...STATUS, timeoutMs: 60_000 }));
    const second = codeOf(usb.request({ ...LIST, timeoutMs: 1000 }));
    await clock.pass(59_999);
    stream.answer(lastId(), 1);
    await clock.pass(999);
    stream.answer(lastId(), 2);
    expect([await first, await second]).toEqual(["fulfilled", "fulfilled"]);
  });

  test("rejects at once when cancelled, and holds the port until the answer", async () => {
    const cancel = new AbortController();
    const first = codeOf(usb.request({ ...STATUS, signal: cancel.signal }));
    const second = usb.request(LIST);
    await turn();
    cancel.abort();
    expect(await first).toBe("cancelled");
    expect(stream.lines).toHaveLength(1);
    stream.answer(lastId(), "late");
    await turn();
    stream.answer(lastId(), "second");
    expect((await second).body).toBe("second");
  });

  test("is never sent if cancelled before its turn", async () => {
    const cancel = new AbortController();
    const first = usb.request(STATUS);
    const second = codeOf(usb.request({ ...LIST, signal: cancel.signal }));
    const third = codeOf(usb.request({ ...LIST, signal: AbortSignal.abort() }));
    cancel.abort();
    await turn();
    stream.answer(lastId(), 1);
    await first;
    await turn();
    expect([await second, await third, stream.lines.length]).toEqual(["cancelled", "cancelled", 1]);
  });

  test("resolves with an error without an id, which says that the console could not read the line", async () => {
    stream.answerWith(() => ({ body: 1 }));
    await usb.request(STATUS);
    stream.onRequest = () => {};
    const asked = usb.request(LIST);
    await turn();
    stream.answer(null, { error: "line_too_long" }, 413);
    expect(await asked).toEqual({ status: 413, body: { error: "line_too_long" } });
  });

  test("ignores the first error without an id, which answers an earlier host", async () => {
    const asked = usb.request(STATUS);
    await turn();
    stream.answer(null, { error: "bad_json" }, 400);
    stream.answer(lastId(), 1);
    expect((await asked).status).toBe(200);
  });

  test("resolves after a line over the limit", async () => {
    const asked = usb.request(STATUS);
    await turn();
    for (let sent = 0; sent <= INPUT_LINE_LIMIT_BYTES; sent += 65536) stream.say("x".repeat(65536));
    stream.say("\n");
    stream.answer(lastId(), 1);
    expect([(await asked).body, usb.skippedLines]).toEqual([1, 1]);
  });
});

describe("a port over USB", () => {
  test("that is lost rejects all pending and later requests", async () => {
    const asked = [usb.request(STATUS), usb.request(LIST)].map(codeOf);
    await turn();
    stream.onClosed(new Error("unplugged"));
    expect(await Promise.all(asked)).toEqual(["device_lost", "device_lost"]);
    expect(await codeOf(usb.request(STATUS))).toBe("device_lost");
    expect(await usb.closed).toMatchObject({ code: "device_lost", cause: { message: "unplugged" } });
    expect(clock.timerCount).toBe(0);
  });

  test("that fails to write is lost", async () => {
    stream.writing = () => Promise.reject(new Error("EIO"));
    expect(await codeOf(usb.request(STATUS))).toBe("device_lost");
    expect(await usb.closed).toMatchObject({ code: "device_lost" });
  });

  test("that accepts no more bytes is lost once a request times out", async () => {
    stream.writing = () => new Promise(() => {});
    const asked = [usb.request(STATUS), usb.request(LIST)].map(codeOf);
    await clock.pass(ANSWER_TIMEOUT_MS);
    expect(await Promise.all(asked)).toEqual(["device_lost", "device_lost"]);
  });

  test("that is closed rejects requests, resolves `closed` with nothing, and may be closed twice", async () => {
    const asked = codeOf(usb.request(STATUS));
    await usb.close();
    await usb.close();
    expect([await asked, await usb.closed, stream.isClosed]).toEqual(["device_lost", undefined, true]);
  });

  test("that gets something other than JSON is not a console, after the timeout", async () => {
    const asked = codeOf(usb.request(STATUS));
    await turn();
    stream.say("AT ERROR\r\n");
    await clock.pass(ANSWER_TIMEOUT_MS);
    expect(await asked).toBe("not_a_console");
  });

  test("that echoes the request is not a console, without a timeout", async () => {
    stream.onRequest = (request) => stream.say(`${JSON.stringify(request)}\n`);
    expect(await codeOf(usb.request(STATUS))).toBe("not_a_console");
  });
});

describe("log lines and statuses over USB", () => {
  const lines = (count: number, start = 0) =>
    Array.from({ length: count }, (_, n) => `1.${start + n} I app: x`);

  test("lines reach every follower from the first one on, in order", async () => {
    for (const line of lines(3)) stream.tell("log", line);
    const seen: string[][] = [[], []];
    usb.followLog((line) => seen[0]?.push(line));
    expect(seen[0]).toEqual([]); // no callback runs inside the call that caused it
    await turn();
    stream.tell("log", "2.0 I app: y");
    usb.followLog((line) => seen[1]?.push(line));
    await turn();
    expect(seen).toEqual([
      [...lines(3), "2.0 I app: y"],
      [...lines(3), "2.0 I app: y"],
    ]);
  });

  test("are not delivered once unfollowed", async () => {
    const seen: unknown[] = [];
    const ends = [usb.followLog((line) => seen.push(line)), usb.onStatus((status) => seen.push(status))];
    await turn();
    for (const end of ends) end();
    stream.tell("log", "1.0 I a: b");
    stream.tell("status", {});
    expect(seen).toEqual([]);
  });

  test("statuses reach their callback", () => {
    const seen: unknown[] = [];
    usb.onStatus((status) => seen.push(status));
    stream.tell("status", { uptime_ms: 5 });
    expect(seen).toEqual([{ uptime_ms: 5 }]);
  });

  test("lines appear once where a console restarts unnoticed and replays them", async () => {
    const seen: string[] = [];
    usb.followLog((line) => seen.push(line));
    for (const [uptimeMs, replay] of [
      [500, lines(3)],
      [300, [...lines(3), "0.001 I boot: again"]],
    ] as const) {
      const asked = usb.request(STATUS);
      await turn();
      // In one piece: the lines arrive before a caller can be notified of the answer.
      stream.answer(lastId(), { uptime_ms: uptimeMs });
      for (const line of replay) stream.tell("log", line);
      await asked;
      await clock.pass(2000);
    }
    expect(seen).toEqual([...lines(3), "0.001 I boot: again"]);
  });
});

test("an image is decoded from base64, and refusals are rejected with their code", async () => {
  const screen = () => usb.media({ path: "/api/screen", format: "png" });
  stream.answerWith(() => ({ body: { png: "iVBORw==" } }));
  expect([...(await screen())]).toEqual([0x89, 0x50, 0x4e, 0x47]);
  stream.answerWith(() => ({ body: { png: "?" } }));
  expect(await codeOf(screen())).toBe("answer_invalid");
  stream.answerWith(() => ({ status: 503, body: { error: "out_of_memory", message: "No" } }));
  expect(await codeOf(screen())).toBe("out_of_memory");
});
