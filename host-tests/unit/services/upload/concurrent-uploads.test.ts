/** Uploads that compete for the one upload of a console (docs/spec/uploads.md#one-upload). */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { LIMIT_BYTES, type Part, refusedWith, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

describe("A second upload", () => {
  const OPEN: { name: string; part: Part }[] = [
    { name: "chunks over USB", part: { chunk: 1, total: 2, body: "a" } },
    { name: "chunks over HTTP", part: { transport: "http", chunk: 1, total: 2, body: "a" } },
  ];
  const OTHERS: { name: string; send: () => Promise<unknown>; unless?: string }[] = [
    {
      name: "chunks for another target",
      send: () => console.flash({ transport: "http", chunk: 1, total: 2, body: "f" }),
    },
    { name: "a whole file", send: () => console.install({ transport: "http", body: "whole" }) },
    {
      name: "chunks over USB for another target",
      unless: "chunks over HTTP", // which they end
      send: () => console.flash({ chunk: 1, total: 2, body: "b" }),
    },
    {
      name: "chunks over HTTP",
      unless: "chunks over HTTP",
      send: () => console.install({ transport: "http", chunk: 1, total: 2, body: "b" }),
    },
  ];
  for (const { name, part } of OPEN)
    for (const other of OTHERS.filter(({ unless }) => unless !== name))
      test(`with ${other.name} is 409 upload_busy while one with ${name} is open`, async () => {
        await console.install(part);
        expect(await other.send()).toMatchObject({ status: 409, body: refusedWith("upload_busy") });
        expect(console.firmware.files).toEqual([]);
        expect((await console.install({ ...part, chunk: 2, body: "b" })).body).toEqual({ content: "ab" });
      });

  test("is 409 upload_busy while a whole file is arriving", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "whole" });
    receiver.write(Buffer.from("who"));
    for (const part of [
      { body: "other" },
      { chunk: 1, total: 1, body: "x" },
      { chunk: 2, total: 2, body: "x" },
    ])
      expect((await console.install({ transport: "http", ...part })).body).toEqual(
        refusedWith("upload_busy"),
      );
    expect((await console.flash({ transport: "http", chunk: 1, total: 1, body: "x" })).body).toEqual(
      refusedWith("upload_busy"),
    );
    receiver.write(Buffer.from("le"));
    expect(await receiver.end()).toMatchObject({ status: 200, body: { content: "whole" } });
  });

  test("may begin as soon as the first one is complete", async () => {
    await console.install({ chunk: 1, total: 1, body: "a" });
    expect((await console.flash({ transport: "http", body: "f" })).status).toBe(200);
    expect((await console.install({ transport: "http", chunk: 1, total: 2, body: "a" })).status).toBe(206);
  });

  test("may begin as soon as the first one was rejected", async () => {
    expect((await console.install({ transport: "http", body: "x".repeat(LIMIT_BYTES + 1) })).status).toBe(
      413,
    );
    expect((await console.flash({ chunk: 1, total: 2, body: "f" })).status).toBe(206);
  });
});

describe("A pulled cable", () => {
  test("ends the upload over USB", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    console.uploads.disconnected("usb");
    expect(console.states).toEqual(["aborted"]);
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).body).toMatchObject({ expected: 1 });
  });

  test("does not affect an upload over HTTP", async () => {
    await console.install({ transport: "http", chunk: 1, total: 2, body: "a" });
    console.uploads.disconnected("usb");
    expect((await console.install({ transport: "http", chunk: 2, total: 2, body: "b" })).status).toBe(200);
  });

  test("leaves the last answer for a host that returns for it", async () => {
    await console.install({ chunk: 1, total: 2, body: "a" });
    await console.install({ chunk: 2, total: 2, body: "b" });
    console.uploads.disconnected("usb");
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).status).toBe(200);
  });
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
    expect((await console.install({ transport: "http", chunk: 1, total: 1, body: "a" })).body).toEqual(
      refusedWith("upload_busy"),
    );
    expect((await console.flash({ transport: "http", body: "a" })).body).toEqual(refusedWith("upload_busy"));
    console.clock.advance(3_600_000);
    console.uploads.disconnected("usb");
    expect((await console.flash({ transport: "http", body: "a" })).body).toEqual(refusedWith("upload_busy"));
    console.uploads.release();
    console.uploads.release();
    expect((await console.install({ chunk: 1, total: 1, body: "a" })).status).toBe(200);
  });

  test("does not end an upload that comes after it", async () => {
    console.uploads.hold(never);
    console.uploads.release();
    await console.install({ chunk: 1, total: 2, body: "a" });
    console.uploads.release();
    expect((await console.install({ chunk: 2, total: 2, body: "b" })).body).toEqual({ content: "ab" });
  });
});

