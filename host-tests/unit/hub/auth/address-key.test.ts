import { expect, test } from "vitest";
import { addressKey } from "../../../../hub/auth/client-address.js";

const ADDRESSES = [
  { address: "192.0.2.1", key: "192.0.2.1" },
  { address: "::ffff:192.0.2.1", key: "192.0.2.1" },
  { address: "2001:db8:1:2:3:4:5:6", key: "2001:db8:1:2::/64" },
  { address: "2001:DB8:1:2::6", key: "2001:db8:1:2::/64" },
  { address: "2001:0db8:0001:0002::6", key: "2001:db8:1:2::/64" },
  { address: "2001:db8::1", key: "2001:db8:0:0::/64" },
  { address: "::1", key: "0:0:0:0::/64" },
  { address: "fe80::1%eth0", key: "fe80:0:0:0::/64" },
  { address: "unknown", key: "unknown" },
];
for (const { address, key } of ADDRESSES)
  test(`${address} counts against the limit of ${key}`, () => {
    expect(addressKey(address)).toBe(key);
  });
