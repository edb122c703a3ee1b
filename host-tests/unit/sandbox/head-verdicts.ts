/**
 * What the program `http-head` makes of a request's head, and whether Node's parser agrees: it must find the same head, or
 * refuse what we refuse, but for {@link STRICTER} and {@link LAXER}.
 */
import { isIPv4 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { HeadParser } from "../../../device/services/http/request-head.js";
import { Fault } from "../../../protocol/fault.js";
import type { Framing } from "../../../protocol/http/body-reader.js";
import {
  type Fields,
  LIST_LIMIT,
  LIST_LIMIT_CHARACTERS,
  VALUE_LIMIT_CHARACTERS,
} from "../../../protocol/http/fields.js";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import { loadSandbox } from "../../../tools/sandbox.js";
import { headByNode, type NodeHead } from "./node-heads.js";

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

type Lookups = Pick<Fields, "single" | "list">;

interface Head {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly host: string | undefined;
  readonly rule: "local" | "foreign" | "invalid";
  readonly framing: Framing;
  readonly isPersistent: boolean;
  /** Values of {@link SINGLES} and {@link LISTS}, or the message of the fault. */
  readonly fields: readonly (string | undefined)[];
}

export interface Verdict {
  readonly takenBytes?: number;
  readonly fault?: readonly [code: string, message: string];
  readonly head?: Head;
}

/** @throws what is no fault */
function faultOf(error: unknown): readonly [code: string, message: string] {
  if (!(error instanceof Fault)) throw error;
  return [error.code, error.message];
}

function looked(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    return faultOf(error)[1];
  }
}

function lookUp(fields: Lookups): readonly (string | undefined)[] {
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
    const parsed = parser.parse(bytes);
    if (!parsed) return undefined;
    const { takenBytes } = parser;
    const { fields, ...rest } = parsed;
    const rule = fields.isHostLocal ? "local" : fields.isHostValid ? "foreign" : "invalid";
    return { takenBytes, head: { ...rest, host: fields.host, rule, fields: lookUp(fields) } };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

// What Node's head should be for us.

const OPAQUE = /[\x80-\xff]/g;

/** Values of a field in Node's head. Opaque bytes count as `?`. */
function valuesOf({ fields }: NodeHead, name: string): readonly string[] {
  return fields.filter(([other]) => other === name).map(([, value]) => value.replace(OPAQUE, "?"));
}

/** Whether a value is longer than a limit of ours, which counts the spaces around it, or all values together are. */
function isLong(head: NodeHead, name: string, limit: number, text: string): boolean {
  const lines = text.matchAll(new RegExp(`\\r\\n${name}:([^\\r]*)`, "gi"));
  const longest = Math.max(...Array.from(lines, ([, value = ""]) => value.length));
  return longest > limit || valuesOf(head, name).join(", ").length > limit;
}

/** Look-ups in Node's head, with our limits. */
function lookupsOf(head: NodeHead, text: string): Lookups {
  const check = (name: string, limit: number) => {
    if (isLong(head, name, limit, text))
      throw new Fault("head_too_large", `Cannot accept more than ${limit} characters in this field`);
  };
  return {
    single(name) {
      const [value, second] = valuesOf(head, name);
      if (second !== undefined) throw new Fault("bad_request", `Field "${name}" occurs twice`);
      check(name, VALUE_LIMIT_CHARACTERS);
      return value;
    },
    list(name) {
      const values = valuesOf(head, name);
      check(name, LIST_LIMIT_CHARACTERS);
      return values.length > 0 ? values.join(", ") : undefined;
    },
  };
}

const HOST_LIMIT_CHARACTERS = 262;
const HOST_FORM = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::[0-9]{0,5})?$/;

/** docs/spec/http.md#foreign-host */
function hostRule(host: string | undefined): Head["rule"] {
  if (host === undefined) return "local";
  const name = host.length <= HOST_LIMIT_CHARACTERS ? HOST_FORM.exec(host)?.[1] : undefined;
  if (name === undefined) return host === "" ? "foreign" : "invalid";
  const isAddress = name.startsWith("[") || isIPv4(name);
  return isAddress || /^(localhost|.+\.local)\.?$/.test(name) ? "local" : "foreign";
}

function framingOf(head: NodeHead): Framing {
  if (valuesOf(head, "transfer-encoding").length > 0) return { kind: "chunked" };
  const byteLength = Number(valuesOf(head, "content-length")[0] ?? 0);
  return byteLength > 0 ? { kind: "length", byteLength } : { kind: "none" };
}

function expectedHead(head: NodeHead, text: string): Head {
  const { method, version, isPersistent } = head;
  const absolute = /^http:\/\/([^/?]*)(.*)$/i.exec(head.target);
  const host = (absolute?.[1] ?? valuesOf(head, "host")[0])?.toLowerCase();
  const target = absolute?.[2]?.replace(/^(?!\/)/, "/") ?? head.target;
  const framing = framingOf(head);
  const fields = lookUp(lookupsOf(head, text));
  return { method, target, version, host, rule: hostRule(host), framing, isPersistent, fields };
}

/** @returns whether the reason of a refusal is there in the head that Node takes */
type Reason = (head: NodeHead, text: string) => boolean;

const REQUEST_LINE = /^(\r\n)*[!-~]+ [!-~]+ HTTP\/[0-9]\.[0-9]\r\n/;

