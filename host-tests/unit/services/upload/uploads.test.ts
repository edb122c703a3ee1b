/** The one upload of a console (docs/spec/uploads.md#one-upload). */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault, type FaultCode } from "../../../../protocol/fault.js";
import { LIMIT_BYTES, type Sent, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

type Part = Omit<Sent, "target">;
const install = (part: Part) => console.send({ target: console.apps, ...part });
const flash = (part: Part) => console.send({ target: console.firmware, ...part });
const refusedWith = (code: FaultCode) => expect.objectContaining({ error: code });
const states = () => console.apps.files.map(({ state }) => state);

describe("A file in chunks", () => {
  test("is answered 206 chunk by chunk and, with the last one, with its target's answer", async () => {
    expect(await install({ chunk: 1, total: 3, body: "ab" })).toMatchObject({
      status: 206,
      body: { received_bytes: 2, next: 2 },
    });
    expect(await install({ chunk: 2, total: 3, body: "c" })).toMatchObject({
      status: 206,
      body: { received_bytes: 3, next: 3 },
    });
    expect(await install({ chunk: 3, total: 3, body: "def" })).toMatchObject({
      status: 200,
      body: { content: "abcdef" },
    });
    expect(console.apps.file.facts).toMatchObject({ receivedBytes: 6, signature: undefined });
    expect(console.apps.file.start.totalBytes).toBeUndefined();
  });

  test("may be one chunk of the largest size", async () => {
    const body = "x".repeat(3072);
    expect(await install({ chunk: 1, total: 1, body })).toMatchObject({
      status: 200,
      body: { content: body },
    });
  });

  test("may arrive over HTTP with a body of unknown length", async () => {
    const part = { transport: "http", bodyByteLength: undefined } as const;
    expect((await install({ ...part, chunk: 1, total: 2, body: "ab" })).status).toBe(206);
    expect((await install({ ...part, chunk: 2, total: 2, body: "c" })).body).toEqual({ content: "abc" });
  });

  test("reaches its target chunk by chunk, each once it is complete", async () => {
    const written: string[] = [];
    console.apps.onWrite = (text) => written.push(text);
    await install({ chunk: 1, total: 2, body: "abcd" });
    await install({ chunk: 2, total: 2, body: "efgh" });
    expect(written).toEqual(["abcd", "efgh"]);
  });

  test("passes its target the first chunk's request at the beginning and the last chunk's at the end", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    const { start, facts } = console.apps.file;
    expect(start.call.parameters.integer("chunk")).toBe(1);
    expect(facts?.call.parameters.integer("chunk")).toBe(2);
  });

  test("may have a signature with any chunk, of which the last one counts", async () => {
    await install({ chunk: 1, total: 3, body: "a", signature: "11" });
    await install({ chunk: 2, total: 3, body: "b", signature: "22" });
    await install({ chunk: 3, total: 3, body: "c" });
    expect(console.apps.file.facts?.signature).toBe("22");
  });

  test("with a chunk cut off by a lost connection is as before that chunk", async () => {
    await install({ transport: "http", chunk: 1, total: 2, body: "ab" });
    const broken = console.open({
      target: console.apps,
      ...{ transport: "http", chunk: 2, total: 2, bodyByteLength: 4 },
    });
    broken.write(Buffer.from("cd"));
    broken.abort();
    const reply = await install({ transport: "http", chunk: 2, total: 2, body: "cdef" });
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
      for (const earlier of before) await install(earlier);
      const contents = console.apps.files.map(({ content }) => content);
      const statesBefore = states();
      const reply = await install(part);
      expect(reply).toMatchObject({ status: 409, body: { error: "chunk_out_of_order", expected } });
      expect(console.apps.files.map(({ content }) => content)).toEqual(contents);
      expect(states()).toEqual(statesBefore);
    });
});

