import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bindingOf,
  deviceTokenOf,
  isDeviceToken,
  isMacAddress,
} from "../../../../protocol/hub/device-token.js";
import { NodeDigest } from "../../../../tools/node-bytes.js";

test("a token of zero bytes has the version and variant of RFC 9562 §5.4 and no other bits", () =>
  expect(deviceTokenOf(new Uint8Array(16))).toBe("00000000-0000-4000-8000-000000000000"));

test("a token of one bits keeps its random bits", () =>
  expect(deviceTokenOf(new Uint8Array(16).fill(0xff))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff"));

test("property: any 16 bytes give a token", () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(fc.property(bytes, (random) => isDeviceToken(deviceTokenOf(random))));
});

test("the random bytes stay unchanged", () => {
  const random = new Uint8Array(16).fill(0xff);
  deviceTokenOf(random);
  expect(random).toEqual(new Uint8Array(16).fill(0xff));
});

test("fewer bytes are rejected", () => expect(() => deviceTokenOf(new Uint8Array(15))).toThrow(RangeError));

const NO_TOKENS = [
  { name: "an empty text", text: "" },
  { name: "a UUID v1", text: "c232ab00-9414-11ec-b3c8-9f6bdeced846" },
  { name: "the nil UUID", text: "00000000-0000-0000-0000-000000000000" },
  { name: "a UUID of another variant", text: "919108f7-52d1-4320-cbac-f847db4148a8" },
  { name: "a UUID in upper case", text: "919108F7-52D1-4320-9BAC-F847DB4148A8" },
  { name: "a UUID with a line end", text: "919108f7-52d1-4320-9bac-f847db4148a8\n" },
  { name: "a UUID without dashes", text: "919108f752d143209bacf847db4148a8" },
];
for (const { name, text } of NO_TOKENS)
  test(`${name} is not a device token`, () => expect(isDeviceToken(text)).toBe(false));

for (const text of ["02:00:00:00:1A:2B", "00:00:00:00:00:00"])
  test(`${text} is a MAC address`, () => expect(isMacAddress(text)).toBe(true));
for (const text of ["", "02:00:00:00:1a:2b", "02-00-00-00-1A-2B", "02:00:00:00:1A", "02:00:00:00:1A:2B:3C"])
  test(`"${text}" is not a MAC address in the form of consoles`, () =>
    expect(isMacAddress(text)).toBe(false));

test("the binding is the HMAC-SHA256 of the token's text under the bytes of the MAC", () => {
  const token = deviceTokenOf(randomBytes(16));
  const expected = createHmac("sha256", Buffer.from("020000001a2b", "hex")).update(token).digest("hex");
  expect(bindingOf(token, "02:00:00:00:1A:2B", NodeDigest)).toBe(expected);
});
