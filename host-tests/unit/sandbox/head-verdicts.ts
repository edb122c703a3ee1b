/** What the program `http-head` and the parser in TypeScript make of the same bytes. */
import { HeadParser } from "../../../device/services/http/request-head.js";
import { Fault } from "../../../protocol/fault.js";
import type { Framing } from "../../../protocol/http/body-reader.js";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import { parseReference } from "../../reference/http/request-head.js";

const HOST = "Host: console-1a2b.local:8080\r\n";

export const HEADS: readonly string[] = [
  `GET /api/status HTTP/1.1\r\n${HOST}Accept: */*\r\n\r\n`,
  `\r\n\r\nGET /api/status?a=b&c HTTP/1.1\r\n${HOST}User-Agent: curl/8.5.0\r\nOrigin: http://console-1a2b.local\r\n\r\nrest`,
  `POST /api/ota/upload HTTP/1.1\r\n${HOST}Content-Length: 2048\r\nContent-Type: application/octet-stream\r\nX-Svc-Signature: ${"0af9".repeat(32)}\r\nExpect: 100-continue\r\n\r\n`,
  `POST /api/a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nAuthorization: Bearer abc\r\n\r\n0\r\n\r\n`,
  `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
  `HEAD / HTTP/1.0\r\nConnection: keep-alive\r\nX: \xff\xfe\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\nhOsT:\t10.0.0.1 \r\nConnection: Keep-Alive, TE\r\nConnection: close\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Private-Network: true\r\n\r\n`,
  "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
  "DELETE HTTP://Other.local:1?x=y HTTP/1.1\r\nHost: [fe80::1]:80\r\n\r\n",
  `GET http://127.0.0.1/a HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9007199254740991\r\n\r\n`,
  "GET /ws HTTP/1.1\r\nHost: 192.168.4.1:8081\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
  "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
];

export const PIECES: readonly string[] = [
  ...[
    "\r\n",
    "\n",
    "\r",
    ":",
    " ",
    "\t",
    "\0",
    "\x7f",
    "\x80",
    "\xff",
    ",",
    ", ",
    "#",
    "@",
    "?",
    "/",
    "*",
    "%",
    "0",
  ],
  ...[
    "Host: localhost\r\n",
    "Content-Length: 0\r\n",
    "content-length: 12\r\n",
    "Content-Length:\r\n",
    "Connection: close\r\n",
  ],
  ...[
    "Connection: a, b\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: , chunked\r\n",
    "Origin: null\r\n",
  ],
  ...[
    "chunked",
    "close",
    "keep-alive",
    "keep-alive,",
    "HTTP/1.0",
    "HTTP/1.1",
    "http://",
    "GET ",
    "X: y\r\n",
    " folded\r\n",
  ],
  ...[
    "255.255.255.255",
    "256.1.1.1",
    "01.2.3.4",
    ".local",
    "localhost",
    "[::1]",
    "evil.example",
    "9007199254740992",
  ],
  ...["00000000", `a: ${"b".repeat(300)}\r\n`, `Connection: ${"c,".repeat(34)}\r\n`],
];

/** Fields that the servers ask for, and one that the program does not know. */
const SINGLES = ["origin", "authorization", "content-type", "x-svc-signature", "sec-websocket-key", "x"];
const LISTS = ["expect", "connection", "upgrade", "access-control-request-private-network"];

const HOST_LIMIT_CHARACTERS = 262;
const HOST_FORM = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::[0-9]{0,5})?$/;
const IPV4_LITERAL = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/** The host rule, as it was in TypeScript. */
function hostRule(host: string | undefined): string {
  if (host === undefined) return "local";
  const name = host.length <= HOST_LIMIT_CHARACTERS ? HOST_FORM.exec(host)?.[1] : undefined;
  if (name === undefined) return host === "" ? "foreign" : "invalid";
  const relative = name.endsWith(".") ? name.slice(0, -1) : name;
  const isLocal =
    relative === "localhost" ||
    (relative.endsWith(".local") && relative !== ".local") ||
    name.startsWith("[") ||
    IPV4_LITERAL.test(name);
  return isLocal ? "local" : "foreign";
}

interface Lookups {
  single(name: string): string | undefined;
  list(name: string): string | undefined;
}

export interface Verdict {
  readonly taken?: number;
  readonly fault?: readonly [code: string, message: string];
  readonly head?: object;
  readonly framing?: Framing;
}

function faultOf(error: unknown): Verdict {
  if (!(error instanceof Fault)) throw error;
  return { fault: [error.code, error.message] };
}

function looked<Value>(read: () => Value): Value | Verdict {
  try {
    return read();
  } catch (error) {
    return faultOf(error);
  }
}

function lookUp(fields: Lookups): object {
  return [
    ...SINGLES.map((name) => looked(() => fields.single(name))),
    ...LISTS.map((name) => looked(() => fields.list(name))),
  ];
}

const sandbox = await loadSandbox(["http-head"]);
const parser = new HeadParser(sandbox, new TextEncoder(), new TextDecoder());

/** @returns `undefined` if `bytes` do not begin with a head */
export function sandboxed(bytes: Uint8Array): Verdict | undefined {
  try {
    const head = parser.parse(bytes);
    if (!head) return undefined;
    const { takenBytes: taken } = parser;
    const { fields, ...rest } = head;
    const rule = fields.isHostLocal ? "local" : fields.isHostValid ? "foreign" : "invalid";
    const { framing } = head;
    return { taken, framing, head: { ...rest, host: fields.host, rule, fields: lookUp(fields) } };
  } catch (error) {
    return faultOf(error);
  }
}

/** The same from the head reader and the parser in TypeScript. Collects pieces of `step` bytes. */
export function inTypeScript(bytes: Uint8Array, step = bytes.length): Verdict | undefined {
  const reader = new HeadReader();
  let taken = 0;
  try {
    while (!reader.head && taken < bytes.length) taken += reader.push(bytes.subarray(taken, taken + step));
  } catch {
    return undefined; // a head reader gives this fault, before and after
  }
  if (!reader.head) return undefined;
  try {
    const { fields, ...rest } = parseReference(reader.head.slice(), new TextDecoder());
    const { framing } = rest;
    return { taken, framing, head: { ...rest, rule: hostRule(rest.host), fields: lookUp(fields) } };
  } catch (error) {
    return faultOf(error);
  }
}