const codings = (head: NodeHead) => valuesOf(head, "transfer-encoding").join(", ");
const isLength = (text: string) => /^[0-9]{1,16}$/.test(text) && Number.isSafeInteger(Number(text));

/** What we refuse and Node takes, by our message. */
const STRICTER: readonly (readonly [message: RegExp, isThere: Reason])[] = [
  // RFC 9112 §3: Node takes HTTP/0.9, which has no version, several spaces, and any target of CONNECT.
  [/^(A request line must have|The request line must end in)/, (_, text) => !REQUEST_LINE.test(text)],
  [/^HTTP\/[0-9.]+ is not supported/, ({ version }) => version !== "1.0" && version !== "1.1"],
  // RFC 9112 §3.2: the server was told not to ask for it, and takes several.
  [/^HTTP\/1.1 requires a Host/, (head) => valuesOf(head, "host").length === 0],
  [/^Field "host" occurs twice/, (head) => valuesOf(head, "host").length > 1],
  // RFC 9112 §3.2: targets that name nothing that a console has.
  [/^Cannot open a tunnel/, ({ method }) => method === "CONNECT"],
  [/^A request target must not have a fragment/, ({ target }) => target.includes("#")],
  [/^A request target must begin with/, ({ target }) => !/^(\/|http:\/\/)/i.test(target)],
  [/^A request target must have a host/, ({ target }) => /^http:\/\/([^/?]*@|[/?]|$)/i.test(target)],
  // RFC 9112 §6.1: codings that we cannot undo, and none for HTTP/1.0.
  [/^Transfer-Encoding must (be|have) "chunked"/, (head) => codings(head).toLowerCase() !== "chunked"],
  [
    /^HTTP\/1.0 has no Transfer-Encoding/,
    (head) => head.version === "1.0" && valuesOf(head, "transfer-encoding").length > 0,
  ],
  [/^Content-Length must be digits/, (head) => !isLength(valuesOf(head, "content-length")[0] ?? "")],
  // docs/spec/limits.md: a list is bounded before it is built.
  [
    /^Cannot accept more than 1280 characters/,
    (head, text) =>
      ["host", "content-length"].some((name) => isLong(head, name, VALUE_LIMIT_CHARACTERS, text)),
  ],
  [
    /^Cannot accept more than 256 characters/,
    (head, text) =>
      ["connection", "transfer-encoding"].some((name) => isLong(head, name, LIST_LIMIT_CHARACTERS, text)),
  ],
  [
    /^Cannot accept a list/,
    (head) =>
      ["connection", "transfer-encoding"].some(
        (name) => valuesOf(head, name).join(",").split(",").length > LIST_LIMIT,
      ),
  ],
];

/** RFC 9110 §5.6.3: a tab may stand where a space may. Node's parser takes one after a word for a letter of it. */
const hasTabAt = (name: string, text: string) => new RegExp(`\\r\\n${name}:[^\\r]*\\t`, "i").test(text);

/** What Node's parser refuses and we take, by its code. */
const LAXER: Readonly<Record<string, (ours: Head, text: string) => boolean>> = {
  // It knows its methods; an endpoint has its own, and another one is 405.
  HPE_INVALID_METHOD: () => true,
  // The host of an absolute target; a host of another form than one has is refused as a foreign one is.
  HPE_INVALID_URL: ({ rule }) => rule === "invalid",
  HPE_INVALID_CONTENT_LENGTH: (_, text) => hasTabAt("content-length", text),
  HPE_INVALID_TRANSFER_ENCODING: (_, text) => hasTabAt("transfer-encoding", text),
};

/** RFC 9112 §9.3: `close` goes before `keep-alive`. Not so for Node's parser in HTTP/1.0. */
const isMisread = ({ version }: NodeHead, text: string) =>
  hasTabAt("connection", text) || (version === "1.0" && /\r\nconnection:[^\r]*close/i.test(text));

/** Whether a head reader refuses the bytes, of which `http-head` then says nothing: for their length, or a bare LF. */
function isRefusedByReader(bytes: Uint8Array): boolean {
  try {
    new HeadReader().push(bytes);
    return false;
  } catch (error) {
    faultOf(error);
    return true;
  }
}

/** The head with empty lines before it. */
function headOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  return /^(\r\n)*.*?\r\n\r\n/s.exec(text)?.[0] ?? text;
}

/** @returns what `http-head` and Node do not agree about; `undefined` if there is nothing */
export async function disagreement(bytes: Uint8Array): Promise<object | undefined> {
  const ours = sandboxed(bytes);
  const node = await headByNode(bytes);
  const text = headOf(bytes);
  if (typeof node !== "object")
    return !ours?.head || LAXER[node ?? ""]?.(ours.head, text) ? undefined : { ours, node };
  if (!ours) return isRefusedByReader(bytes) ? undefined : { ours, node };
  const { fault, head } = ours;
  const isReason = ([message, isThere]: (typeof STRICTER)[number]) =>
    message.test(fault?.[1] ?? "") && isThere(node, text);
  if (fault) return STRICTER.some(isReason) ? undefined : { ours, node };
  const expected = expectedHead(node, text);
  const wanted = isMisread(node, text) ? { ...expected, isPersistent: head?.isPersistent } : expected;
  return isDeepStrictEqual(head, wanted) ? undefined : { head, wanted };
}