describe("A repeated chunk", () => {
  test("gets the same answer, and reaches its target once", async () => {
    await install({ chunk: 1, total: 3, body: "a" });
    const first = await install({ chunk: 2, total: 3, body: "bc" });
    expect(await install({ chunk: 2, total: 3, body: "bc" })).toEqual(first);
    expect(await install({ chunk: 2, total: 3, body: "bc" })).toEqual(first);
    expect((await install({ chunk: 3, total: 3, body: "d" })).body).toEqual({ content: "abcd" });
  });

  test("that is the last of its file gets the same answer", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    const first = await install({ chunk: 2, total: 2, body: "b" });
    const again = await install({ chunk: 2, total: 2, body: "b" });
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(console.apps.files).toHaveLength(1);
  });

  test("that is the last of a rejected file gets the same error", async () => {
    console.apps.onComplete = () => {
      throw new Fault("signature_invalid", "The signature is not one of a trusted key");
    };
    await install({ chunk: 1, total: 2, body: "a" });
    const first = await install({ chunk: 2, total: 2, body: "b" });
    expect(first).toMatchObject({ status: 403, body: refusedWith("signature_invalid") });
    expect(await install({ chunk: 2, total: 2, body: "b" })).toEqual(first);
    expect(console.apps.files).toHaveLength(1);
  });

  test("that its target rejected gets the same error", async () => {
    await install({ chunk: 1, total: 3, body: "a" });
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    const first = await install({ chunk: 2, total: 3, body: "b" });
    expect(first).toMatchObject({ status: 507, body: refusedWith("storage_full") });
    expect(await install({ chunk: 2, total: 3, body: "b" })).toEqual(first);
  });

  test("that is the last is no longer recognized once another upload has begun", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    await flash({ chunk: 1, total: 2, body: "f" });
    expect(await install({ chunk: 2, total: 2, body: "b" })).toMatchObject({
      body: refusedWith("upload_busy"),
    });
  });

  test("that is the last is no longer recognized after 30 s", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    console.clock.advance(29_999);
    expect((await install({ chunk: 2, total: 2, body: "b" })).status).toBe(200);
    console.clock.advance(30_000);
    expect((await install({ chunk: 2, total: 2, body: "b" })).body).toMatchObject({ expected: 1 });
  });

  test("over the other transport belongs to no upload", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    const reply = await install({ transport: "http", chunk: 2, total: 2, body: "b" });
    expect(reply.body).toMatchObject({ error: "chunk_out_of_order", expected: 1 });
  });

  test("does not restart the console again", async () => {
    let restarts = 0;
    console.firmware.onComplete = () => ({ status: 200, body: {}, onSent: () => restarts++ });
    await flash({ chunk: 1, total: 2, body: "a" });
    const first = await flash({ chunk: 2, total: 2, body: "b" });
    const again = await flash({ chunk: 2, total: 2, body: "b" });
    first.answer?.onSent?.();
    again.answer?.onSent?.();
    expect(restarts).toBe(1);
  });
});

describe("Chunk 1", () => {
  test("starts the upload again, and nothing of the earlier one is left", async () => {
    await install({ chunk: 1, total: 3, body: "old" });
    await install({ chunk: 2, total: 3, body: "old" });
    await install({ chunk: 1, total: 2, body: "n" });
    expect(states()).toEqual(["aborted", "open"]);
    expect((await install({ chunk: 2, total: 2, body: "ew" })).body).toEqual({ content: "new" });
  });

  test("starts it again also with equal bytes, and with an equal answer", async () => {
    const first = await install({ chunk: 1, total: 2, body: "a" });
    expect(await install({ chunk: 1, total: 2, body: "a" })).toEqual(first);
    expect(states()).toEqual(["aborted", "open"]);
  });

  test("of a file of one chunk starts again after the file was complete", async () => {
    await install({ chunk: 1, total: 1, body: "a" });
    await install({ chunk: 1, total: 1, body: "a" });
    expect(states()).toEqual(["completed", "completed"]);
  });

  test("drops the signature of an earlier start", async () => {
    await install({ chunk: 1, total: 2, body: "a", signature: "11" });
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    expect(console.apps.file.facts?.signature).toBeUndefined();
  });

  test("with an incomplete body leaves the open upload unchanged", async () => {
    await install({ transport: "http", chunk: 1, total: 2, body: "a" });
    const part = { transport: "http", chunk: 1, total: 2, bodyByteLength: 9 } as const;
    const broken = console.open({ target: console.apps, ...part });
    broken.write(Buffer.from("zzz"));
    broken.abort();
    expect((await install({ transport: "http", chunk: 2, total: 2, body: "b" })).body).toEqual({
      content: "ab",
    });
  });
});

