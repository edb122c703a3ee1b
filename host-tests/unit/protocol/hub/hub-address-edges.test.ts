/** The edges of what is the address of a hub: lengths, ports, brackets, hosts, and what the fault says. */
import { describe, expect, test } from "vitest";
import { deviceTokenOf, isDeviceToken } from "../../../../protocol/hub/device-token.js";
import { parseHubAddress } from "../../../../protocol/hub/hub-address.js";

const isRejected = (text: string) => expect(() => parseHubAddress(text), text).toThrow();

describe("The address of a hub", () => {
  test("has at most 255 characters", () => {
    const longest = `http://hub.example/${"a".repeat(236)}`;
    expect(longest).toHaveLength(255);
    expect(parseHubAddress(longest).basePath).toBe(longest.slice("http://hub.example".length));
    isRejected(`${longest}a`);
  });

  test("has a port from 1 to 65535", () => {
    for (const port of [1, 65535]) expect(parseHubAddress(`http://hub.example:${port}`).port).toBe(port);
    for (const port of ["0", "65536", "", "+1", "123456"]) isRejected(`http://hub.example:${port}`);
  });

  test("has a scheme, and slashes after it", () => {
    for (const text of ["://hub.example", "hub.example://", "http:/hub.example", "://", "https//hub.example"])
      isRejected(text);
  });

  test("has an IPv6 address in brackets that close, of nothing but its characters", () => {
    expect(parseHubAddress("http://[::1]")).toMatchObject({ host: "::1", port: 80, origin: "http://[::1]" });
    for (const host of ["[::1", "[]", "[::1]x", "[g::1]", "[::1g]", "[::1]80", "::1]"])
      isRejected(`http://${host}`);
  });

  test("has a host that begins and ends with a letter or a digit", () => {
    for (const host of ["a", "0", "a-b", "a_b.c"]) expect(parseHubAddress(`http://${host}`).host).toBe(host);
    for (const host of ["-a", "a-", ".a", "a.", "_", ":80", "a b", "ä"]) isRejected(`http://${host}`);
  });

  test("is quoted where it is rejected, with examples of what is one", () =>
    expect(() => parseHubAddress("hub")).toThrow(
      '"hub" is not the address of a hub, such as "https://hub.example" or "http://192.0.2.1:8080"',
    ));
});

describe("A device token", () => {
  const token = deviceTokenOf(new Uint8Array(16).fill(0xff));

  test("is the whole of a text", () => {
    expect(isDeviceToken(token)).toBe(true);
    for (const text of [`x${token}`, `${token}x`, ` ${token}`, `${token}\n`])
      expect(isDeviceToken(text)).toBe(false);
  });

  test("is made of 16 random bytes", () =>
    expect(() => deviceTokenOf(new Uint8Array(15))).toThrow(new RangeError("A UUID has 16 bytes, not 15")));
});
