import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "../../../../hub/auth/client-address.js";

const OWN = "203.0.113.1";
const CASES = [
  { field: undefined, address: OWN },
  { field: "", address: OWN },
  { field: "192.0.2.7", address: "192.0.2.7" },
  { field: "198.51.100.1, 192.0.2.7", address: "192.0.2.7" },
  { field: "198.51.100.1,junk", address: OWN },
  { field: "192.0.2.7,", address: OWN },
  { field: "unknown", address: OWN },
  { field: "192.0.2.7:4711", address: "192.0.2.7" },
  { field: "[2001:db8::1]:4711", address: "2001:db8::1" },
  { field: "[2001:db8::1]", address: "2001:db8::1" },
  { field: "2001:db8::1", address: "2001:db8::1" },
  { field: "192.0.2.777", address: OWN },
];
const asked = (field: string | undefined) =>
  ({
    headers: field === undefined ? {} : { "x-forwarded-for": field },
    socket: { remoteAddress: OWN },
  }) as unknown as IncomingMessage;

for (const { field, address } of CASES)
  test(`A trusted proxy's field ${JSON.stringify(field)} gives the client address ${address}`, () => {
    expect(clientAddress(asked(field), true)).toBe(address);
  });

test("The field of an untrusted proxy is ignored", () => {
  expect(clientAddress(asked("192.0.2.7"), false)).toBe(OWN);
});