describe("A second upload", () => {
  const OPEN: { name: string; part: Part }[] = [
    { name: "chunks over USB", part: { chunk: 1, total: 2, body: "a" } },
    { name: "chunks over HTTP", part: { transport: "http", chunk: 1, total: 2, body: "a" } },
  ];
  const OTHERS: { name: string; send: () => Promise<unknown>; unless?: string }[] = [
    {
      name: "chunks for another target",
      send: () => flash({ transport: "http", chunk: 1, total: 2, body: "f" }),
    },
    { name: "a whole file", send: () => install({ transport: "http", body: "whole" }) },
    {
      name: "chunks over USB for another target",
      unless: "chunks over HTTP", // which they end
      send: () => flash({ chunk: 1, total: 2, body: "b" }),
    },
    {
      name: "chunks over HTTP",
      unless: "chunks over HTTP",
      send: () => install({ transport: "http", chunk: 1, total: 2, body: "b" }),
    },
  ];
  for (const { name, part } of OPEN)
    for (const other of OTHERS.filter(({ unless }) => unless !== name))
      test(`with ${other.name} is 409 upload_busy while one with ${name} is open`, async () => {
        await install(part);
        expect(await other.send()).toMatchObject({ status: 409, body: refusedWith("upload_busy") });
        expect(console.firmware.files).toEqual([]);
        expect((await install({ ...part, chunk: 2, body: "b" })).body).toEqual({ content: "ab" });
      });

  test("is 409 upload_busy while a whole file is arriving", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "whole" });
    receiver.write(Buffer.from("who"));
    for (const part of [
      { body: "other" },
      { chunk: 1, total: 1, body: "x" },
      { chunk: 2, total: 2, body: "x" },
    ])
      expect((await install({ transport: "http", ...part })).body).toEqual(refusedWith("upload_busy"));
    expect((await flash({ transport: "http", chunk: 1, total: 1, body: "x" })).body).toEqual(
      refusedWith("upload_busy"),
    );
    receiver.write(Buffer.from("le"));
    expect(await receiver.end()).toMatchObject({ status: 200, body: { content: "whole" } });
  });

  test("may begin as soon as the first one is complete", async () => {
    await install({ chunk: 1, total: 1, body: "a" });
    expect((await flash({ transport: "http", body: "f" })).status).toBe(200);
    expect((await install({ transport: "http", chunk: 1, total: 2, body: "a" })).status).toBe(206);
  });

  test("may begin as soon as the first one was rejected", async () => {
    expect((await install({ transport: "http", body: "x".repeat(LIMIT_BYTES + 1) })).status).toBe(413);
    expect((await flash({ chunk: 1, total: 2, body: "f" })).status).toBe(206);
  });
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
      await install({ chunk: 1, total: 2, body: "a" });
      const reply = install({ chunk: 2, total: 2, body: "b" });
      await begun();
      expect((await install(part)).body).toEqual(refusedWith("upload_busy"));
      letGo();
      expect((await reply).body).toEqual({ content: "ab" });
    });

  test("the repeated last chunk waits for the same answer", async () => {
    const { letGo } = working();
    await install({ transport: "http", chunk: 1, total: 2, body: "a" });
    const replies = [1, 2].map(() => install({ transport: "http", chunk: 2, total: 2, body: "b" }));
    await begun();
    letGo();
    for (const reply of await Promise.all(replies)) expect(reply.body).toEqual({ content: "ab" });
    expect(console.apps.files).toHaveLength(1);
  });

  test("neither silence, nor a pulled cable, nor the end of the console stops it", async () => {
    const { letGo } = working();
    const reply = install({ chunk: 1, total: 1, body: "a" });
    await begun();
    console.clock.advance(60_000);
    console.uploads.disconnected("usb");
    console.uploads.close();
    expect(console.clock.timerCount).toBe(0);
    letGo();
    expect((await reply).body).toEqual({ content: "a" });
    expect(states()).toEqual(["completed"]);
  });

  test("its later failure is the answer, and the next upload may begin", async () => {
    const { fail } = working();
    const reply = install({ transport: "http", body: "whole" });
    await begun();
    fail(new Fault("module_invalid", "Cannot take the module: its magic is wrong at offset 0"));
    expect(await reply).toMatchObject({ status: 422, body: refusedWith("module_invalid") });
    expect(states()).toEqual(["completed"]);
    expect((await flash({ chunk: 1, total: 2, body: "f" })).status).toBe(206);
  });
});