describe("The cable", () => {
  const chunk = (number: number, body: string): Part => ({ chunk: number, total: 2, body });

  test("ends an upload in chunks over the network, whose next chunk is 409 upload_busy", async () => {
    await console.flash({ transport: "http", ...chunk(1, "net") });
    expect((await console.install(chunk(1, "ca"))).status).toBe(206);
    expect(console.firmware.file.state).toBe("aborted");
    expect(await console.flash({ transport: "http", ...chunk(2, "work") })).toMatchObject({
      status: 409,
      body: refusedWith("upload_busy"),
    });
    expect((await console.install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
    expect(console.logged).toContain("dropped an upload over http: one over the cable begins");
  });

  test("ends one for the same target, too", async () => {
    await console.install({ transport: "http", ...chunk(1, "net") });
    await console.install(chunk(1, "ca"));
    expect((await console.install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
    expect(console.states).toEqual(["aborted", "completed"]);
  });

  for (const isOver of [false, true])
    test(`ends a whole file over the network, which is answered 409 upload_busy, ${isOver ? "even after the cable's upload" : "at its next bytes"}`, async () => {
      const receiver = console.open({ target: console.apps, transport: "http", body: "network" });
      receiver.write(Buffer.from("net"));
      await console.install(chunk(1, "ca"));
      expect(console.states).toEqual(["aborted", "open"]);
      if (isOver) await console.install(chunk(2, "ble"));
      const busy = expect.objectContaining({ code: "upload_busy" });
      expect(() => receiver.write(Buffer.from("work"))).toThrow(busy);
      receiver.abort();
      if (!isOver) await console.install(chunk(2, "ble"));
      expect(console.states).toEqual(["aborted", "completed"]);
      expect(console.apps.file.content).toBe("cable");
    });

  test("ends a complete whole file over the network whose end was not processed yet", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "network" });
    receiver.write(Buffer.from("network"));
    await console.install(chunk(1, "ca"));
    expect(() => receiver.end()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await console.install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("ends nothing with a chunk that cannot start an upload", async () => {
    await console.install({ transport: "http", ...chunk(1, "net") });
    expect((await console.install(chunk(2, "ble"))).body).toMatchObject({
      error: "chunk_out_of_order",
      expected: 1,
    });
    expect((await console.install({ transport: "http", ...chunk(2, "work") })).body).toEqual({
      content: "network",
    });
  });

  test("is never delayed or ended by the network", async () => {
    await console.install(chunk(1, "ca"));
    for (const part of [chunk(1, "net"), chunk(2, "net"), { body: "network" }])
      expect((await console.install({ transport: "http", ...part })).body).toEqual(
        refusedWith("upload_busy"),
      );
    expect(() => console.uploads.hold(() => {})).toThrow(expect.objectContaining({ code: "upload_busy" }));
    expect((await console.install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("ends a fetch of the console itself, before its own upload begins", async () => {
    let isThere = true;
    console.uploads.hold(() => (isThere = false));
    console.apps.onWrite = () => expect(isThere).toBe(false);
    expect((await console.install(chunk(1, "ca"))).status).toBe(206);
    expect(() => console.uploads.keep()).toThrow(expect.objectContaining({ code: "upload_busy" }));
    console.uploads.release();
    expect((await console.install(chunk(2, "ble"))).body).toEqual({ content: "cable" });
  });

  test("gets the memory that the network holds", async () => {
    const short = new Fault("busy", "The console is short of memory now");
    let isFreed = false;
    console = new Uploading(() => {
      isFreed = true;
      console.apps.refusal = undefined;
    });
    console.apps.refusal = short;
    expect((await console.install({ transport: "http", ...chunk(1, "net") })).body).toEqual(
      refusedWith("busy"),
    );
    expect(isFreed).toBe(false);
    expect((await console.install(chunk(1, "ca"))).status).toBe(206);
    expect(isFreed).toBe(true);
  });

  test("waits for the install of a file that the console has fetched", async () => {
    console.uploads.hold(() => {
      throw new Error("It is there");
    });
    console.uploads.keep();
    expect((await console.install(chunk(1, "ca"))).body).toEqual(refusedWith("upload_busy"));
    console.uploads.release();
    expect((await console.install(chunk(1, "ca"))).status).toBe(206);
  });
});
