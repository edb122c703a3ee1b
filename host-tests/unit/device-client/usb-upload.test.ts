/** An upload over USB, against a port whose other end is the test. Time passes when the test advances it. */
import { beforeEach, describe, expect, test } from "vitest";
import { ANSWER_TIMEOUT_MS, WORK_TIMEOUT_MS } from "../../../device-client/transport.js";
import { UsbTransport } from "../../../device-client/usb-transport.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";
import { ScriptedStream } from "../../hosts/scripted-stream.js";

const STATUS = { method: "GET", path: "/api/status" } as const;

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

describe("a file over USB", () => {
  const file = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);
  const path = "/api/apps/install";

  test("goes in chunks of 2048 bytes, each after the answer to the previous one", async () => {
    stream.answerWith(({ chunk, total }) => (chunk === total ? { body: "done" } : { status: 206, body: {} }));
    const progress: number[] = [];
    const parameters = { signature: "ab" };
    const onProgress = (sent: number) => progress.push(sent);
    expect(await usb.upload({ path, parameters, file, onProgress })).toEqual({ status: 200, body: "done" });
    const { requests } = stream;
    expect(requests.map(({ chunk, total }) => [chunk, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(requests.map(({ params }) => params)).toEqual([parameters, undefined, parameters]);
    expect(Buffer.concat(requests.map(({ data }) => Buffer.from(data ?? "", "base64"))).equals(file)).toBe(
      true,
    );
    expect(progress).toEqual([2048, 4096, 5000]);
  });

  test("counts as sent before the console has finished with it", async () => {
    const progress: number[] = [];
    let toldBefore = 0;
    stream.answerWith(({ chunk, total }) => {
      if (chunk === total) toldBefore = progress.at(-1) ?? 0;
      return chunk === total ? { body: "done" } : { status: 206, body: {} };
    });
    await usb.upload({ path, file, onProgress: (sent) => progress.push(sent) });
    expect(toldBefore).toBe(file.length);
  });

  test("stops at the first refusal, with the console's error", async () => {
    stream.answerWith(({ chunk }) =>
      chunk === 2 ? { status: 507, body: { error: "storage_full" } } : { status: 206, body: {} },
    );
    expect(await usb.upload({ path, file })).toEqual({ status: 507, body: { error: "storage_full" } });
    expect(stream.lines).toHaveLength(2);
  });

  test("sends a chunk whose answer was lost again, with a new id", async () => {
    let lost = 0;
    stream.answerWith(({ chunk, total }) => {
      if (chunk === 2 && lost++ < 2) return undefined;
      return chunk === total ? { body: "done" } : { status: 206, body: {} };
    });
    const uploaded = usb.upload({ path, file });
    await clock.pass(3 * ANSWER_TIMEOUT_MS);
    expect((await uploaded).body).toBe("done");
    expect(stream.requests.map(({ chunk }) => chunk)).toEqual([1, 2, 2, 2, 3]);
    expect(new Set(stream.requests.map(({ id }) => id)).size).toBe(5);
  });

  test("fails after three tries", async () => {
    const uploaded = codeOf(usb.upload({ path, file }));
    await clock.pass(5 * ANSWER_TIMEOUT_MS);
    expect([await uploaded, stream.lines.length]).toEqual(["device_timeout", 3]);
  });

  test("waits longer for the answer to the last chunk, after which the console verifies and writes", async () => {
    const uploaded = usb.upload({ path, file: file.subarray(0, 10) });
    await clock.pass(WORK_TIMEOUT_MS - 1);
    expect(stream.lines).toHaveLength(1);
    stream.answer(stream.requests[0]?.id as number, "done");
    expect((await uploaded).body).toBe("done");
  });

  test("closes the port when cancelled, as the console notices nothing else", async () => {
    const cancel = new AbortController();
    stream.answerWith(({ chunk }) => (chunk === 1 ? { status: 206, body: {} } : undefined));
    const uploaded = codeOf(usb.upload({ path, file, signal: cancel.signal }));
    await turn();
    cancel.abort();
    expect([await uploaded, stream.isClosed]).toEqual(["cancelled", true]);
    expect(await usb.closed).toMatchObject({ code: "cancelled" });
  });

  test("leaves the port open when cancelled before its first chunk", async () => {
    expect(await codeOf(usb.upload({ path, file, signal: AbortSignal.abort() }))).toBe("cancelled");
    expect([stream.isClosed, stream.lines.length]).toEqual([false, 0]);
  });

  test("allows other requests between its chunks", async () => {
    stream.answerWith(({ chunk, total }) =>
      chunk === undefined || chunk === total ? { body: 1 } : { status: 206, body: {} },
    );
    const all = [usb.upload({ path, file }), usb.request(STATUS)];
    await Promise.all(all);
    expect(stream.requests.map(({ chunk }) => chunk)).toEqual([1, undefined, 2, 3]);
  });
});