describe("A whole file", () => {
  const whole = (part: Part) => install({ transport: "http", ...part });

  test("reaches its target as it arrives", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("ab"));
    expect(console.apps.file.content).toBe("ab");
    receiver.write(Buffer.from("cdef"));
    expect(await receiver.end()).toMatchObject({ status: 200, body: { content: "abcdef" } });
    expect(console.apps.file.start.totalBytes).toBe(6);
    expect(console.apps.file.facts?.receivedBytes).toBe(6);
  });

  test("may be of unknown length, and is rejected once it passes the limit", async () => {
    const part = { bodyByteLength: undefined };
    const fitting = "x".repeat(LIMIT_BYTES);
    expect((await whole({ ...part, body: fitting })).body).toEqual({ content: fitting });
    expect(await whole({ ...part, body: `${fitting}x` })).toMatchObject({
      status: 413,
      body: refusedWith("file_too_large"),
    });
    expect(states()).toEqual(["completed", "aborted"]);
  });

  test("with a length over the limit is 413 before its body, and nothing begins", () => {
    const part = { transport: "http", bodyByteLength: LIMIT_BYTES + 1 } as const;
    expect(() => console.open({ target: console.apps, ...part })).toThrow(
      expect.objectContaining({ code: "file_too_large" }),
    );
    expect(console.apps.files).toEqual([]);
  });

  test("takes its signature from the field, or else from the parameter", async () => {
    await whole({ body: "a", signature: "11" });
    expect(console.apps.file.facts?.signature).toBe("11");
    await whole({ body: "a", signature: "11", signatureHeader: "22" });
    expect(console.apps.file.facts?.signature).toBe("22");
  });

  test("whose connection is lost leaves nothing", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("abc"));
    receiver.abort();
    receiver.abort();
    expect(states()).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
    expect((await whole({ body: "next" })).status).toBe(200);
  });

  test("that its target rejects meanwhile leaves nothing, and the rejection is the answer", async () => {
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    expect(await whole({ body: "abcdef" })).toMatchObject({ status: 507, body: refusedWith("storage_full") });
    expect(states()).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
  });

  test("that is empty is 400 upload_incomplete", async () => {
    expect(await whole({ body: "", bodyByteLength: undefined })).toMatchObject({
      status: 400,
      body: refusedWith("upload_incomplete"),
    });
    expect(states()).toEqual(["aborted"]);
  });

  test("that continues after it was dropped is 400 upload_incomplete, and does not disturb another upload", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    receiver.write(Buffer.from("abc"));
    console.clock.advance(30_000);
    await install({ chunk: 1, total: 2, body: "a" });
    const late = expect.objectContaining({ code: "upload_incomplete" });
    expect(() => receiver.write(Buffer.from("def"))).toThrow(late);
    receiver.abort();
    expect(() => receiver.end()).toThrow(late);
    expect(states()).toEqual(["aborted", "open"]);
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
    expect(states()).toEqual(["aborted"]);
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
    await install({ transport: "http", chunk: 1, total: 2, body: "abcd" });
    await install({ transport: "http", chunk: 2, total: 2, body: "e" });
    const late = expect.objectContaining({ code: "upload_busy" });
    expect(() => hanging.write(Buffer.from("cd"))).toThrow(late);
    hanging.abort();
    expect(states()).toEqual(["completed"]);
    expect(console.apps.file.content).toBe("abcde");
  });

  test("is dropped if an upload over USB has begun meanwhile", async () => {
    const hanging = console.open({ target: console.apps, ...part, bodyByteLength: undefined });
    hanging.write(Buffer.from("abcd"));
    await install({ chunk: 1, total: 2, body: "u" });
    expect(() => hanging.end()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await install({ chunk: 2, total: 2, body: "sb" })).body).toEqual({ content: "usb" });
  });
});

