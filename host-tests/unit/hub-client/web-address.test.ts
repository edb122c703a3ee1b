import { expect, test } from "vitest";
import { authorityOf, parseWebAddress } from "../../../hub-client/web-address.js";

const ADDRESSES = [
  {
    text: "http://hub.example/a/b?c=d&e=%20",
    parts: [false, "hub.example", 80, "http://hub.example", "/a/b?c=d&e=%20"],
  },
  { text: "HTTPS://Hub.Example:443", parts: [true, "hub.example", 443, "https://hub.example", "/"] },
  {
    text: "http://hub.example:8080?q",
    parts: [false, "hub.example", 8080, "http://hub.example:8080", "/?q"],
  },
  { text: "http://[2001:db8::1]:81/x", parts: [false, "2001:db8::1", 81, "http://[2001:db8::1]:81", "/x"] },
] as const;
for (const { text, parts } of ADDRESSES)
  test(`"${text}" is an address`, () => {
    const { isSecure, host, port, origin, target } = parseWebAddress(text);
    expect([isSecure, host, port, origin, target]).toEqual(parts);
  });

test("a request names host and port as the address does", () =>
  expect(authorityOf(parseWebAddress("http://[2001:db8::1]:81/x"))).toBe("[2001:db8::1]:81"));

const NO_ADDRESSES = [
  "",
  "hub.example/x",
  "http:/x",
  "http://",
  "http:///x",
  "ws://hub.example/",
  "http://a@hub.example/",
];
const NO_TARGETS = ["/a b", "/a#b", "/\r\nx: y", "/\u00fc", '/"', "/<", "/\\", "/^", "/`", "/{"];
for (const text of [...NO_ADDRESSES, ...NO_TARGETS.map((target) => `http://hub.example${target}`)])
  test(`${JSON.stringify(text)} is no address`, () =>
    expect(() => parseWebAddress(text)).toThrow(expect.objectContaining({ code: "bad_parameter" })));
