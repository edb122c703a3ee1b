/**
 * Input that is small on the wire and large once parsed: separators, list members, nested or empty values, escapes. Each
 * must be rejected, or cost no more than an ordinary request.
 */
import fc from "fast-check";

/** Bytes of a request line available to the target. */
const TARGET_BYTES = 3150;
/** Bytes of a head available to fields. */
const FIELDS_BYTES = 3900;

export interface HttpShape {
  readonly name: string;
  readonly method?: string;
  /** In origin form; default: `/api/status`. */
  readonly target?: string;
  /** Complete lines, each with its CRLF. */
  readonly fieldLines?: string;
  /** Replaces the console's own. */
  readonly host?: string;
  readonly body?: string;
  /** Default: any 4xx. Some shapes are valid requests that are merely large. */
  readonly mayPass?: boolean;
}

/** `piece` as often as fits into `byteLength`, after `start`. */
export function filled(piece: string, byteLength: number, start = ""): string {
  return start + piece.repeat(Math.floor((byteLength - start.length) / piece.length));
}

/** Parameters of two bytes and more, no two of the same name. */
function shortParameters(byteLength: number): string {
  const digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  let query = "";
  for (const first of digits)
    for (const second of digits) {
      if (query.length + 3 > byteLength) return query;
      query += `${query === "" ? "" : "&"}${first}${second}`;
    }
  return query;
}

const target = (piece: string, start: string) => filled(piece, TARGET_BYTES, start);
const field = (piece: string, name: string) => `${filled(piece, FIELDS_BYTES, `${name}: `)}\r\n`;
const lines = (line: string) => filled(`${line}\r\n`, FIELDS_BYTES);

/** What tests put together at random and repeat. */
export const PIECES = [
  ...[
    "&",
    "=",
    "+",
    "%20",
    "%26",
    ";",
    "?",
    "/",
    "a",
    "%00",
    "%25",
    "%22",
    "%2F",
    "..",
    ".",
    ",",
    ":",
    "@",
    "[",
    "]",
  ],
  ...['"', "'", "\\", "-", "0", "*", "~", "|", " ", "\t", "chunked", "close", "%C0%AF", "%ED%A0%80"],
];

export const TARGETS: readonly HttpShape[] = [
  { name: "separators of parameters", target: target("&", "/api/status?") },
  { name: "parameters without a name", target: target("=&", "/api/status?") },
  { name: "short parameters", target: `/api/status?${shortParameters(TARGET_BYTES)}` },
  { name: "short parameters of another endpoint", target: `/api/cmd?${shortParameters(TARGET_BYTES)}` },
  { name: "short parameters of an unknown path", target: `/nothing?${shortParameters(TARGET_BYTES)}` },
  { name: "short parameters of the page", target: `/?${shortParameters(TARGET_BYTES)}` },
  { name: "a repeated parameter", target: target("&a=b", "/api/status?a=b") },
  { name: "words of the shell", target: target("a+", "/api/cmd?c=") },
  { name: "words of a command", target: target("+a", "/api/cmd?c=app+stop") },
  { name: "escaped words of the shell", target: target("%61%20", "/api/cmd?c=") },
  { name: "empty quoted words", target: target("''+", "/api/cmd?c=") },
  { name: "quotes without blanks", target: target("''", "/api/cmd?c="), mayPass: true },
  { name: "escapes in quotes", target: `${target("\\a", "/api/cmd?c=%22")}%22`, mayPass: true },
  { name: "blanks of the shell", target: target("+", "/api/cmd?c="), mayPass: true },
  { name: "empty steps in a path", target: target("/", "/api/cmd?c=ls+"), mayPass: true },
  { name: "steps in a path", target: target("/a", "/api/cmd?c=ls+/lfs"), mayPass: true },
  { name: "steps back in a path", target: target("a/../", "/api/cmd?c=ls+"), mayPass: true },
  { name: "steps of a file to install", target: target("/a", "/api/cmd?c=app+install+/usb"), mayPass: true },
  { name: "steps in the path of an endpoint", target: target("/", "/api/status") },
  { name: "a long path", target: target("a", "/") },
  { name: "a long path of escapes", target: target("%01", "/") },
  { name: "a long name of two parameters", target: `/api/status?${"%01".repeat(500)}&${"%01".repeat(500)}` },
  { name: "an absolute target of colons", target: target(":", "http://") },
  { name: "an absolute target of dots", target: target("a.", "http://") },
];

