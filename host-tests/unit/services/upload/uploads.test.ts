/**
 * The one upload of a console: its idle time, its limits and its target's answers (docs/spec/uploads.md#one-upload). What a
 * transport shows is in `device/upload`.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { type Part, refusedWith, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

describe("While a file is being installed", () => {
  /** The target works until it is let go on. */
  function working() {
    let letGo = () => {};
    let fail = (_: unknown) => {};
    console.apps.onComplete = ({ content }) =>
      new Promise((resolve, reject) => {
        letGo = () => resolve({ status: 200, body: { content } });
        fail = reject;
      });
    return { letGo: () => letGo(), fail: (error: unknown) => fail(error) };
  }
  const begun = () => new Promise((resolve) => setImmediate(resolve));

  for (const [name, part] of [
    ["chunk 1 of the same file", { chunk: 1, total: 2, body: "a" }],
    ["another chunk", { chunk: 3, total: 3, body: "a" }],
    ["the last chunk with other bytes", { chunk: 2, total: 2, body: "B" }],
    ["the last chunk over the other transport", { transport: "http", chunk: 2, total: 2, body: "b" }],
    ["a whole file", { transport: "http", body: "whole" }],
  ] satisfies [string, Part][])
    test(`${name} is 409 upload_busy`, async () => {
      const { letGo } = working();
      await console.install({ chunk: 1, total: 2, body: "a" });
      const reply = console.install({ chunk: 2, total: 2, body: "b" });
      await begun();
      expect((await console.install(part)).body).toEqual(refusedWith("upload_busy"));
      letGo();
      expect((await reply).body).toEqual({ content: "ab" });
    });

  test("the repeated last chunk waits for the same answer", async () => {
    const { letGo } = working();
    await console.install({ transport: "http", chunk: 1, total: 2, body: "a" });
    const replies = [1, 2].map(() => console.install({ transport: "http", chunk: 2, total: 2, body: "b" }));
    await begun();
    letGo();
    for (const reply of await Promise.all(replies)) expect(reply.body).toEqual({ content: "ab" });
    expect(console.apps.files).toHaveLength(1);
  });

  test("neither silence, nor a pulled cable, nor the end of the console stops it", async () => {
    const { letGo } = working();
    const reply = console.install({ chunk: 1, total: 1, body: "a" });
    await begun();
    console.clock.advance(60_000);
    console.uploads.disconnected("usb");
    console.uploads.close();
    expect(console.clock.timerCount).toBe(0);
    letGo();
    expect((await reply).body).toEqual({ content: "a" });
    expect(console.states).toEqual(["completed"]);
  });

  test("its later failure is the answer, and the next upload may begin", async () => {
    const { fail } = working();
    const reply = console.install({ transport: "http", body: "whole" });
    await begun();
    fail(new Fault("module_invalid", "Cannot take the module: its magic is wrong at offset 0"));
    expect(await reply).toMatchObject({ status: 422, body: refusedWith("module_invalid") });
    expect(console.states).toEqual(["completed"]);
    expect((await console.flash({ chunk: 1, total: 2, body: "f" })).status).toBe(206);
  });
});

describe("A whole file", () => {
  const whole = (part: Part) => console.install({ transport: "http", ...part });

  test("reaches its target as it arrives", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("ab"));
    expect(console.apps.file.content).toBe("ab");
    receiver.write(Buffer.from("cdef"));
    expect(await receiver.end()).toMatchObject({ status: 200, body: { content: "abcdef" } });
    expect(console.apps.file.start.totalBytes).toBe(6);
  });

  test("whose connection is lost leaves nothing", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("abc"));
    receiver.abort();
    receiver.abort();
    expect(console.states).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
    expect((await whole({ body: "next" })).status).toBe(200);
  });

  test("that its target rejects meanwhile leaves nothing, and the rejection is the answer", async () => {
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    expect(await whole({ body: "abcdef" })).toMatchObject({ status: 507, body: refusedWith("storage_full") });
    expect(console.states).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
  });

  test("that continues after it was dropped is 400 upload_incomplete, and does not disturb another upload", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("abc"));
    console.clock.advance(30_000);
    await console.install({ chunk: 1, total: 2, body: "a" });
    const late = expect.objectContaining({ code: "upload_incomplete" });
    expect(() => receiver.write(Buffer.from("def"))).toThrow(late);
    receiver.abort();
    expect(() => receiver.end()).toThrow(late);
    expect(console.states).toEqual(["aborted", "open"]);
  });
});

