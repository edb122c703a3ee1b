import { expect, test } from "vitest";
import type { EmulatedStorage } from "../../hosts/emulated-storage.js";
import { sweepPowerCuts } from "../../hosts/power-sweep.js";

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

test("A file that is replaced by one written, flushed and moved is old or new at every power cut", async () => {
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

test("A file that is moved without being flushed is caught by the sweep", async () => {
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

test("A file that is overwritten in place is caught by the sweep", async () => {
  const sweep = sweepPowerCuts({
    prepare: (storage) => write(storage, "a", OLD),
    act: (storage) => write(storage, "a", NEW),
    check: expectWhole,
  });
  await expect(sweep).rejects.toThrow("Left in a bad state");
});

test("A value that is overwritten is old or new at every power cut", async () => {
  const domain = (storage: EmulatedStorage) => storage.keyValue.open({ path: "svc", format: "string" });
  const operations = await sweepPowerCuts({
    prepare: (storage) => domain(storage).write("key", "old"),
    act: (storage) => domain(storage).write("key", "new"),
    check: (storage, isDone) =>
      expect(isDone ? ["new"] : ["old", "new"]).toContain(domain(storage).read("key")),
  });
  expect(operations).toBe(1);
});