describe("IdleTimeout", () => {
  /** A third of the bytes due in 30 s at the minimum rate of 256 bytes per second. */
  const DUE = "x".repeat(2560);

  test("of 30 s ends an upload in chunks, and nothing of it is left", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await install({ chunk, total: 5, body: DUE });
    console.clock.advance(20_000);
    await install({ chunk: 4, total: 5, body: "b" });
    console.clock.advance(29_999);
    expect(states()).toEqual(["open"]);
    console.clock.advance(1);
    expect(states()).toEqual(["aborted"]);
    expect((await install({ chunk: 5, total: 5, body: "c" })).body).toMatchObject({ expected: 1 });
    expect(console.clock.timerCount).toBe(0);
  });

  test("of 30 s ends a stalled whole file", () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abcdef" });
    for (const byte of "abc") {
      console.clock.advance(29_000);
      receiver.write(Buffer.from(byte));
    }
    expect(states()).toEqual(["open"]);
    console.clock.advance(30_000);
    expect(states()).toEqual(["aborted"]);
  });

  test("restarts with a repeated chunk, and not with a rejected one", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await install({ chunk, total: 6, body: DUE });
    console.clock.advance(20_000);
    await install({ chunk: 3, total: 6, body: DUE });
    console.clock.advance(20_000);
    expect(states()).toEqual(["open"]);
    await install({ chunk: 6, total: 6, body: "d" });
    console.clock.advance(10_000);
    expect(states()).toEqual(["aborted"]);
  });

  test("restarts with the bytes of an incomplete chunk", async () => {
    const part = { transport: "http", total: 4 } as const;
    for (let chunk = 1; chunk <= 3; chunk++) await install({ ...part, chunk, body: DUE });
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
      await install({ chunk, total: 50, body: "a" });
      expect(console.clock.timerCount).toBe(1);
    }
    await install({ chunk: 50, total: 50, body: "a" });
    expect(console.clock.timerCount).toBe(1); // the answer is remembered
    console.clock.advance(30_000);
    expect(console.clock.timerCount).toBe(0);
  });
});

describe("A pulled cable", () => {
  test("ends the upload over USB", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    console.uploads.disconnected("usb");
    expect(states()).toEqual(["aborted"]);
    expect((await install({ chunk: 2, total: 2, body: "b" })).body).toMatchObject({ expected: 1 });
  });

  test("does not affect an upload over HTTP", async () => {
    await install({ transport: "http", chunk: 1, total: 2, body: "a" });
    console.uploads.disconnected("usb");
    expect((await install({ transport: "http", chunk: 2, total: 2, body: "b" })).status).toBe(200);
  });

  test("leaves the last answer for a host that returns for it", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    await install({ chunk: 2, total: 2, body: "b" });
    console.uploads.disconnected("usb");
    expect((await install({ chunk: 2, total: 2, body: "b" })).status).toBe(200);
  });
});

