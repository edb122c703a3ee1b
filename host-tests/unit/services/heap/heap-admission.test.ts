import { expect, test, vi } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { EmulatedHeap } from "./emulated-heap.js";

test("Work is admitted while it fits beside the reserve", () => {
  const { admission } = new EmulatedHeap(1000);
  expect(admission.hasRoom(1000)).toBe(true);
  expect(admission.hasRoom(1001)).toBe(false);
  expect(admission.refused).toBe(1);
});

test("A request that is not admitted gets busy and the time to retry", () => {
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

test("Without room, dispensable memory is released and collected before work is rejected", () => {
  const heap = new EmulatedHeap(1000);
  const { admission } = heap;
  heap.usedBytes = 400;
  admission.onShort = vi.fn(() => {
    heap.usedBytes -= 100;
    heap.garbageBytes += 100;
    return true;
  });
  expect(admission.hasRoom(600)).toBe(true);
  expect(admission.onShort).not.toHaveBeenCalled();
  expect(admission.hasRoom(700)).toBe(true);
  expect(admission.hasRoomToStay(800)).toBe(true);
  expect(admission.onShort).toHaveBeenCalledTimes(2);
  expect(admission.refused).toBe(0);
  expect(admission.hasRoom(1000)).toBe(false);
  expect(admission.refused).toBe(1);
});

test("If nothing can be released, the heap is not measured again", () => {
  const heap = new EmulatedHeap(1000);
  heap.admission.onShort = () => false;
  const collect = vi.spyOn(heap, "liveHeapBytes");
  expect(heap.admission.hasRoom(1001)).toBe(false);
  expect(collect).not.toHaveBeenCalled();
});

test("Memory released beside longer work is room for others, and not part of its promise", () => {
  const heap = new EmulatedHeap(1000);
  heap.usedBytes = 200;
  heap.admission.promise(500);
  heap.usedBytes += 300; // 200 are outstanding
  heap.admission.onShort = () => {
    heap.usedBytes = 300;
    heap.admission.onShort = undefined;
    return true;
  };
  expect(heap.admission.hasRoomToStay(501)).toBe(false);
  expect(heap.admission.hasRoomToStay(500)).toBe(true);
});

test("Memory promised to longer work is not given to others until it ends", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.promise(600);
  expect(admission.hasRoomToStay(401)).toBe(false);
  expect(() => admission.promise(401)).toThrow("short of memory");
  expect(admission.hasRoomToStay(400)).toBe(true);
  admission.release(600);
  expect(admission.hasRoomToStay(1000)).toBe(true);
});

test("A promise that cannot be given reserves nothing", () => {
  const { admission } = new EmulatedHeap(1000);
  expect(() => admission.promise(1001)).toThrow("short of memory");
  expect(admission.hasRoom(1000)).toBe(true);
});

test("Memory that its holder has released is room again", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.hold(1500);
  expect(admission.hasRoom(0)).toBe(false);
  admission.releaseHeld(1500);
  expect(admission.hasRoom(1000)).toBe(true);
});

test("What longer work has used of its promise is not reserved a second time", () => {
  const heap = new EmulatedHeap(1000);
  heap.usedBytes = 100;
  heap.admission.promise(600);
  heap.usedBytes += 500;
  expect(heap.admission.hasRoomToStay(301)).toBe(false);
  expect(heap.admission.hasRoomToStay(300)).toBe(true);
});

test("Garbage that a measurement collects counts neither as used promise nor as room for others", () => {
  const heap = new EmulatedHeap(1000);
  const { admission } = heap;
  admission.promise(600);
  const look = heap.hasHeapRoom.bind(heap);
  heap.hasHeapRoom = (byteLength) => {
    if (look(byteLength)) return true;
    heap.liveHeapBytes();
    return look(byteLength);
  };
  heap.garbageBytes = 300;
  expect(admission.hasRoomToStay(401)).toBe(false);
  heap.garbageBytes = 300;
  expect(admission.hasRoomToStay(400)).toBe(true);
});

test("What is admitted for a long time beside longer work does not count as part of it", () => {
  const heap = new EmulatedHeap(1000);
  heap.admission.promise(600);
  expect(heap.admission.hasRoomToStay(300)).toBe(true);
  heap.usedBytes = 300;
  expect(heap.admission.hasRoomToStay(101)).toBe(false);
  expect(heap.admission.hasRoomToStay(100)).toBe(true);
});

test("Work within one turn may use memory promised to longer work, as it leaves only garbage", () => {
  const { admission } = new EmulatedHeap(1000);
  admission.promise(900);
  expect(admission.hasRoom(1000)).toBe(true);
  expect(admission.hasRoom(1001)).toBe(false);
});