const LIST_FIELDS = [
  ...["Connection", "Transfer-Encoding", "TE", "Expect", "Upgrade", "Content-Length", "Host", "Origin"],
  ...["Authorization", "Content-Type", "X-Svc-Signature", "X-Svc-Publisher-Signature"],
  ...["X-Svc-Publisher-Succession", "Access-Control-Request-Method", "Access-Control-Request-Headers"],
  ...["Accept", "Accept-Encoding", "If-None-Match", "Range", "Cookie", "Via", "Forwarded", "Cache-Control"],
  ...["Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Sec-WebSocket-Version"],
];

/** Fields whose members an honest console has to look at one by one. */
const READ_AS_LISTS = ["Connection", "Transfer-Encoding"];

export const FIELDS: readonly HttpShape[] = LIST_FIELDS.flatMap((name): HttpShape[] => {
  const mayPass = READ_AS_LISTS.includes(name) ? {} : { mayPass: true };
  return [
    { name: `${name} of short members`, fieldLines: field("a,", name), ...mayPass },
    { name: `${name} of empty members`, fieldLines: field(",", name), ...mayPass },
    { name: `${name} of blanks`, fieldLines: field(" ,\t", name), ...mayPass },
    { name: `${name} of parameters`, fieldLines: field("a;b=c;", name), mayPass: true },
    { name: `${name} in many lines`, fieldLines: lines(`${name}: a`), mayPass: true },
  ];
});

export const HEADS: readonly HttpShape[] = [
  { name: "short fields", fieldLines: lines("a:"), mayPass: true },
  {
    name: "fields of many names",
    fieldLines: Array.from({ length: 400 }, (_, at) => `${at}: a\r\n`).join(""),
    mayPass: true,
  },
  { name: "a body of the shell's words", method: "POST", target: "/api/cmd", body: filled("c=a&", 4000) },
  { name: "an address of hubs", method: "POST", target: target("//a", "/api/hub?url=http:") },
  { name: "a name of an app", method: "POST", target: target(".", "/api/apps/start?name=") },
  { name: "a long SSID", method: "POST", target: target("%C3%A4", "/api/wifi/connect?ssid=") },
];

/** Bytes of the longest head, without its end. */
const HEAD_BYTES = 4092;

/** A whole head as long as it may be, of a host. */
export type LongHead = (host: string) => string;

/** One field fills what the rest leaves. */
function longHead(target: string, name: string, piece: string, start = "x"): LongHead {
  return (host) => {
    const hostLine = name === "host" ? "" : `Host: ${host}\r\n`;
    return `${filled(piece, HEAD_BYTES, `GET ${target} HTTP/1.1\r\n${hostLine}${name}: ${start}`)}\r\n\r\n`;
  };
}

/** Sequences of which three were enough, each refused before anything asked whether there was room for it. */
export const LONG_HEADS: readonly LongHead[] = [
  longHead("/", "connection", "\xff"),
  longHead("/ws", "connection", "\xff"),
  longHead("/", "transfer-encoding", "\xff"),
  longHead("/", "connection", "a"),
  longHead("/api/system", "expect", "a"),
  longHead("/", "transfer-encoding", "a"),
  longHead("/", "connection", "a, "),
  longHead("/api/system", "expect", "a"),
  longHead("/", "transfer-encoding", "a"),
  longHead("/api/logs", "authorization", "a"),
];

/** Any of them: a long field, or a long target beside a field. */
export const LONG_HEAD: fc.Arbitrary<LongHead> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        "/",
        "/ws",
        "/api/system",
        "/api/status",
        "/api/cmd?c=ls",
        "/api/logs",
        "http://127.0.0.1/",
      ),
      fc
        .tuple(
          fc.constantFrom("/", "/api/cmd?c=", "/api/status?a=", "/?", "/ws?token=", "http://", "/api/"),
          fc.constantFrom("%61", "+", "%C3%A9", "a", "&a", "/", "%FF", "="),
        )
        .map(([start, piece]) => target(piece, start)),
    ),
    fc.constantFrom(
      ...[
        "connection",
        "expect",
        "transfer-encoding",
        "authorization",
        "origin",
        "host",
        "cookie",
        "upgrade",
      ],
      ...["content-length", "content-type", "x-svc-signature", "x-svc-publisher-succession", "X"],
      ...["sec-websocket-key", "access-control-request-method"],
    ),
    fc.constantFrom("\xff", "a", "a, ", ",", "A", "\xc3\xa9", "a:"),
    fc.constantFrom("x", "", "Bearer ", "http://", "chunked, "),
  )
  .map((parts) => longHead(...parts));

