/** Where webhooks may be sent to (docs/spec/hub-api.md#webhook-addresses). */
import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import {
  AddressRefused,
  guardedLookup,
  isAllowedAddress,
  readReceiverUrl,
} from "../../../../hub/webhooks/receiver-address.js";
import { Fault } from "../../../../protocol/fault.js";

const PUBLIC = { allowsPrivate: false };
const LAN = { allowsPrivate: true };

const ADDRESSES = [
  ...["1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0"].map(allowed),
  ...["11.0.0.0", "169.253.255.255", "192.169.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1"].map(
    allowed,
  ),
  ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.255.255", "127.0.0.1", "127.255.255.254"].map(lan),
  ...["100.64.0.1", "::1", "fd00::1", "fc00::"].map(lan),
  ...["0.0.0.0", "0.1.2.3", "169.254.169.254", "192.0.0.1", "192.0.2.1", "198.18.0.1"].map(never),
  ...["198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"].map(never),
  ...["::", "fe80::1", "fe80::1%eth0", "ff02::1", "fec0::1", "2001:db8::1", "2002:7f00:1::"].map(never),
  ...["2001::1", "3fff::1", "64:ff9b::7f00:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8"].map(
    never,
  ),
  ...["::127.0.0.1", "100::1", "5f00::1", "", "localhost", "1.2.3"].map(never),
];

function allowed(address: string) {
  return { address, isPublic: true, isOnLan: true };
}
function lan(address: string) {
  return { address, isPublic: false, isOnLan: true };
}
function never(address: string) {
  return { address, isPublic: false, isOnLan: false };
}

describe("An address", () => {
  for (const { address, isPublic, isOnLan } of ADDRESSES)
    test(`${address || "that is empty"} is ${isPublic ? "public" : isOnLan ? "private" : "never allowed"}`, () => {
      expect(isAllowedAddress(address, PUBLIC)).toBe(isPublic);
      expect(isAllowedAddress(address, LAN)).toBe(isOnLan);
    });
});

/** With the forms of IPv4 addresses that URLs accept. */
const REFUSED = [
  ...["http://example.com/", "ftp://example.com/", "example.com", "", "https://", "file:///etc/passwd"],
  ...["https://user@example.com/", "https://user:password@example.com/", "https://example.com/#part"],
  ...["https://127.0.0.1/", "https://2130706433/", "https://0x7f000001/", "https://0177.0.0.1/"],
  ...[
    "https://127.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://%31%32%37.0.0.1/",
    "https://127。0。0。1/",
  ],
  ...["https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[0:0:0:0:0:ffff:7f00:1]/", "https://[::]/"],
  ...["https://[fe80::1]/", "https://169.254.169.254/latest/meta-data/", "https://10.1.2.3:8443/"],
  `https://example.com/${"x".repeat(2048)}`,
  `https://example.com/${"ü".repeat(1000)}`,
];

describe("The address of a webhook", () => {
  for (const url of REFUSED)
    test(`cannot be ${url.slice(0, 60) || "empty"}`, () => {
      expect(() => readReceiverUrl(url, PUBLIC)).toThrow(Fault);
    });

  test("is kept in its usual form", () => {
    const url = "HTTPS://Example.COM:443/a b?key=1";
    expect(readReceiverUrl(url, PUBLIC)).toBe("https://example.com/a%20b?key=1");
  });

  test("may be private, or this machine without TLS, where the operator allows it", () => {
    for (const url of ["https://192.168.1.5:8443/hook", "http://127.0.0.1:8000/", "http://[::1]:8000/"])
      expect(readReceiverUrl(url, LAN)).toBe(url);
    for (const url of [
      "http://192.168.1.5/",
      "https://169.254.169.254/",
      "https://0.0.0.0/",
      "http://8.8.8.8/",
    ])
      expect(() => readReceiverUrl(url, LAN)).toThrow(Fault);
  });
});

type Found = string | LookupAddress[];

function lookUp(
  addresses: readonly string[],
  { all = true, isPlain = false, policy = PUBLIC } = {},
): Promise<Found> {
  const lookup = guardedLookup(policy, isPlain, async () => addresses);
  return new Promise((resolve, reject) => {
    lookup("receiver.example", { all }, (error, found) => {
      if (error) reject(error);
      else resolve(found);
    });
  });
}

describe("A name of a receiver", () => {
  test("is looked up once, and the connection goes to the addresses that were checked", async () => {
    expect(await lookUp(["8.8.8.8", "2a00::1"])).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2a00::1", family: 6 },
    ]);
    expect(await lookUp(["8.8.8.8"], { all: false })).toBe("8.8.8.8");
  });

  test("that also resolves to a private address is refused", async () => {
    await expect(lookUp(["8.8.8.8", "10.0.0.1"])).rejects.toThrow(AddressRefused);
    await expect(lookUp(["8.8.8.8", "::ffff:10.0.0.1"], { all: false })).rejects.toThrow(AddressRefused);
    await expect(lookUp([])).rejects.toThrow(AddressRefused);
  });

  test("is checked at each look-up, since its answers may change", async () => {
    const answers = [["8.8.8.8"], ["127.0.0.1"]];
    const lookup = guardedLookup(PUBLIC, false, async () => answers.shift() ?? []);
    const once = () =>
      new Promise((resolve) => lookup("rebinding.example", { all: true }, (error) => resolve(error?.name)));
    expect([await once(), await once()]).toEqual([undefined, "AddressRefused"]);
  });

  test("without TLS must be this machine's", async () => {
    expect(await lookUp(["127.0.0.1"], { isPlain: true, policy: LAN })).toHaveLength(1);
    await expect(lookUp(["192.168.1.5"], { isPlain: true, policy: LAN })).rejects.toThrow(AddressRefused);
  });

  test("that has no address is an error", async () => {
    const lookup = guardedLookup(PUBLIC, false, () => Promise.reject(new Error("ENOTFOUND")));
    const error = await new Promise((resolve) => lookup("no.example", {}, (reason) => resolve(reason)));
    expect(error).toBeInstanceOf(Error);
  });
});
