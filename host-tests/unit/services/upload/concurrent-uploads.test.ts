/**
 * Uploads that compete for the one upload of a console (docs/spec/uploads.md#one-upload). What two transports show is in
 * `device/upload`.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { type Part, refusedWith, Uploading } from "./uploading.js";

let console: Uploading;
beforeEach(() => {
  console = new Uploading();
});

describe("A file that the console fetches itself", () => {
  const never = {
    isSlow: false,
    end: () => {
      throw new Error("Nothing ends it");
    },
  };

  test("blocks uploads until it is complete, and is blocked by one", async () => {
    const receiver = console.open({ target: console.apps, transport: "http", body: "abc" });
    expect(() => console.uploads.hold(never)).toThrow(expect.objectContaining({ code: "upload_busy" }));
    receiver.abort();
    await console.install({ chunk: 1, total: 2, body: "a" });
    expect(() => console.uploads.hold(never)).toThrow(expect.objectContaining({ code: "upload_busy" }));
    console.uploads.disconnected("usb");
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

describe("What is slower than nearly every network", () => {
  const next = (body: string): Part => ({ transport: "http", body });

  test("loses its place to an upload over the network, if it is a fetch of the console itself", async () => {
    let isThere = true;
    console.uploads.hold({ isSlow: true, end: () => (isThere = false) });
    expect((await console.install(next("app"))).status).toBe(200);
    expect(isThere).toBe(false);
    expect(() => console.uploads.keep()).toThrow(expect.objectContaining({ code: "upload_busy" }));
  });

  test("loses its place after two seconds, if it is a whole file, and is answered 409 upload_busy", async () => {
    const slow = console.open({ target: console.apps, transport: "http", body: "slow" });
    slow.write(Buffer.from("s"));
    console.clock.advance(1999);
    expect((await console.flash(next("firmware"))).body).toEqual(refusedWith("upload_busy"));
    console.clock.advance(1);
    expect((await console.flash(next("firmware"))).status).toBe(200);
    expect(() => slow.write(Buffer.from("low"))).toThrow(expect.objectContaining({ code: "upload_busy" }));
  });

  test("loses its place, if it comes in chunks", async () => {
    await console.install({ transport: "http", chunk: 1, total: 2, body: "slow" });
    console.clock.advance(2000);
    expect((await console.flash(next("firmware"))).status).toBe(200);
    expect(console.states).toEqual(["aborted"]);
  });

  test("gets no new time if the same machine begins again, and another machine does", async () => {
    const first = (host: string): Part => ({ transport: "http", chunk: 1, total: 2, body: "slow", host });
    await console.install(first("192.0.2.66"));
    console.clock.advance(2000);
    expect((await console.flash(next("firmware"))).status).toBe(200);
    await console.install(first("192.0.2.66"));
    expect((await console.flash(next("firmware"))).status).toBe(200);
    await console.install(first("192.0.2.7"));
    expect((await console.flash(next("firmware"))).body).toEqual(refusedWith("upload_busy"));
  });

  test("gets no new time if some machines take turns, and end their uploads before they are slow", async () => {
    const hosts = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
    for (const isFirst of [true, false])
      for (const host of hosts) {
        const held = console.open({ target: console.apps, transport: "http", body: "held", host });
        held.write(Buffer.from("h"));
        if (!isFirst) expect((await console.flash(next("firmware"))).status).toBe(200);
        console.clock.advance(1900);
        if (isFirst) held.abort?.();
      }
  });

  test("keeps its place over the cable", async () => {
    await console.install({ chunk: 1, total: 2, body: "slow" });
    console.clock.advance(20_000);
    expect((await console.flash(next("firmware"))).body).toEqual(refusedWith("upload_busy"));
  });

  test("keeps its place while it is fast", async () => {
    const fast = console.open({ target: console.apps, transport: "http", body: "x".repeat(10_000) });
    for (let second = 0; second < 4; second++) {
      fast.write(Buffer.from("x".repeat(2500)));
      console.clock.advance(1000);
      expect((await console.flash(next("firmware"))).body).toEqual(refusedWith("upload_busy"));
    }
  });
});

describe("The cable", () => {
  const chunk = (number: number, body: string): Part => ({ chunk: number, total: 2, body });

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

  test("ends a fetch of the console itself, before its own upload begins", async () => {
    let isThere = true;
    console.uploads.hold({ isSlow: false, end: () => (isThere = false) });
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
    console.uploads.hold({
      isSlow: true,
      end: () => {
        throw new Error("It is there");
      },
    });
    console.uploads.keep();
    expect((await console.install(chunk(1, "ca"))).body).toEqual(refusedWith("upload_busy"));
    console.uploads.release();
    expect((await console.install(chunk(1, "ca"))).status).toBe(206);
  });
});
