import { expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { parseHubAddress } from "../../../../protocol/hub/hub-address.js";

const ADDRESSES = [
  {
    text: "http://hub.example:9090",
    parts: [false, "hub.example", 9090, "http://hub.example:9090", "/api/v1", ""],
  },
  {
    text: "http://hub.example:9090/api/v1",
    parts: [false, "hub.example", 9090, "http://hub.example:9090", "/api/v1", ""],
  },
  {
    text: "https://hub.example/api/v1/",
    parts: [true, "hub.example", 443, "https://hub.example", "/api/v1", ""],
  },
  {
    text: "https://hub.example:443",
    parts: [true, "hub.example", 443, "https://hub.example", "/api/v1", ""],
  },
  { text: "http://192.0.2.1", parts: [false, "192.0.2.1", 80, "http://192.0.2.1", "/api/v1", ""] },
  {
    text: "http://[2001:db8::1]:8080",
    parts: [false, "2001:db8::1", 8080, "http://[2001:db8::1]:8080", "/api/v1", ""],
  },
  {
    text: "HTTP://Hub.Example/Fleet/api/v1",
    parts: [false, "hub.example", 80, "http://hub.example", "/Fleet/api/v1", "/Fleet"],
  },
  { text: "http://localhost/", parts: [false, "localhost", 80, "http://localhost", "/api/v1", ""] },
] as const;
for (const { text, parts } of ADDRESSES)
  test(`${text} is the address of a hub`, () => {
    const { isSecure, host, port, origin, apiPath, basePath } = parseHubAddress(text);
    expect([isSecure, host, port, origin, apiPath, basePath]).toEqual(parts);
  });

const REFUSED = [
  ...["", "hub.example", "ftp://hub.example", "http://", "http:///api/v1", "http://hub.example:0"],
  ...[
    "http://hub.example:65536",
    "http://hub.example:80a",
    "http://user@hub.example",
    "http://hub.example?q=1",
  ],
  ...["http://hub.example/#top", "http://hub example", "http://hub.example/\r\nx: y", "http://-hub.example"],
  ...["http://2001:db8::1", `http://${"a".repeat(250)}`],
];
for (const text of REFUSED)
  test(`${JSON.stringify(text.slice(0, 40))} is rejected as the address of a hub`, () => {
    const read = () => parseHubAddress(text);
    expect(read).toThrow(Fault);
    expect(read).toThrow(expect.objectContaining({ code: "bad_parameter" }));
  });
