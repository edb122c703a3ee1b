import { expect, test } from "vitest";
import { Batch } from "../../../hub/batch.js";
import { inMicrotasks } from "./push/in-microtasks.js";

/** Records each batch, and writes when the test triggers it. */
function recorded(limit: number) {
  const batches: number[][] = [];
  const failed: number[][] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const batch = new Batch<number>({
    limit,
    delayMs: 0,
    write: (items) => {
      batches.push([...items]);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    onFailed: (items) => failed.push([...items]),
  });
  return { batch, batches, failed, waiting };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("items added while a batch is written form the next batch", async () => {
  const { batch, batches, waiting } = recorded(10);
  batch.add(1);
  batch.add(2);
  while (batches.length === 0) await turn();
  for (const item of [3, 4, 5]) batch.add(item);
  waiting[0]?.resolve();
  while (batches.length === 1) await turn();
  waiting[1]?.resolve();
  await batch.drain();
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test("a flush waits for what was added before it, in as many batches as that takes, and for nothing after", async () => {
  const { batch, batches, waiting } = recorded(2);
  for (const item of [1, 2, 3]) batch.add(item);
  let isFlushed = false;
  const flushed = batch.flush().then(() => {
    isFlushed = true;
  });
  waiting[0]?.resolve();
  while (batches.length === 1) await turn();
  batch.add(4);
  expect(isFlushed).toBe(false);
  waiting[1]?.reject(new Error("the database is gone"));
  await flushed;
  expect(batches.slice(0, 2)).toEqual([[1, 2], [3]]);
});

test("a flush of nothing is done at once", async () => {
  const { batch, batches } = recorded(2);
  await batch.flush();
  expect(batches).toEqual([]);
});

test("what gathers while a batch is written waits for others, as the first one did", async () => {
  const batches: number[][] = [];
  const write = async (items: readonly number[]) => {
    batches.push([...items]);
    if (batches.length === 1) batch.add(3);
  };
  const batch: Batch<number> = new Batch<number>({ limit: 2, delayMs: 60_000, write, onFailed: () => {} });
  batch.add(1);
  batch.add(2);
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(batches).toEqual([[1, 2]]);
  batch.add(4);
  await batch.drain();
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("a batch holds at most its limit, and is written at once when full", () => {
  const { batch, batches } = recorded(2);
  for (const item of [1, 2, 3]) batch.add(item);
  expect(batches).toEqual([[1, 2]]);
});

test("a failed write is reported to its callers, and later batches are written", async () => {
  const { batch, batches, failed, waiting } = recorded(1);
  batch.add(1);
  batch.add(2);
  waiting[0]?.reject(new Error("away"));
  while (batches.length === 1) await turn();
  waiting[1]?.resolve();
  await batch.drain();
  expect(failed).toEqual([[1]]);
  expect(batches).toEqual([[1], [2]]);
});

for (let microtasks = 0; microtasks < 8; microtasks++)
  test(`an item added ${microtasks} microtasks after the last write is written without another one`, async () => {
    const written: number[] = [];
    const batch: Batch<number> = new Batch<number>({
      limit: 1,
      delayMs: 0,
      onFailed: () => {},
      write: async ([item = 0]) => {
        written.push(item);
        if (item === 1) void inMicrotasks(microtasks, () => batch.add(2));
      },
    });
    batch.add(1);
    await expect.poll(() => written).toEqual([1, 2]);
  });

test("draining writes the waiting items", async () => {
  const batches: number[][] = [];
  const write = async (items: readonly number[]) => void batches.push([...items]);
  const batch = new Batch<number>({ limit: 10, delayMs: 60_000, write, onFailed: () => {} });
  batch.add(1);
  await batch.drain();
  expect(batches).toEqual([[1]]);
});