describe("A file that its target cannot take", () => {
  test("is rejected at chunk 1, and nothing has begun", async () => {
    console.apps.refusal = new Fault("storage_full", "No space is left");
    expect(await install({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 507 });
    console.apps.refusal = undefined;
    expect(await flash({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 206 });
  });

  test("is rejected if it starts again, and the earlier start is forgotten", async () => {
    await install({ chunk: 1, total: 2, body: "a" });
    console.apps.refusal = new Fault("storage_full", "No space is left");
    expect(await install({ chunk: 1, total: 2, body: "a" })).toMatchObject({ status: 507 });
    expect(states()).toEqual(["aborted"]);
    expect(console.clock.timerCount).toBe(0);
  });

  test("is rejected before its body, if it is a whole file", async () => {
    console.apps.refusal = new Fault("media_type_unsupported", "This is no package");
    expect(await install({ transport: "http", body: "a" })).toMatchObject({ status: 415 });
    expect(console.clock.timerCount).toBe(0);
  });

  test("is rejected later and aborted once, and no chunk can continue it", async () => {
    await install({ chunk: 1, total: 3, body: "a" });
    console.apps.onWrite = () => {
      throw new Fault("storage_full", "No space is left");
    };
    expect(await install({ chunk: 2, total: 3, body: "b" })).toMatchObject({ status: 507 });
    expect(states()).toEqual(["aborted"]);
    expect((await install({ chunk: 3, total: 3, body: "c" })).body).toMatchObject({ expected: 1 });
  });

  test("is logged if its cleanup fails, and the next one may begin", async () => {
    console.apps.onAbort = () => {
      throw new Error("medium is gone");
    };
    await install({ chunk: 1, total: 2, body: "a" });
    console.clock.advance(30_000);
    expect(console.logged.at(-1)).toBe("could not clean up after an upload: Error: medium is gone");
    expect((await flash({ chunk: 1, total: 2, body: "a" })).status).toBe(206);
  });
});

describe("A file over the limit", () => {
  test("is 413 file_too_large at chunk 1, if even one byte per chunk would exceed it", async () => {
    const part = { chunk: 1, body: "ab" };
    expect(await install({ ...part, total: LIMIT_BYTES })).toMatchObject({
      status: 413,
      body: refusedWith("file_too_large"),
    });
    expect(console.apps.files).toEqual([]);
    expect((await install({ ...part, total: LIMIT_BYTES - 1 })).status).toBe(206);
  });

  test("is 413 at the first chunk after which it cannot fit", async () => {
    const body = "x".repeat(3000);
    for (let chunk = 1; chunk <= 3; chunk++)
      expect((await install({ chunk, total: 5, body })).status).toBe(206);
    const last = await install({ chunk: 4, total: 5, body: body.slice(0, 1000) });
    expect(last).toMatchObject({ status: 413, body: refusedWith("file_too_large") });
    expect(states()).toEqual(["aborted"]);
  });

  test("may have exactly the limit", async () => {
    const body = "x".repeat(2500);
    for (let chunk = 1; chunk <= 3; chunk++) await install({ chunk, total: 4, body });
    expect((await install({ chunk: 4, total: 4, body })).status).toBe(200);
    for (let chunk = 1; chunk <= 3; chunk++) await install({ chunk, total: 4, body });
    expect((await install({ chunk: 4, total: 4, body: `${body}x` })).status).toBe(413);
  });
});

const REFUSED: { name: string; part: Part; status: number; code: FaultCode }[] = [
  { name: "chunk 0", part: { chunk: 0, total: 1, body: "a" }, status: 400, code: "bad_parameter" },
  { name: "a total of 0", part: { chunk: 1, total: 0, body: "a" }, status: 400, code: "bad_parameter" },
  {
    name: "a chunk beyond the total",
    part: { chunk: 3, total: 2, body: "a" },
    status: 400,
    code: "bad_parameter",
  },
  { name: "a negative chunk", part: { chunk: -1, total: 2, body: "a" }, status: 400, code: "bad_parameter" },
  {
    name: "a chunk that is no number",
    part: { chunk: "1a", total: 2, body: "a" },
    status: 400,
    code: "bad_parameter",
  },
  { name: "a chunk without a total", part: { chunk: 1, body: "a" }, status: 400, code: "missing_parameter" },
  { name: "a total without a chunk", part: { total: 1, body: "a" }, status: 400, code: "missing_parameter" },
  {
    name: "a chunk of 3073 bytes",
    part: { chunk: 1, total: 1, body: "x".repeat(3073) },
    status: 413,
    code: "chunk_too_large",
  },
  {
    name: "a chunk of 3073 bytes without a length",
    part: { transport: "http", chunk: 1, total: 1, body: "x".repeat(3073), bodyByteLength: undefined },
    status: 413,
    code: "chunk_too_large",
  },
  {
    name: "an empty chunk without a length",
    part: { transport: "http", chunk: 1, total: 1, body: "", bodyByteLength: undefined },
    status: 400,
    code: "upload_incomplete",
  },
  {
    name: "a file without a body over HTTP",
    part: { transport: "http", body: "" },
    status: 411,
    code: "length_required",
  },
  {
    name: "a chunk without a body over HTTP",
    part: { transport: "http", chunk: 1, total: 1, body: "" },
    status: 411,
    code: "length_required",
  },
  { name: "a request without data over USB", part: { body: "" }, status: 400, code: "bad_request" },
  {
    name: "an empty chunk over USB",
    part: { chunk: 1, total: 1, body: "" },
    status: 400,
    code: "bad_request",
  },
];
for (const { name, part, status, code } of REFUSED)
  test(`${name} is ${status} ${code}, with an upload open and without, and changes nothing`, async () => {
    const refusal = { status, body: refusedWith(code) };
    expect(await install(part)).toMatchObject(refusal);
    expect(console.apps.files).toEqual([]);
    const open = { transport: part.transport ?? "usb", chunk: 1, total: 2, body: "a" } as const;
    await install(open);
    expect(await install(part)).toMatchObject(refusal);
    expect((await install({ ...open, chunk: 2, body: "b" })).body).toEqual({ content: "ab" });
  });

test("close() aborts the open upload, leaves no timer, and may be called twice", async () => {
  await install({ chunk: 1, total: 2, body: "a" });
  console.uploads.close();
  console.uploads.close();
  expect(states()).toEqual(["aborted"]);
  expect(console.clock.timerCount).toBe(0);
});

describe("A file that the console fetches itself", () => {
  const never = () => {
    throw new Error("Nothing ends it");
  };

  test("blocks uploads until it is complete, and is blocked by one", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abc" });
    expect(() => console.uploads.hold(never)).toThrow(expect.objectContaining({ code: "upload_busy" }));
    receiver.abort();
    console.uploads.hold(never);
    expect(() => console.uploads.hold(never)).toThrow(Fault);
    expect((await install({ transport: "http", chunk: 1, total: 1, body: "a" })).body).toEqual(
      refusedWith("upload_busy"),
    );
    expect((await flash({ transport: "http", body: "a" })).body).toEqual(refusedWith("upload_busy"));
    console.clock.advance(3_600_000);
    console.uploads.disconnected("usb");
    expect((await flash({ transport: "http", body: "a" })).body).toEqual(refusedWith("upload_busy"));
    console.uploads.release();
    console.uploads.release();
    expect((await install({ chunk: 1, total: 1, body: "a" })).status).toBe(200);
  });

  test("does not end an upload that comes after it", async () => {
    console.uploads.hold(never);
    console.uploads.release();
    await install({ chunk: 1, total: 2, body: "a" });
    console.uploads.release();
    expect((await install({ chunk: 2, total: 2, body: "b" })).body).toEqual({ content: "ab" });
  });
});

describe("The cable", () => {
  const chunk = (number: number, body: string): Part => ({ chunk: number, total: 2, body });

  test("ends an upload in chunks over the network, whose next chunk is 409 upload_busy", async () => {
    await flash({ transport: "http", ...chunk(1, "net") });
    expect((await install(chunk(1, "ca"))).status).toBe(206);
    expect(console.firmware.file.state).toBe("aborted");
    expect(await flash({ transport: "http", ...chunk(2, "work") })).toMatchObject({
      status: 409,
      body: refusedWith("upload_busy"),
    });
    expect((await install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
    expect(console.logged).toContain("dropped an upload over http: one over the cable begins");
  });

  test("ends one for the same target, too", async () => {
    await install({ transport: "http", ...chunk(1, "net") });
    await install(chunk(1, "ca"));
    expect((await install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
    expect(states()).toEqual(["aborted", "completed"]);
  });

  for (const isOver of [false, true])
    test(`ends a whole file over the network, which is answered 409 upload_busy, ${isOver ? "even after the cable's upload" : "at its next bytes"}`, async () => {
      const receiver = console.open({ target: console.apps, transport: "http", body: "network" });
      receiver.write(Buffer.from("net"));
      await install(chunk(1, "ca"));
      expect(states()).toEqual(["aborted", "open"]);
      if (isOver) await install(chunk(2, "ble"));
      const busy = expect.objectContaining({ code: "upload_busy" });
      expect(() => receiver.write(Buffer.from("work"))).toThrow(busy);
      receiver.abort();
      if (!isOver) await install(chunk(2, "ble"));
      expect(states()).toEqual(["aborted", "completed"]);
      expect(console.apps.file.content).toBe("cable");
    });

  test("ends a complete whole file over the network whose end was not processed yet", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "network" });
    receiver.write(Buffer.from("network"));
    await install(chunk(1, "ca"));
    expect(() => receiver.end()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("ends nothing with a chunk that cannot start an upload", async () => {
    await install({ transport: "http", ...chunk(1, "net") });
    expect((await install(chunk(2, "ble"))).body).toMatchObject({ error: "chunk_out_of_order", expected: 1 });
    expect((await install({ transport: "http", ...chunk(2, "work") })).body).toEqual({ content: "network" });
  });

  test("is never delayed or ended by the network", async () => {
    await install(chunk(1, "ca"));
    for (const part of [chunk(1, "net"), chunk(2, "net"), { body: "network" }])
      expect((await install({ transport: "http", ...part })).body).toEqual(refusedWith("upload_busy"));
    expect(() => console.uploads.hold(() => {})).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("ends a fetch of the console itself, before its own upload begins", async () => {
    let isThere = true;
    console.uploads.hold(() => (isThere = false));
    console.apps.onWrite = () => expect(isThere).toBe(false);
    expect((await install(chunk(1, "ca"))).status).toBe(206);
    expect(() => console.uploads.keep()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    console.uploads.release();
    expect((await install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("gets the memory that the network holds", async () => {
    const short = new Fault("busy", "The console is short of memory now");
    let isFreed = false;
    console = new Uploading(() => {
      isFreed = true;
      console.apps.refusal = undefined;
    });
    console.apps.refusal = short;
    expect((await install({ transport: "http", ...chunk(1, "net") })).body).toEqual(refusedWith("busy"));
    expect(isFreed).toBe(false);
    expect((await install(chunk(1, "ca"))).status).toBe(206);
    expect(isFreed).toBe(true);
  });

  test("waits for the install of a file that the console has fetched", async () => {
    console.uploads.hold(() => {
      throw new Error("It is there");
    });
    console.uploads.keep();
    expect((await install(chunk(1, "ca"))).body).toEqual(refusedWith("upload_busy"));
    console.uploads.release();
    expect((await install(chunk(1, "ca"))).status).toBe(206);
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
      expect((await install({ ...part, chunk, body: MOST })).status).toBe(chunk === 3 ? 200 : 206);
    }
  });

  test("at a byte now and then is forgotten after 30 s, and another one may begin", async () => {
    for (let chunk = 1; chunk <= 10; chunk++) {
      await install({ transport: "http", chunk, total: 20, body: "a" });
      console.clock.advance(3000);
    }
    expect(states()).toEqual(["aborted"]);
    expect(console.logged.at(-1)).toMatch(
      /^dropped an upload over http: it brings less than 256 bytes a second$/,
    );
    expect((await flash({ transport: "http", chunk: 1, total: 1, body: "f" })).status).toBe(200);
  });

  test("that becomes slow is forgotten, however much it has sent", async () => {
    for (let chunk = 1; chunk <= 3; chunk++) await install({ chunk, total: 99, body: MOST });
    for (let chunk = 4; chunk <= 22; chunk++) {
      console.clock.advance(3000);
      await install({ chunk, total: 99, body: "a" });
    }
    console.clock.advance(3000);
    expect(states()).toEqual(["aborted"]);
  });

  test("continues if each chunk takes the console seconds, as it cannot read meanwhile", async () => {
    console.apps.onWrite = () => console.clock.block(9000);
    for (let chunk = 1; chunk <= 99; chunk++) {
      expect((await install({ chunk, total: 100, body: "x".repeat(80) })).status).toBe(206);
      console.clock.advance(250);
    }
    expect(states()).toEqual(["open"]);
  });
});
