/**
 * The sandboxed parser of request heads (`device/sandbox/http-head`): Node's parser finds the same heads, and the words of
 * a refusal are ours alone.
 */
import { describe, expect, test } from "vitest";
import { compareHeads } from "./head-mutation.js";
import { disagreement, HEADS, sandboxed } from "./head-verdicts.js";
import { SEED } from "./mutations.js";

const COUNT = 2000;

const octets = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test(`Node agrees about ${COUNT} changed heads, seed ${SEED}`, async () => {
  const { valid, invalid } = await compareHeads(COUNT);
  expect(valid).toBeGreaterThan(COUNT / 10);
  expect(invalid).toBeGreaterThan(COUNT / 10);
});

const ONE_LINE = "A request line must have a method, a target and a version";
const NO_BEGIN = 'A request target must begin with "/" or "http://"';
const NO_HOST = "A request target must have a host and no user";
const LONG_LIST = "Cannot accept a list of more than 32 members in a field";
const UNORDERED = 'Transfer-Encoding must have "chunked" once and last, not';
const LENGTH = "Content-Length must be digits up to 2^53 - 1, not";

type Refusal = readonly [head: string, code: string, message: string];

const REFUSED: readonly Refusal[] = [
  ["GET / HTTP/1.1\r\n\r\n", "bad_request", "HTTP/1.1 requires a Host"],
  ["GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "bad_request", 'Field "host" occurs twice'],
  ["GET / HTTP/1.2\r\nHost: a\r\n\r\n", "version_unsupported", "HTTP/1.2 is not supported, only HTTP/1.1"],
  ["GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", ONE_LINE],
  [" / HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", ONE_LINE],
  ["GET / http/1.1\r\nHost: a\r\n\r\n", "bad_request", "The request line must end in an HTTP version"],
  ["GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", "A request target must not have a fragment"],
  ["CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n", "not_implemented", "Cannot open a tunnel"],
  ["GET a HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", NO_BEGIN],
  ["GET http://@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", NO_HOST],
  ["GET http:// HTTP/1.1\r\nHost: a\r\n\r\n", "bad_request", NO_HOST],
  ["GET / HTTP/1.1\r\nHost : a\r\n\r\n", "bad_request", "A field line must begin with a name and a colon"],
  ["GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n", "bad_request", "A field value contains a control character"],
  ["GET / HTTP/1.1\r\nHost: a\r\n\r\r\n\r\n", "bad_request", "A line begins with a control character"],
  [
    withField("Host", "a".repeat(1281)),
    "head_too_large",
    "Cannot accept more than 1280 characters in this field",
  ],
  [
    withHost("Connection", "a".repeat(257)),
    "head_too_large",
    "Cannot accept more than 256 characters in this field",
  ],
  [withHost("Connection", "a,".repeat(33)), "head_too_large", LONG_LIST],
  [
    withHost("Connection", `a${"\r\nConnection: a".repeat(31)}\r\nConnection: close`),
    "head_too_large",
    LONG_LIST,
  ],
  ...["", "-1", "1a", "9007199254740992", "00000000000000001"].map(
    (length): Refusal => [withHost("Content-Length", length), "bad_request", `${LENGTH} "${length}"`],
  ),
  ...["chunked, gzip", "chunked,chunked", "", ",", "gzip,,chunked"].map(
    (coding): Refusal => [withHost("Transfer-Encoding", coding), "bad_request", `${UNORDERED} "${coding}"`],
  ),
  ...["gzip, chunked", "gzip"].map(
    (coding): Refusal => [
      withHost("Transfer-Encoding", coding),
      "not_implemented",
      `Transfer-Encoding must be "chunked" only, not "${coding}"`,
    ],
  ),
  [withHost("Transfer-Encoding", "a,".repeat(33)), "head_too_large", LONG_LIST],
  [
    withHost("Content-Length", "1\r\nTransfer-Encoding: chunked"),
    "bad_request",
    "Content-Length and Transfer-Encoding exclude each other",
  ],
  [
    withHost("Content-Length", "1\r\nContent-Length: 1"),
    "bad_request",
    'Field "content-length" occurs twice',
  ],
  [
    "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    "bad_request",
    "HTTP/1.0 has no Transfer-Encoding",
  ],
];

function withField(name: string, value: string): string {
  return `GET / HTTP/1.1\r\n${name}: ${value}\r\n\r\n`;
}

function withHost(name: string, value: string): string {
  return `POST / HTTP/1.1\r\nHost: a\r\n${name}: ${value}\r\n\r\n`;
}

describe("A head is refused", () => {
  for (const [text, code, message] of REFUSED)
    test(`${JSON.stringify(text.slice(0, 90))}: ${message}`, async () => {
      expect(sandboxed(octets(text))).toEqual({ fault: [code, message] });
      expect(await disagreement(octets(text))).toBeUndefined();
    });
});

const TAKEN = [
  ...HEADS.filter((head) => sandboxed(octets(head))?.head),
  withHost("Connection", `a${"\r\nConnection: a".repeat(30)}\r\nConnection: close`),
  ...["1", "007", "0", "00", "9007199254740991"].map((length) => withHost("Content-Length", length)),
  ...["chunked", "CHUNKED"].map((coding) => withHost("Transfer-Encoding", coding)),
];

describe("A head is taken, as by Node", () => {
  for (const text of TAKEN)
    test(JSON.stringify(text.slice(0, 90)), async () => {
      expect(sandboxed(octets(text))).toHaveProperty("head");
      expect(await disagreement(octets(text))).toBeUndefined();
    });
});

const HOSTS = {
  local: ["10.0.0.1", "255.255.255.255", "0.0.0.0", "a.local", "a.local.", "A.LOCAL:", "localhost.", "[::1]"],
  foreign: ["1.2.3", "1.2.3.4.", "1.2.3.4.5", "256.0.0.1", "01.0.0.1", ".local", ""],
  invalid: ["localhost:123456", "[]", "[::1", "a b"],
};

describe("A host", () => {
  for (const [rule, hosts] of Object.entries(HOSTS))
    for (const host of hosts)
      test(`${JSON.stringify(host)} is ${rule}`, async () => {
        const head = octets(withField("Host", host));
        expect(sandboxed(head)?.head?.rule).toBe(rule);
        expect(await disagreement(head)).toBeUndefined();
      });
});
