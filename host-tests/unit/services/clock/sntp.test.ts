/** Messages of SNTP (docs/spec/clock.md#sntp). */
import { expect, test } from "vitest";
import { readSntpAnswer, sntpRequest } from "../../../../device/services/clock/sntp.js";
import { seededRandom } from "../../../hosts/seeded-random.js";
import { answerTo } from "../../../hosts/time-server.js";

const NONCE = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 255]);
const TIME_MS = Date.UTC(2026, 10, 26, 12, 34, 56, 789);

test("a request is 48 bytes of a client of version 4, with nothing but a random number", () => {
  const request = sntpRequest(NONCE);
  expect(request).toHaveLength(48);
  expect([request[0], [...request.subarray(1, 40)].every((byte) => byte === 0)]).toEqual([0x23, true]);
  expect(request.subarray(40)).toEqual(NONCE);
});

test.each([
  TIME_MS,
  Date.UTC(1970, 0, 1),
  Date.UTC(2036, 1, 7, 6, 28, 15, 999),
  Date.UTC(2036, 1, 7, 6, 28, 16, 1),
])("an answer has the server's time, %d, before and after NTP's second era begins in 2036", (timeMs) => {
  const read = readSntpAnswer(answerTo(sntpRequest(NONCE), timeMs), NONCE) as number;
  expect(Math.abs(read - timeMs)).toBeLessThanOrEqual(1);
});

test.each<[string, (answer: Uint8Array) => void, "refused" | undefined]>([
  ["a server of version 3", (answer) => (answer[0] = 0x1c), undefined],
  ["a kiss of death", (answer) => (answer[1] = 0), "refused"],
  ["a server without a time", (answer) => (answer[0] = 0xe4), "refused"],
  ["stratum 16", (answer) => (answer[1] = 16), "refused"],
  ["no time", (answer) => answer.fill(0, 40, 48), "refused"],
  ["a client", (answer) => (answer[0] = 0x23), undefined],
  ["a broadcast", (answer) => (answer[0] = 0x25), undefined],
  ["version 1", (answer) => (answer[0] = 0x0c), undefined],
  ["version 5", (answer) => (answer[0] = 0x2c), undefined],
  ["another request's answer", (answer) => (answer[31] = 0), undefined],
])("%s is told from an answer", (name, change, outcome) => {
  const answer = answerTo(sntpRequest(NONCE), TIME_MS);
  change(answer);
  const read = readSntpAnswer(answer, NONCE);
  if (name === "a server of version 3") expect(read).toBe(TIME_MS);
  else expect(read).toBe(outcome);
});

test("bytes at random, and answers cut short, are no answers", () => {
  const random = seededRandom(1);
  for (let round = 0; round < 2000; round++) {
    const bytes = Uint8Array.from({ length: random(80) }, () => random(256));
    expect(readSntpAnswer(bytes, NONCE)).toBeUndefined();
  }
  const answer = answerTo(sntpRequest(NONCE), TIME_MS);
  for (let length = 0; length < 48; length++)
    expect(readSntpAnswer(answer.subarray(0, length), NONCE)).toBeUndefined();
});
