/** Uploads in chunks: order, repetition and pace (docs/spec/uploads.md#one-upload). */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { type Part, refusedWith, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

describe("A file in chunks", () => {
  test("is answered 206 chunk by chunk and, with the last one, with its target's answer", async () => {
    expect(await console.install({ chunk: 1, total: 3, body: "ab" })).toMatchObject({
      status: 206,
      body: { received_bytes: 2, next: 2 },
    });
    expect(await console.install({ chunk: 2, total: 3, body: "c" })).toMatchObject({
      status: 206,
      body: { received_bytes: 3, next: 3 },
    });
    expect(await console.install({ chunk: 3, total: 3, body: "def" })).toMatchObject({
      status: 200,
      body: { content: "abcdef" },
    });
    expect(console.apps.file.facts).toMatchObject({ receivedBytes: 6, signature: undefined });
    expect(console.apps.file.start.totalBytes).toBeUndefined();
  });

  test("may be one chunk of the largest size", async () => {
    const body = "x".repeat(3072);
    expect(await console.install({ chunk: 1, total: 1, body })).toMatchObject({
      status: 200,
      body: { content: body },
    });
  });

  test("may arrive over HTTP with a body of unknown length", async () => {
    const part = { transport: "http", bodyByteLength: undefined } as const;
    expect((await console.install({ ...part, chunk: 1, total: 2, body: "ab" })).status).toBe(206);
    expect((await console.install({ ...part, chunk: 2, total: 2, body: "c" })).body).toEqual({
      content: "abc",
    });
  });

  test("reaches its target chunk by chunk, each once it is complete", async () => {
    const written: string[] = [];
    console.apps.onWrite = (text) => written.push(text);
    await console.install({ chunk: 1, total: 2, body: "abcd" });
    await console.install({ chunk: 2, total: 2, body: "efgh" });
    expect(written).toEqual(["abcd", "efgh"]);
  });

  test("passes its target the first chunk's request at the beginning and the last chunk's at the end", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    const { start, facts } = console.apps.file;
    expect(start.call.parameters.integer("chunk")).toBe(1);
    expect(facts?.call.parameters.integer("chunk")).toBe(2);
  });

  test("may have a signature with any chunk, of which the last one counts", async () => {
    await console.install({ chunk: 1, total: 3, body: "a", signature: "11" });
    await console.install({ chunk: 2, total: 3, body: "b", signature: "22" });
    await console.install({ chunk: 3, total: 3, body: "c" });
    expect(console.apps.file.facts?.signature).toBe("22");
  });

  test("with a chunk cut off by a lost connection is as before that chunk", async () => {
    await console.install({ transport: "http", chunk: 1, total: 2, body: "ab" });
    const broken = console.open({
      target: console.apps,
      ...{ transport: "http", chunk: 2, total: 2, bodyByteLength: 4 },
    });
    broken.write(Buffer.from("cd"));
    broken.abort();
    const reply = await console.install({ transport: "http", chunk: 2, total: 2, body: "cdef" });
    expect(reply.body).toEqual({ content: "abcdef" });
  });
});

describe("A chunk out of order", () => {
  const BEFORE: Part[] = [
    { chunk: 1, total: 4, body: "a" },
    { chunk: 2, total: 4, body: "b" },
  ];
  const CASES: { name: string; before: Part[]; part: Part; expected: number }[] = [
    { name: "without an open upload", before: [], part: { chunk: 2, total: 3, body: "b" }, expected: 1 },
    { name: "that skips one", before: BEFORE, part: { chunk: 4, total: 4, body: "d" }, expected: 3 },
    { name: "with another total", before: BEFORE, part: { chunk: 3, total: 5, body: "c" }, expected: 3 },
    {
      name: "that is the last one repeated with other bytes",
      before: BEFORE,
      part: { chunk: 2, total: 4, body: "B" },
      expected: 3,
    },
    {
      name: "that is the last one repeated with one byte more",
      before: BEFORE,
      part: { chunk: 2, total: 4, body: "b\0" },
      expected: 3,
    },
    {
      name: "that is the last one repeated with another total",
      before: BEFORE,
      part: { chunk: 2, total: 3, body: "b" },
      expected: 3,
    },
    {
      name: "that goes back further than the last one",
      before: [...BEFORE, { chunk: 3, total: 4, body: "c" }],
      part: { chunk: 2, total: 4, body: "b" },
      expected: 4,
    },
    {
      name: "after the complete file",
      before: [
        { chunk: 1, total: 2, body: "a" },
        { chunk: 2, total: 2, body: "b" },
      ],
      part: { chunk: 2, total: 2, body: "c" },
      expected: 1,
    },
  ];
  for (const { name, before, part, expected } of CASES)
    test(`${name} is 409 chunk_out_of_order, which names ${expected}, and changes nothing`, async () => {
      for (const earlier of before) await console.install(earlier);
      const contents = console.apps.files.map(({ content }) => content);
      const statesBefore = console.states;
      const reply = await console.install(part);
      expect(reply).toMatchObject({ status: 409, body: { error: "chunk_out_of_order", expected } });
      expect(console.apps.files.map(({ content }) => content)).toEqual(contents);
      expect(console.states).toEqual(statesBefore);
    });
});

