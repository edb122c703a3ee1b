import { describe, expect, test } from "vitest";
import { isOwnAddress } from "../../../../device/services/identity/identity.js";

const OWN = ["192.0.2.7", "198.51.100.7", "2001:db8::7", "fe80::7", "fd00::7"];
const network = { hasAddress: (address: string) => OWN.includes(address) };

describe("isOwnAddress is true for", () => {
  const LEAD_HERE = [
    ...[
      "127.0.0.1",
      "127.255.255.254",
      "0.0.0.0",
      "0.1.2.3",
      "::1",
      "::",
      "0:0:0:0:0:0:0:1",
      "localhost",
      "LOCALHOST",
    ],
    ...OWN,
    ...["fe80::7%wlan0", "FE80:0::7", "2001:DB8:0:0:0:0:0:7"],
    ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0.0.0.0", "::ffff:192.0.2.7", "::FFFF:c000:0207"],
    ...["::ffff:0:192.0.2.7", "::127.0.0.1", "::192.0.2.7"],
    ...["64:ff9b::192.0.2.7", "64:ff9b::c000:207", "64:ff9b::127.0.0.1", "64:ff9b:1::198.51.100.7"],
    ...["2002:c000:0207::1", "2002:7f00:1::", "2001:db8:64::c633:6407"],
  ];
  for (const address of LEAD_HERE) test(address, () => expect(isOwnAddress(address, network)).toBe(true));
});

describe("isOwnAddress is false for", () => {
  const LEAD_ELSEWHERE = [
    ...[
      "192.0.2.8",
      "10.0.0.1",
      "128.0.0.1",
      "2001:db8::8",
      "2001:db8::1",
      "fe80::8%wlan0",
      "::ffff:192.0.2.8",
    ],
    ...[
      "64:ff9b::192.0.2.8",
      "2002:c000:0208::",
      "2001:db8::7f00:1",
      "example.com",
      "127.example.com",
      "",
      ":",
    ],
    "x".repeat(100_000),
    ":".repeat(100_000),
  ];
  for (const address of LEAD_ELSEWHERE)
    test(address.slice(0, 40) || "an empty text", () => expect(isOwnAddress(address, network)).toBe(false));
});
