/** Pictures of the display (docs/spec/display-and-input.md#screen-snapshot). */
import { beforeEach, describe, expect, test } from "vitest";
import { DisplayService } from "../../../../device/services/display/display-service.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { NodeAdler32, NodeCrc32 } from "../../../hosts/node-bytes.js";
import { readPng } from "../../../hosts/read-png.js";

/** A display of one color, which changes while it is looked at. */
class SampleDisplay {
  readonly width = 9;
  readonly height = 30;
  shown = 0;
  open = 0;
  hasMemory = true;

  showNothing() {
    this.shown = 0;
  }

  keepPictures() {
    // They do not show in a snapshot.
  }

  setBrightness() {
    // It does not show in a snapshot.
  }

  snapshot() {
    if (!this.hasMemory) throw new Error("no memory");
    const { shown } = this;
    this.open++;
    return {
      readRow: (_y: number, into: Uint8Array) => void into.fill(shown),
      readRgbRow: (_y: number, into: Uint8Array) => void into.fill(shown),
      close: () => void this.open--,
    };
  }
}

let display: SampleDisplay;
let clock: EmulatedClock;
let service: DisplayService;

beforeEach(() => {
  display = new SampleDisplay();
  clock = new EmulatedClock();
  service = new DisplayService({ display, clock, Crc32: NodeCrc32, Adler32: NodeAdler32 });
});

describe("DisplayService", () => {
  test("gives the picture as it was at the request, however long it is read", () => {
    display.shown = 0xff;
    const picture = service.picture(true, false);
    const parts: Uint8Array[] = [];
    for (let piece = picture.next(); piece; piece = picture.next()) {
      parts.push(piece.slice());
      display.shown = 0;
    }
    const { width, height, rgb } = readPng(Buffer.concat(parts));
    expect([width, height, rgb.every((byte) => byte === 0xff)]).toEqual([9, 30, true]);
  });

  test("gives two pictures at a time, and answers further requests with the time to retry", () => {
    const pictures = [service.picture(true, false), service.picture(true, false)];
    expect(() => service.picture(true, false)).toThrow(
      expect.objectContaining({ code: "busy", details: { retry_after_s: 1 } }),
    );
    expect(display.open).toBe(2);
    pictures[0]?.close();
    expect(display.open).toBe(1);
    service.picture(true, false);
    expect(() => service.picture(true, false)).toThrow(expect.objectContaining({ code: "busy" }));
  });

  test("drops a picture that is not read, once another one is requested", () => {
    const [stalled, read] = [service.picture(true, false), service.picture(true, false)];
    clock.advance(999);
    read.next();
    expect(() => service.picture(true, false)).toThrow(expect.objectContaining({ code: "busy" }));
    clock.advance(1);
    expect(service.picture(true, false).next()).toBeDefined();
    expect(display.open).toBe(2);
    expect(() => stalled.next()).toThrow(expect.objectContaining({ code: "busy" }));
    stalled.close();
    expect(display.open).toBe(2);
    expect(read.next()).toBeDefined();
  });

  test("drops a stranger's picture for the owner, and none of the owner's", () => {
    const [, stranger] = [service.picture(true, true), service.picture(false, false)];
    expect(service.picture(true, true).next()).toBeDefined();
    expect(() => stranger.next()).toThrow(expect.objectContaining({ code: "busy" }));
    expect(() => service.picture(true, true)).toThrow(expect.objectContaining({ code: "busy" }));
    expect(display.open).toBe(2);
  });

  test("reports that there is no memory for a copy, and then works as before", () => {
    display.hasMemory = false;
    for (let count = 0; count < 5; count++)
      expect(() => service.picture(true, false)).toThrow(expect.objectContaining({ code: "out_of_memory" }));
    display.hasMemory = true;
    service.picture(true, false).close();
    expect(display.open).toBe(0);
  });
});