describe("IdleTimeout", () => {
  /** A third of the bytes due in 30 s at the minimum rate of 256 bytes per second. */
  const DUE = "x".repeat(2560);

  test("of 30 s ends an upload in chunks, and nothing of it is left", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ chunk, total: 5, body: DUE });
    console.clock.advance(20_000);
    await console.install({ chunk: 4, total: 5, body: "b" });
    console.clock.advance(29_999);
    expect(console.states).toEqual(["open"]);
    console.clock.advance(1);
    expect(console.states).toEqual(["aborted"]);
    expect((await console.install({ chunk: 5, total: 5, body: "c" })).body).toMatchObject({ expected: 1 });
    expect(console.clock.timerCount).toBe(0);
  });

  test("of 30 s ends a stalled whole file", () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "a".repeat(9000) });
    receiver.write(Buffer.from("a".repeat(8000)));
    console.clock.advance(29_999);
    expect(console.states).toEqual(["open"]);
    console.clock.advance(1);
    expect(console.states).toEqual(["aborted"]);
  });

  test("ends what begins again and again without getting further, within one window", async () => {
    for (let round = 0; round < 12; round++) {
      await console.install({ transport: "http", chunk: 1, total: 2, body: DUE });
      console.clock.advance(2499);
      expect(console.states.at(-1)).toBe("open");
    }
    console.clock.advance(12);
    expect(console.states.at(-1)).toBe("aborted");
  });

  test("restarts with a repeated chunk, and not with a rejected one", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ chunk, total: 6, body: DUE });
    console.clock.advance(20_000);
    await console.install({ chunk: 3, total: 6, body: DUE });
    console.clock.advance(20_000);
    expect(console.states).toEqual(["open"]);
    await console.install({ chunk: 6, total: 6, body: "d" });
    console.clock.advance(10_000);
    expect(console.states).toEqual(["aborted"]);
  });

  test("restarts with the bytes of an incomplete chunk", async () => {
    const part = { transport: "http", total: 4 } as const;
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ ...part, chunk, body: DUE });
    const slow = console.open({ target: console.apps, ...part, chunk: 4, bodyByteLength: 2 });
    for (const byte of "yz") {
      console.clock.advance(14_000);
      slow.write(Buffer.from(byte));
    }
    console.clock.advance(1000);
    expect(await slow.end()).toMatchObject({ status: 200, body: { content: `${DUE}${DUE}${DUE}yz` } });
  });

  test("has one timer, however many chunks there are", async () => {
    for (let chunk = 1; chunk < 50; chunk++) {
      await console.install({ chunk, total: 50, body: "a" });
      expect(console.clock.timerCount).toBe(1);
    }
    await console.install({ chunk: 50, total: 50, body: "a" });
    expect(console.clock.timerCount).toBe(1); // the answer is remembered
    console.clock.advance(30_000);
    expect(console.clock.timerCount).toBe(0);
  });
});

describe("A file that its target cannot take", () => {
  test("is rejected at chunk 1, and nothing has begun", async () => {
    console.apps.refusal = new Fault("storage_full", "No space is left");
    expect(await console.install({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 507 });
    console.apps.refusal = undefined;
    expect(await console.flash({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 206 });
  });

  test("is rejected if it starts again, and the earlier start is forgotten", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    console.apps.refusal = new Fault("storage_full", "No space is left");
    expect(await console.install({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 507 });
    expect(console.states).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
  });

  test("is rejected before its body, if it is a whole file", async () => {
    console.apps.refusal = new Fault("media_type_unsupported", "This is not a package");
    expect(await console.install({ transport: "http", body: "a" })).toMatchObject({ status: 415 });
    expect(console.clock.timerCount).toBe(0);
  });

  test("is rejected later and aborted once, and no chunk can continue it", async () => {
    await console.install({ chunk: 1, total: 3, body: "a" });
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    expect(await console.install({ chunk: 2, total: 3, body: "b" })).toMatchObject({ status: 507 });
    expect(console.states).toEqual(["aborted"]);
    expect((await console.install({ chunk: 3, total: 3, body: "c" })).body).toMatchObject({ expected: 1 });
  });

  test("is logged if its cleanup fails, and the next one may begin", async () => {
    console.apps.onAbort = () => {
      throw new Error("medium is gone");
    };
    await console.install({ chunk: 1, total: 2, body: "a" });
    console.clock.advance(30_000);
    expect(console.logged.at(-1)).toBe("could not clean up after an upload: Error: medium is gone");
    expect((await console.flash({ chunk: 1, total: 2, body: "a" })).status).toBe(206);
  });
});

describe("A file over the limit", () => {
  test("is 413 at the first chunk after which it cannot fit", async () => {
    const body = "x".repeat(3000);
    for (let chunk = 1; chunk <= 3; chunk++)
      expect((await console.install({ chunk, total: 5, body })).status).toBe(206);
    const last = await console.install({ chunk: 4, total: 5, body: body.slice(0, 1000) });
    expect(last).toMatchObject({ status: 413, body: refusedWith("file_too_large") });
    expect(console.states).toEqual(["aborted"]);
  });

  test("may have exactly the limit", async () => {
    const body = "x".repeat(2500);
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ chunk, total: 4, body });
    expect((await console.install({ chunk: 4, total: 4, body })).status).toBe(200);
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ chunk, total: 4, body });
    expect((await console.install({ chunk: 4, total: 4, body: `${body}x` })).status).toBe(413);
  });
});

test("close() aborts the open upload, leaves no timer, and may be called twice", async () => {
  await console.install({ chunk: 1, total: 2, body: "a" });
  console.uploads.close();
  console.uploads.close();
  expect(console.states).toEqual(["aborted"]);
  expect(console.clock.timerCount).toBe(0);
});
