import { describe, expect, test } from "vitest";
import { textStrings } from "../../../../device/mdns-js/service-data.js";
import { formatAddress, parseIpv4, parseIpv6 } from "../../../../device/services/identity/identity.js";
import { domainName } from "../../../../device/services/mdns/domain-name.js";
import { compareBytes, denialRecord, textData } from "../../../../device/services/mdns/resource-record.js";

describe("textData", () => {
  test("keeps the order of its keys", () => {
    expect(textStrings(textData({ fw: "1.0.0", api: "v1" }))).toEqual(["fw=1.0.0", "api=v1"]);
  });
  test("has one empty string without keys", () => {
    expect(textData({})).toEqual(Uint8Array.of(0));
    expect(textStrings(textData({}))).toEqual([]);
    expect(textStrings(new Uint8Array(1300).fill(1))).toHaveLength(32);
  });
  test("accepts a string of 255 bytes and rejects one of 256", () => {
    expect(textData({ k: "v".repeat(253) })).toHaveLength(256);
    expect(() => textData({ k: "v".repeat(254) })).toThrow(RangeError);
  });
  test("accepts at most 1300 bytes in all", () => {
    const pairs = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [key, "v".repeat(253)]));
    expect(textData({ ...pairs, f: "v".repeat(17) })).toHaveLength(1300);
    expect(() => textData({ ...pairs, f: "v".repeat(18) })).toThrow(RangeError);
  });
  for (const key of ["", "a=b"])
    test(`rejects "${key}" as a key`, () => expect(() => textData({ [key]: "v" })).toThrow(RangeError));
});

test("denialRecord sets one bit for each type", () => {
  const name = domainName("a");
  expect(denialRecord(name, [1, 28], 120).data).toEqual(Uint8Array.of(1, 0x61, 0, 0, 4, 0x40, 0, 0, 0x08));
});

test("compareBytes compares unsigned bytes, and sorts the longer of equals later", () => {
  expect(compareBytes(Uint8Array.of(200), Uint8Array.of(99))).toBeGreaterThan(0);
  expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBeLessThan(0);
  expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(0);
});

describe("IP addresses", () => {
  const TAKEN = ["0.0.0.0", "10.77.0.1", "255.255.255.255"];
  for (const text of TAKEN)
    test(`accept ${text}`, () => expect(formatAddress(parseIpv4(text) as Uint8Array)).toBe(text));
  for (const text of ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "a.b.c.d", "1..2.3"])
    test(`reject "${text}" as IPv4`, () => expect(parseIpv4(text)).toBeUndefined());

  const TAKEN_IPV6 = [
    { text: "::", is: "::" },
    { text: "::1", is: "::1" },
    { text: "fe80::1%wlan0", is: "fe80::1" },
    { text: "2001:DB8:0:0:1:0:0:1", is: "2001:db8::1:0:0:1" },
    { text: "1:2:3:4:5:6:7:8", is: "1:2:3:4:5:6:7:8" },
    { text: "1:0:2:0:0:0:3:4", is: "1:0:2::3:4" },
    { text: "1::", is: "1::" },
  ];
  for (const { text, is } of TAKEN_IPV6)
    test(`accept ${text} and write ${is}`, () =>
      expect(formatAddress(parseIpv6(text) as Uint8Array)).toBe(is));
  for (const text of [
    "",
    ":",
    ":::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2::3",
    "12345::",
    "g::",
    "1:2:3:4:5:6:7:8::",
  ])
    test(`reject "${text}" as IPv6`, () => expect(parseIpv6(text)).toBeUndefined());
});