describe("A repeated chunk", () => {
  test("gets the same answer, and reaches its target once", async () => {
    await console.install({ chunk: 1, total: 3, body: "a" });
    const first = await console.install({ chunk: 2, total: 3, body: "bc" });
    expect(await console.install({ chunk: 2, total: 3, body: "bc" })).toEqual(first);
    expect(await console.install({ chunk: 2, total: 3, body: "bc" })).toEqual(first);
    expect((await console.install({ chunk: 3, total: 3, body: "d" })).body).toEqual({ content: "abcd" });
  });

  test("that is the last of its file gets the same answer", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    const first = await console.install({ chunk: 2, total: 2, body: "b" });
    const again = await console.install({ chunk: 2, total: 2, body: "b" });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(console.apps.files).toHaveLength(1);
  });

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

  test("that its target rejected gets the same error", async () => {
    await console.install({ chunk: 1, total: 3, body: "a" });
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    const first = await console.install({ chunk: 2, total: 3, body: "b" });
    expect(first).toMatchObject({ status: 507, body: refusedWith("storage_full") });
    expect(await console.install({ chunk: 2, total: 3, body: "b" })).toEqual(first);
  });

  test("that is the last is no longer recognized once another upload has begun", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    await console.flash({ chunk: 1, total: 2, body: "f" });
    expect(await console.install({ chunk: 2, total: 2, body: "b" })).toMatchObject({
      body: refusedWith("upload_busy"),
    });
  });

  test("that is the last is no longer recognized after 30 s", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    console.clock.advance(29_999);
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).status).toBe(200);
    console.clock.advance(30_000);
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).body).toMatchObject({ expected: 1 });
  });

  test("over the other transport belongs to no upload", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    const reply = await console.install({ transport: "http", chunk: 2, total: 2, body: "b" });
    expect(reply.body).toMatchObject({ error: "chunk_out_of_order", expected: 1 });
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

describe("Chunk 1", () => {
  test("starts the upload again, and nothing of the earlier one is left", async () => {
    await console.install({ chunk: 1, total: 3, body: "old" });
    await console.install({ chunk: 2, total: 3, body: "old" });
    await console.install({ chunk: 1, total: 2, body: "n" });
    expect(console.states).toEqual(["aborted", "open"]);
    expect((await console.install({ chunk: 2, total: 2, body: "ew" })).body).toEqual({ content: "new" });
  });

  test("starts it again also with equal bytes, and with an equal answer", async () => {
    const first = await console.install({ chunk: 1, total: 2, body: "a" });
    expect(await console.install({ chunk: 1, total: 2, body: "a" })).toEqual(first);
    expect(console.states).toEqual(["aborted", "open"]);
  });

  test("of a file of one chunk starts again after the file was complete", async () => {
    await console.install({ chunk: 1, total: 1, body: "a" });
    await console.install({ chunk: 1, total: 1, body: "a" });
    expect(console.states).toEqual(["completed", "completed"]);
  });

  test("drops the signature of an earlier start", async () => {
    await console.install({ chunk: 1, total: 2, body: "a", signature: "11" });
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    expect(console.apps.file.facts?.signature).toBeUndefined();
  });

  test("with an incomplete body leaves the open upload unchanged", async () => {
    await console.install({ transport: "http", chunk: 1, total: 2, body: "a" });
    const part = { transport: "http", chunk: 1, total: 2, bodyByteLength: 9 } as const;
    const broken = console.open({ target: console.apps, ...part });
    broken.write(Buffer.from("zzz"));
    broken.abort();
    expect((await console.install({ transport: "http", chunk: 2, total: 2, body: "b" })).body).toEqual({
      content: "ab",
    });
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
