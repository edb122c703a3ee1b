/** What the page and the worker of an app share: nothing that an app does makes it larger. */
import { expect, test } from "vitest";
import { SharedMemory, VALUES_LIMIT_BYTES } from "../../../../web/player/shared-memory.js";
import { encodedPart, StoredValues } from "../../../../web/player/stored-values.js";
import { cleanText } from "../../../../web/player/utf8.js";
import { seededRandom } from "../../../hosts/seeded-random.js";

const bytes = (text: string) => new TextEncoder().encode(text);

test("lines arrive in order, and 32 wait at most; the oldest that waits tells how many are lost", () => {
  const [worker, page] = pair();
  for (let line = 0; line < 50; line++) worker.log(line % 4, bytes(`line ${line}`));
  const lines = page.takeLog();
  expect(lines.map(({ text }) => text)).toEqual(Array.from({ length: 32 }, (_, at) => `line ${at + 18}`));
  expect(lines.map(({ lost }) => lost)).toEqual([18, ...Array(31).fill(0)]);
  expect(lines[3]?.level).toBe(21 % 4);
  expect(page.takeLog()).toEqual([]);
});

test("a worker that is ended while it writes a line does not take the lines before along", () => {
  const shared = new SharedMemory();
  shared.log(1, bytes("before"));
  new Int32Array(shared.buffer)[12] = 1; // the lock
  expect(shared.takeLog()).toEqual([]);
  expect(shared.takeLog(true).map(({ text }) => text)).toEqual(["before"]);
});

test("the last picture is read whole, however many were written", () => {
  const [worker, page] = pair();
  const picture = new Uint8Array(2 * 240 * 320);
  for (let count = 1; count <= 10; count++) worker.pictures.publish(picture.fill(count));
  const seen = new Uint8Array(picture.length);
  page.pictures.read(seen);
  expect(page.pictures.count).toBe(10);
  expect(new Set(seen)).toEqual(new Set([10]));
});

test("each press and each release is taken once, and none from before the app came to the front", () => {
  const [worker, page] = pair();
  page.isInFront = true;
  page.buttons = 16;
  page.buttons = 32;
  page.buttons = 0;
  expect([worker.buttons, worker.takePressed(), worker.takeReleased()]).toEqual([0, 48, 48]);
  expect([worker.takePressed(), worker.takeReleased()]).toEqual([0, 0]);
  page.isInFront = false;
  page.buttons = 16;
  page.isInFront = true;
  expect([worker.buttons, worker.takePressed(), worker.takeReleased()]).toEqual([16, 0, 0]);
});

test("a sleep takes its time", () => {
  const began = performance.now();
  new SharedMemory().sleep(30);
  expect(performance.now() - began).toBeGreaterThan(28);
});

test("stored values come back as they were written, whatever they are", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 40; round++) {
    let encoded: Uint8Array = new Uint8Array(0);
    const values = new StoredValues(encoded, (changed) => {
      encoded = changed;
    });
    const expected = new Map<string, Uint8Array>();
    for (let count = random(40); count > 0; count--) {
      const key = `key-${random(36)}`;
      const value = new Uint8Array(random(5000)).fill(random(256));
      const result = values.write(key, value);
      expect([0, -28]).toContain(result);
      if (result === 0) expected.set(key, value);
    }
    expect(encoded.length).toBeLessThanOrEqual(VALUES_LIMIT_BYTES);
    const page = new Uint8Array(VALUES_LIMIT_BYTES).fill(0xff);
    page.set(encoded);
    const again = new StoredValues(expected.size > 0 ? encodedPart(page) : encoded, () => {});
    expect(again.keys).toEqual([...expected.keys()].sort());
    for (const [key, value] of expected) {
      const into = new Uint8Array(value.length);
      expect([again.size(key), again.read(key, 0, into)]).toEqual([value.length, value.length]);
      expect(Buffer.compare(into, value)).toBe(0);
    }
  }
});

test("bytes that are no stored values count as none", () => {
  const random = seededRandom(8);
  for (let round = 0; round < 2000; round++) {
    const garbage = Uint8Array.from({ length: random(60) }, () => random(round % 2 ? 256 : 4));
    const values = new StoredValues(garbage, () => {});
    expect(values.keys.length).toBeLessThanOrEqual(32);
  }
});

test("a long line is cut within its 256 bytes, between characters", () => {
  const long = bytes("€".repeat(1000));
  expect(new TextDecoder().decode(cleanText(long, 256))).toBe("€".repeat(85));
  expect(cleanText(new Uint8Array(4 * 1024 * 1024).fill(0xff), 256)).toHaveLength(255);
});

function pair(): [SharedMemory, SharedMemory] {
  const worker = new SharedMemory();
  return [worker, new SharedMemory(worker.buffer)];
}
