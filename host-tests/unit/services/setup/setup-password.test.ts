/** The password of the set-up access point (docs/spec/setup.md#password). */
import { webcrypto } from "node:crypto";
import { expect, test } from "vitest";
import { randomText } from "../../../../device/services/setup/setup-password.js";

test("a password has 12 characters that do not look alike", () => {
  for (let round = 0; round < 200; round++) expect(randomText(webcrypto)).toMatch(/^[a-hjkmnp-z2-9]{12}$/);
});

test("each character comes as often as the others", () => {
  const counts = new Map<string, number>();
  let next = 0;
  const everyByte = {
    getRandomValues: (into: Uint8Array) => into.set(Uint8Array.from(into, () => next++)),
  };
  for (const character of randomText(everyByte, 248)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect([counts.size, ...new Set(counts.values())]).toEqual([31, 8]);
});

test("bytes without a character are drawn again", () => {
  let round = 0;
  const rising = { getRandomValues: (into: Uint8Array) => into.fill(round++ === 0 ? 31 : 0) };
  expect(randomText(rising, 3)).toBe("aaa");
});
