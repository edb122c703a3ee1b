/**
 * Uploads in chunks: repetition, takeover and pace (docs/spec/uploads.md#one-upload). What a transport shows, such as the
 * order of chunks, is in `device/upload`.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { refusedWith, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

describe("A file in chunks", () => {
  test("passes its target the first chunk's request at the beginning and the last chunk's at the end", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    const { start, facts } = console.apps.file;
    expect(start.call.parameters.integer("chunk")).toBe(1);
    expect(facts?.call?.parameters.integer("chunk")).toBe(2);
  });
});

describe("A repeated chunk", () => {
  test("that is the last of a rejected file gets the same error", async () => {
    console.apps.onComplete = () => {
      throw new Fault("signature_invalid", "The signature is not one of a trusted key");
    };
    await console.install({ chunk: 1, total: 2, body: "a" });
    const first = await console.install({ chunk: 2, total: 2, body: "b" });
    expect(first).toMatchObject({ status: 403, body: refusedWith("signature_invalid") });
    expect(await console.install({ chunk: 2, total: 2, body: "b" })).toEqual(first);
    expect(console.apps.files).toHaveLength(1);
  });

  test("that is the last is no longer recognized after 30 s", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    console.clock.advance(29_999);
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).status).toBe(200);
    console.clock.advance(30_000);
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).body).toMatchObject({ expected: 1 });
  });

  test("does not restart the console again", async () => {
    let restarts = 0;
    console.firmware.onComplete = () => ({ status: 200, body: {}, onSent: () => restarts++ });
    await console.flash({ chunk: 1, total: 2, body: "a" });
    const first = await console.flash({ chunk: 2, total: 2, body: "b" });
    const again = await console.flash({ chunk: 2, total: 2, body: "b" });
    first.answer?.onSent?.();
    again.answer?.onSent?.();
    expect(restarts).toBe(1);
  });
});

describe("A chunk in one piece", () => {
  const open = (chunk: number, bodyByteLength: number) =>
    console.open({ target: console.apps, transport: "http", chunk, total: 2, bodyByteLength });

  test("reaches its target without a copy, and is answered at its end", () => {
    const receiver = open(1, 4);
    receiver.write(Buffer.from("abcd"));
    expect(console.apps.file.content).toBe("abcd");
    expect(receiver.end()).toMatchObject({ status: 206, body: { received_bytes: 4, next: 2 } });
  });

  test("is rejected if its target rejects it, and leaves nothing", () => {
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    const receiver = open(1, 4);
    const full = expect.objectContaining({ code: "storage_full" });
    expect(() => receiver.write(Buffer.from("abcd"))).toThrow(full);
    receiver.abort();
    expect(console.states).toEqual(["aborted"]);
  });

  test("is superseded by one that was sent after it", async () => {
    const late = open(1, 4);
    const receiver = open(1, 2);
    expect(() => late.write(Buffer.from("abcd"))).toThrow(expect.objectContaining({ code: "upload_busy" }));
    receiver.write(Buffer.from("ef"));
    await receiver.end();
    expect(console.apps.file.content).toBe("ef");
  });
});

describe("A chunk that is stuck in its connection", () => {
  const part = { transport: "http", chunk: 1, total: 2, bodyByteLength: 4 } as const;

  test("is superseded by one that was sent after it", async () => {
    const hanging = console.open({ target: console.apps, ...part });
    hanging.write(Buffer.from("ab"));
    await console.install({ transport: "http", chunk: 1, total: 2, body: "abcd" });
    await console.install({ transport: "http", chunk: 2, total: 2, body: "e" });
    const late = expect.objectContaining({ code: "upload_busy" });
    expect(() => hanging.write(Buffer.from("cd"))).toThrow(late);
    hanging.abort();
    expect(console.states).toEqual(["completed"]);
    expect(console.apps.file.content).toBe("abcde");
  });

  test("is dropped if an upload over USB has begun meanwhile", async () => {
    const hanging = console.open({ target: console.apps, ...part, bodyByteLength: undefined });
    hanging.write(Buffer.from("abcd"));
    await console.install({ chunk: 1, total: 2, body: "u" });
    expect(() => hanging.end()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await console.install({ chunk: 2, total: 2, body: "sb" })).body).toEqual({ content: "usb" });
  });
});

describe("An upload in chunks", () => {
  const MOST = "x".repeat(3072);

  test("at 256 bytes per second continues, in whole chunks or in pieces of one byte", async () => {
    const part = { transport: "http", total: 3 } as const;
    for (let chunk = 1; chunk <= 3; chunk++) {
      const receiver = console.open({ target: console.apps, ...part, chunk, bodyByteLength: 3072 });
      for (let second = 0; second < 12; second++) {
        receiver.write(Buffer.from("x".repeat(256)));
        console.clock.advance(1000);
      }
      expect((await receiver.end()).status).toBe(chunk === 3 ? 200 : 206);
    }
    for (let chunk = 1; chunk <= 3; chunk++) {
      console.clock.advance(12_000);
      expect((await console.install({ ...part, chunk, body: MOST })).status).toBe(chunk === 3 ? 200 : 206);
    }
  });

  test("at a byte now and then is forgotten after 30 s, and another one may begin", async () => {
    for (let chunk = 1; chunk <= 10; chunk++) {
      await console.install({ transport: "http", chunk, total: 20, body: "a" });
      console.clock.advance(3000);
    }
    expect(console.states).toEqual(["aborted"]);
    expect(console.logged.at(-1)).toMatch(/^dropped an upload over http: slower than 256 bytes a second$/);
    expect((await console.flash({ transport: "http", chunk: 1, total: 1, body: "f" })).status).toBe(200);
  });

  test("that becomes slow is forgotten, however much it has sent", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await console.install({ chunk, total: 99, body: MOST });
    for (let chunk = 4; chunk <= 22; chunk++) {
      console.clock.advance(3000);
      await console.install({ chunk, total: 99, body: "a" });
    }
    console.clock.advance(3000);
    expect(console.states).toEqual(["aborted"]);
  });

  test("continues if each chunk takes the console seconds, as it cannot read meanwhile", async () => {
    console.apps.onWrite = () => console.clock.block(9000);
    for (let chunk = 1; chunk <= 99; chunk++) {
      expect((await console.install({ chunk, total: 100, body: "x".repeat(80) })).status).toBe(206);
      console.clock.advance(250);
    }
    expect(console.states).toEqual(["open"]);
  });
});