const TEXTS_THAT_ARE_NOT_UTF8 = [
  ...["%C0%AF", "%C1%BF", "%E0%80%AF", "%E0%9F%BF", "%F0%80%80%AF", "%F0%8F%BF%BF", "%C0%80", "%E0%80%80"],
  ...["%ED%A0%80", "%ED%BF%BF", "%ED%A0%BD%ED%B8%80", "%F4%90%80%80", "%F5%80%80%80", "%F8%88%80%80%80"],
  ...["%FC%84%80%80%80%80", "%FE", "%FF", "%80", "%BF", "%C3", "%C3%28", "%E2%82", "%E2%28%A1", "%E2%82%28"],
  ...["%F0%9F%98", "%F0%28%8C%BC", "%", "%4", "%zz", "%u0041", "%+1", "%-1", "% 1"],
];

/** Escapes that some decoder takes for text. */
export const ENCODINGS: readonly HttpShape[] = TEXTS_THAT_ARE_NOT_UTF8.filter(
  (text) => !text.includes(" "),
).flatMap((text): HttpShape[] => [
  { name: `a path with ${text}`, target: `/api/${text}` },
  { name: `the value of a parameter with ${text}`, target: `/api/status?a=${text}` },
  { name: `the name of a parameter with ${text}`, target: `/api/status?${text}=a` },
  { name: `the path of a file with ${text}`, target: `/api/cmd?c=ls+/lfs/${text}` },
  { name: `a value that ends after ${text}`, target: `/api/status?a=${text}&b=${text}x` },
]);

/** The name of an app, of a file, of a network with what is not UTF-8. */
export const HTTP_SHAPES: readonly HttpShape[] = [...TARGETS, ...FIELDS, ...HEADS];

const MEMBERS = '"jsonrpc":"2.0","id":1,"method":"GET","path":"/api/status"';
const LINE_BYTES = 1000;
const CHUNK_LINE_BYTES = 5000;
const NOT_A_CHUNK = '"chunk":0,"total":1,"data":"';

/** Lines of USB, without their end. Each is answered with a 4xx. */
export const USB_LINES: readonly { readonly name: string; readonly line: string | Uint8Array }[] = [
  { name: "empty arrays", line: `${filled("[],", LINE_BYTES, "[")}[]]` },
  { name: "empty objects", line: `${filled("{},", LINE_BYTES, "[")}{}]` },
  { name: "digits", line: `${filled("1,", LINE_BYTES, "[")}1]` },
  { name: "empty texts", line: `${filled('"",', LINE_BYTES, "[")}""]` },
  { name: "a long line of empty arrays", line: `${filled("[],", CHUNK_LINE_BYTES, "[")}[]]` },
  { name: "a long line of digits", line: `${filled("1,", CHUNK_LINE_BYTES, "[")}1]` },
  { name: "a long line of short texts", line: `${filled('"a",', CHUNK_LINE_BYTES, "[")}""]` },
  { name: "arrays in an unknown member", line: `{${MEMBERS},"x":${filled("[],", 850, "[")}[]]}` },
  { name: "arrays in the parameters", line: `{${MEMBERS},"params":${filled("[],", 850, "[")}[]]}` },
  { name: "arrays in a parameter", line: `{${MEMBERS},"params":{"c":${filled("[],", 850, "[")}[]]}}` },
  { name: "members with empty names", line: `{${MEMBERS}${filled(',"":0', 880)}}` },
  { name: "a repeated member", line: `{${MEMBERS}${filled(',"id":1', 880)}}` },
  { name: "a chunk with arrays", line: `{${MEMBERS},${NOT_A_CHUNK}","x":${filled("[],", 4500, "[")}[]]}` },
  {
    name: "a chunk with long data and arrays",
    line: `{${MEMBERS},"x":${filled("[],", 900, "[")}[]],${NOT_A_CHUNK}${"AAAA".repeat(900)}"}`,
  },
  {
    name: "a path of separators",
    line: `{"jsonrpc":"2.0","id":1,"method":"GET","path":"${filled("&", 900, "/api/status?")}"}`,
  },
  {
    name: "a path of short parameters",
    line: `{"jsonrpc":"2.0","id":1,"method":"GET","path":"/api/status?${shortParameters(900)}"}`,
  },
  {
    name: "words of the shell",
    line: `{"jsonrpc":"2.0","id":1,"method":"GET","path":"/api/cmd","params":{"c":"${filled("a ", 900)}"}}`,
  },
  { name: "deep arrays", line: `${"[".repeat(500)}${"]".repeat(500)}` },
  { name: "unterminated deep arrays", line: "[".repeat(1000) },
  { name: "deep objects", line: filled('{"a":', 1000) },
];

/** Bytes that are not UTF-8, in a text of a USB line. */
export const BYTES_THAT_ARE_NOT_UTF8: readonly Uint8Array[] = TEXTS_THAT_ARE_NOT_UTF8.flatMap((text) =>
  /^(%[0-9A-F]{2})+$/.test(text)
    ? [Uint8Array.from(text.slice(1).split("%"), (digits) => Number.parseInt(digits, 16))]
    : [],
);
