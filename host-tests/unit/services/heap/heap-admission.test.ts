import { expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedHeap } from "./emulated-heap.js";

test("Work is admitted as long as there is room for it beside the reserve", () => {
  const { admission } = new EmulatedHeap(1000);
  expect(admission.hasRoom(1000)).toBe(true);
  expect(admission.hasRoom(1001)).toBe(false);
  expect(admission.refused).toBe(1);
});

test("What is not admitted is busy, and hears when to ask again", () => {
  const { admission } = new EmulatedHeap(1000);
  try {
    admission.require(2000);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).toBody()).toMatchObject({ error: "busy", retry_after_s: 1 });
    expect((error as Fault).status).toBe(503);
  }
});

test("What longer work was promised is not given to others until it ends", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.promise(600);
  expect(admission.hasRoomToStay(401)).toBe(false);
  expect(() => admission.promise(401)).toThrow("short of memory");
  expect(admission.hasRoomToStay(400)).toBe(true);
  admission.release(600);
  expect(admission.hasRoomToStay(1000)).toBe(true);
});

test("A promise that cannot be given holds nothing", () => {
  const { admission } = new EmulatedHeap(1000);
  expect(() => admission.promise(1001)).toThrow("short of memory");
  expect(admission.hasRoom(1000)).toBe(true);
});

test("What holds the room that it has just given up is not asked", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.hold(1500);
  expect(admission.hasRoom(0)).toBe(false);
  admission.letGo(1500);
  expect(admission.hasRoom(1000)).toBe(true);
});

test("What longer work has taken of its promise is not kept for it a second time", () => {
  const heap = new EmulatedHeap(1000);
  heap.usedBytes = 100;
  heap.admission.promise(600);
  heap.usedBytes += 500;
  expect(heap.admission.hasRoomToStay(301)).toBe(false);
  expect(heap.admission.hasRoomToStay(300)).toBe(true);
});

test("What is let in to stay beside longer work is not taken for a part of it", () => {
  const heap = new EmulatedHeap(1000);
  heap.admission.promise(600);
  expect(heap.admission.hasRoomToStay(300)).toBe(true);
  heap.usedBytes = 300;
  expect(heap.admission.hasRoomToStay(101)).toBe(false);
  expect(heap.admission.hasRoomToStay(100)).toBe(true);
});

test("Work that is over with its turn may use what longer work was promised: it leaves garbage alone", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.promise(900);
  expect(admission.hasRoom(1000)).toBe(true);
  expect(admission.hasRoom(1001)).toBe(false);
});
