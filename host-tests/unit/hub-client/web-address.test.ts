import { expect, test } from "vitest";
import { atHub, authorityOf, parseWebAddress } from "../../../hub-client/web-address.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";

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

test("the Host field names host and port as in the address", () =>
  expect(authorityOf(parseWebAddress("http://[2001:db8::1]:81/x"))).toBe("[2001:db8::1]:81"));

const OF_HUBS = [
  { written: "https://hub.example/api/v1/x?a=b", target: "/console/api/v1/x?a=b" },
  { written: "http://hub_backend:8080/api/v1/x?at=/api/v1/y", target: "/console/api/v1/x?at=/api/v1/y" },
  { written: "http://[::1]/elsewhere/api/v1/x", target: "/console/api/v1/x" },
  { written: "http://hub.example/api/v1/elsewhere/api/v1/x", target: "/console/api/v1/x" },
  { written: "http://hub.example/api/v1/", target: "/console/api/v1/" },
];
for (const { written, target } of OF_HUBS)
  test(`"${written}" is "${target}" at the hub`, () => {
    const hub = parseHubAddress("https://192.0.2.1:8443/console/api/v1");
    expect(atHub(parseWebAddress(written), hub)).toEqual({
      isSecure: true,
      host: "192.0.2.1",
      port: 8443,
      origin: "https://192.0.2.1:8443",
      target,
    });
  });

for (const written of [
  "/",
  "/api/v1",
  "/api/v2/x",
  "/my-api/v1/x",
  "/API/v1/x",
  "?x=/api/v1/x",
  "/x?/api/v1/x",
])
  test(`"${written}" is not below the API of a hub`, () => {
    const hub = parseHubAddress("http://hub.example");
    expect(atHub(parseWebAddress(`http://hub.example${written}`), hub)).toBeUndefined();
  });

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
  test(`${JSON.stringify(text)} is not an address`, () =>
    expect(() => parseWebAddress(text)).toThrow(expect.objectContaining({ code: "bad_parameter" })));
