/**
 * The test blocks of llhttp, the parser of Node: what it accepts strictly we accept, what it refuses we
 * refuse, and what it takes in a lenient mode only we refuse. Exceptions carry their reason.
 */
import { afterAll, describe, expect, test } from "vitest";
import { parseTarget } from "../../../../device/services/http/request-head.js";
import { octets, parseHead } from "./head.js";
import { areBlocksThere, type Block, readBlocks } from "./llhttp-blocks.js";
import { readMessages } from "./messages.js";

/** What we take although llhttp refuses it, or in a lenient mode only. */
const TAKEN: Readonly<Record<string, string>> = {
  "request/connection.md: No restart when keep-alive is off (1.0)": "we close, and never read what follows",
  "request/connection.md: Resetting flags when keep-alive is off (1.0, lenient)":
    "we close, and never read what follows",
  "request/connection.md: CRLF between requests, explicit `close`": "we close, and never read what follows",
  "request/connection.md: CRLF between requests, explicit `close` followed by tab":
    "we close, and never read what follows",
  "request/connection.md: CRLF between requests, explicit `close` (lenient)":
    "we close, and never read what follows",
  "request/connection.md: Multiple tokens with folding and LWS": "a request to upgrade is answered without",
  "request/connection.md: Setting a flag and pausing": "a request to upgrade is answered without",
  "request/connection.md: Emitting part of body and pausing": "a request to upgrade is answered without",
  "request/connection.md: Upgrade GET request": "a request to upgrade is answered without",
  "request/connection.md: Upgrade POST request": "a request to upgrade is answered without",
  "request/invalid.md: HTTP protocol and ANNOUNCE method": "any token is a method; the API answers 405",
};

/** What we refuse although llhttp accepts it. */
const REFUSED: Readonly<Record<string, string>> = {
  "request/method.md: M-SEARCH request": "an asterisk is a target of OPTIONS only (RFC 9112 §3.2.4)",
  "request/method.md: SOURCE request with ICE": "another protocol",
  "request/method.md: OPTIONS request with RTSP": "another protocol",
  "request/method.md: ANNOUNCE request with RTSP": "another protocol",
  "request/sample.md: No HTTP version": "HTTP/0.9",
  "request/transfer-encoding.md: POST with `chunked` as last transfer-encoding": "deflate is not supported",
  "request/transfer-encoding.md: POST with `chunked` as last transfer-encoding (multiple headers)":
    "deflate is not supported",
  "request/uri.md: Fragment in URI": "a target has no fragment (RFC 9112 §3.2.1)",
  "request/uri.md: `host:port` and basic auth": "a user in a target is an error (RFC 9110 §4.2.4)",
  "url.md: Absolute URL": "a target has no fragment",
  "url.md: Relative URL": "a target has no fragment",
  "url.md: URL fragment": "a target has no fragment",
  "url.md: Complex URL fragment": "a target has no fragment",
  "url.md: Complex URL from node.js url parser doc": "a target has no fragment",
  "url.md: Complex URL with basic auth from node.js url parser doc": "a target has no fragment",
  "url.md: Proxy basic auth with url encoded space": "a user in a target is an error",
  "url.md: Proxy basic auth with unreserved chars": "a user in a target is an error",
};

/** Accepted by both, but not with the same messages. */
const READ_OTHERWISE: Readonly<Record<string, string>> = {
  "request/content-length.md: Content-Length reset when no body is received":
    "llhttp is configured to skip bodies, which we never do",
};

const blocks = areBlocksThere ? readBlocks() : [];
const ofType = (prefix: string) => blocks.filter(({ type }) => type.startsWith(prefix));
const tally = { accepted: 0, refused: 0, explained: 0, urls: 0, responses: 0 };

function isRefused({ type, log }: Block): boolean {
  return type.includes("-lenient-") || log.some((line) => line.includes("error code="));
}

/** llhttp does not require Host, so its requests have none: each gets one. */
function withHosts({ wire, log }: Block): string {
  const ends = log.flatMap((line) => /^off=([0-9]+) version complete/.exec(line)?.[1] ?? []).map(Number);
  return ends.reduceRight((text, end) => {
    const head = text.slice(end, text.indexOf("\r\n\r\n", end));
    const isComplete = text.startsWith("\r\n", end) && !/\r\nhost:/i.test(head);
    return isComplete ? `${text.slice(0, end)}\r\nHost: a.local${text.slice(end)}` : text;
  }, wire);
}

/** Some blocks stop where llhttp rejects; we reject at the end of the head, so it is added. */
function readWhole(wire: string) {
  const reading = readMessages(octets(wire));
  return reading.hasRest ? readMessages(octets(`${wire}\r\n\r\n`)) : reading;
}

describe.skipIf(!areBlocksThere)("llhttp (skipped where ../shared/testdata/llhttp is absent)", () => {
  for (const block of ofType("request")) {
    const expected = isRefused(block) ? "refused" : "accepted";
    const exception = TAKEN[block.name] ?? REFUSED[block.name];
    test(`${block.name}: ${expected}${exception ? `, but ${exception}` : ""}`, () => {
      const wire = withHosts(block);
      const isToBeRefused = block.name in REFUSED || (isRefused(block) && !(block.name in TAKEN));
      if (isToBeRefused) expect(readWhole(wire).refusal).toBeDefined();
      else expect(readMessages(octets(wire)).refusal).toBeUndefined();
      if (exception) tally.explained++;
      else tally[expected]++;
    });
    if (expected === "accepted" && !(block.name in REFUSED) && !(block.name in READ_OTHERWISE))
      test(`${block.name}: the same number of messages, with the same bodies`, () => {
        const { messages } = readMessages(octets(withHosts(block)));
        const complete = messages.filter(({ isComplete }) => isComplete);
        expect(complete.length).toBe(block.log.filter((line) => line.includes(" message complete")).length);
        const bodies = block.log.flatMap((line) => /span\[body\]="(.*)"$/.exec(line)?.[1] ?? []);
        expect(JSON.stringify(messages.map(({ body }) => body).join("")).slice(1, -1)).toBe(bodies.join(""));
      });
  }

  for (const { name, wire, log } of ofType("url"))
    test(`${name}${REFUSED[name] ? `: rejected, since ${REFUSED[name]}` : ""}`, () => {
      tally.urls++;
      const span = (part: string) =>
        log.flatMap((line) => new RegExp(`span\\[url.${part}\\]="(.*)"$`).exec(line)?.[1] ?? [])[0];
      const parse = () => parseHead(`GET ${wire} HTTP/1.1\r\nHost: a.local\r\n\r\n`);
      if (name in REFUSED || log.some((line) => line.includes("error code="))) {
        expect(parse).toThrow(expect.objectContaining({ code: "bad_request" }));
        return;
      }
      const { target, host } = parse();
      expect(host).toBe((span("host") ?? "a.local").toLowerCase());
      expect(parseTarget(target).path).toBe(span("path"));
      expect(target.split("?").slice(1).join("?")).toBe(span("query") ?? "");
    });

  test("Every block is used; responses are not read here", () => {
    tally.responses = ofType("response").length;
    expect(blocks.length).toBe(272);
    expect(ofType("request").length + ofType("url").length + tally.responses).toBe(272);
    const names = new Set(blocks.map(({ name }) => name));
    for (const name of [TAKEN, REFUSED, READ_OTHERWISE].flatMap(Object.keys)) expect(names).toContain(name);
  });

  afterAll(() => console.log(`llhttp: ${blocks.length} blocks: ${JSON.stringify(tally)}`));
});
