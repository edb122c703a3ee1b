import { expect, test } from "vitest";
import type { EmulatedStorage } from "../../hosts/emulated-storage.js";
import { type Cut, sweepLife, sweepPowerCuts } from "../../hosts/power-sweep.js";

const OLD = new TextEncoder().encode("the old content, which is long enough to be torn");
const NEW = new TextEncoder().encode("and the NEW CONTENT, which is a little longer than that");

function write(storage: EmulatedStorage, path: string, bytes: Uint8Array, { isFlushed = true } = {}): void {
  const file = storage.files.openFile({ path, mode: "w" });
  file.write(bytes.subarray(0, 20), 0);
  file.write(bytes.subarray(20), 20);
  if (isFlushed) file.flush();
  file.close();
}

function expectWhole(storage: EmulatedStorage, isDone: boolean): void {
  const file = storage.files.openFile({ path: "a" });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  const text = new TextDecoder().decode(bytes);
  const allowed = isDone ? [NEW] : [OLD, NEW];
  expect(allowed.map((whole) => new TextDecoder().decode(whole))).toContain(text);
}

test("a file replaced by write, flush and move is old or new after every power cut", async () => {
  const operations = await sweepPowerCuts({
    prepare: (storage) => write(storage, "a", OLD),
    act: (storage) => {
      write(storage, "a.new", NEW);
      storage.files.move("a.new", "a");
    },
    check: expectWhole,
  });
  expect(operations).toBe(5);
});

test("the sweep catches a file that is moved without a flush", async () => {
  const sweep = sweepPowerCuts({
    prepare: (storage) => write(storage, "a", OLD),
    act: (storage) => {
      write(storage, "a.new", NEW, { isFlushed: false });
      storage.files.move("a.new", "a");
      storage.files.createDirectory("b");
    },
    check: expectWhole,
  });
  await expect(sweep).rejects.toThrow("Left in a bad state by power cut at operation 5");
});

test("the sweep catches a file that is overwritten in place", async () => {
  const sweep = sweepPowerCuts({
    prepare: (storage) => write(storage, "a", OLD),
    act: (storage) => write(storage, "a", NEW),
    check: expectWhole,
  });
  await expect(sweep).rejects.toThrow("Left in a bad state");
});

test("an overwritten value is old or new after every power cut", async () => {
  const domain = (storage: EmulatedStorage) => storage.keyValue.open({ path: "svc", format: "string" });
  const operations = await sweepPowerCuts({
    prepare: (storage) => domain(storage).write("key", "old"),
    act: (storage) => domain(storage).write("key", "new"),
    check: (storage, isDone) =>
      expect(isDone ? ["new"] : ["old", "new"]).toContain(domain(storage).read("key")),
  });
  expect(operations).toBe(1);
});

/** Two operations, whatever was before; named after those that power was cut at. */
const twoOperations = {
  live: async (moment: string, cut?: Cut) => ({ operations: 2, left: cut && `${moment}${cut.operation}` }),
  nameOf: (moment: string) => moment,
};

test("a life is cut at each of its operations, and each state left by a cut is continued once", async () => {
  const lived: string[] = [];
  const live = (moment: string, cut?: Cut) => {
    if (!cut) lived.push(moment);
    return twoOperations.live(moment, cut);
  };
  expect(await sweepLife({ ...twoOperations, live }, "", [3, 2])).toBe(2 * 3 + 2 * (2 * 2));
  expect(lived).toEqual(["", "1", "11", "12", "2", "21", "22"]);
});

test("a failure that needs a second power cut is caught, and both cuts are reported", async () => {
  const live = async (moment: string, cut?: Cut) => {
    if (moment === "21") throw new Error("It is not what it should be");
    return twoOperations.live(moment, cut);
  };
  await expect(sweepLife({ ...twoOperations, live }, "", [1, 1])).rejects.toThrow(
    "Left in a bad state by power cut at operation 2, seed 1, then at operation 1, seed 1",
  );
});
