/**
 * Shapes that two programs may read differently. Each is refused with its status, the connection is
 * closed, and the request smuggled behind it is never seen (docs/spec/http.md#smuggling).
 */
import { describe, expect, test } from "vitest";
import { readResponses, serve } from "./served.js";

const HOST = "Host: 127.0.0.1:8080\r\n";
const SMUGGLED = `GET /hello?smuggled HTTP/1.1\r\n${HOST}\r\n`;

/** A POST with these field lines (each with its end), then `body`. */
const post = (lines: string, body = "") => `POST /echo HTTP/1.1\r\n${HOST}${lines}\r\n${body}`;
const get = (line: string, lines = HOST) => `${line}\r\n${lines}\r\n`;
const chunked = (body: string, lines = "") => post(`Transfer-Encoding: chunked\r\n${lines}`, body);

const SHAPES: Readonly<Record<string, readonly (readonly [name: string, wire: string, status?: number])[]>> =
  {
    "Ambiguous ends of a body": [
      ["two lengths that differ", post("Content-Length: 3\r\nContent-Length: 5\r\n", "abcde")],
      ["two lengths that agree", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc")],
      ["two lengths in different case", post("Content-Length: 3\r\ncONTENT-lENGTH: 0\r\n", "abc")],
      ["two lengths in one field", post("Content-Length: 3, 3\r\n", "abc")],
      ["two lengths apart", post("Content-Length: 3\r\nX: y\r\nContent-Length: 3\r\n", "abc")],
      ["a length and chunked", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")],
      ["chunked and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")],
      ["chunked and a length of 0", post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", "0\r\n\r\n")],
      ["chunked and a bad length", post("Transfer-Encoding: chunked\r\nContent-Length: x\r\n", "0\r\n\r\n")],
      ["identity and a length", post("Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "abc")],
      ["chunked in HTTP/1.0", `POST /echo HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ],
    "Invalid lengths": [
      ["an empty length", post("Content-Length:\r\n")],
      ["a blank length", post("Content-Length: \t\r\n")],
      ["a sign", post("Content-Length: +3\r\n", "abc")],
      ["a negative length", post("Content-Length: -1\r\n")],
      ["hexadecimal", post("Content-Length: 0x3\r\n", "abc")],
      ["an exponent", post("Content-Length: 1e1\r\n", "0123456789")],
      ["a fraction", post("Content-Length: 3.0\r\n", "abc")],
      ["a letter after it", post("Content-Length: 3a\r\n", "abc")],
      ["a space within", post("Content-Length: 1 2\r\n", "0123456789ab")],
      ["an underscore", post("Content-Length: 1_0\r\n", "0123456789")],
      ["a quoted length", post('Content-Length: "3"\r\n', "abc")],
      ["2^53", post("Content-Length: 9007199254740992\r\n")],
      ["2^64 + 3", post("Content-Length: 18446744073709551619\r\n", "abc")],
      ["too many zeros", post(`Content-Length: ${"0".repeat(20)}3\r\n`, "abc")],
      ["a digit of another script", post("Content-Length: \xd9\xa3\r\n", "abc")],
      ["a semicolon", post("Content-Length: 3;x\r\n", "abc")],
      ["a vertical tab before it", post("Content-Length:\x0b3\r\n", "abc")],
    ],
    "Codings other than chunked": [
      ["chunked not last", post("Transfer-Encoding: chunked, gzip\r\n")],
      ["chunked twice", post("Transfer-Encoding: chunked, chunked\r\n")],
      ["chunked in two fields", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")],
      ["chunked then identity", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")],
      ["nothing", post("Transfer-Encoding:\r\n")],
      ["an empty element", post("Transfer-Encoding: , chunked\r\n")],
      ["an empty element at the end", post("Transfer-Encoding: chunked,\r\n")],
      ["gzip under chunked", post("Transfer-Encoding: gzip, chunked\r\n"), 501],
      ["gzip alone", post("Transfer-Encoding: gzip\r\n"), 501],
      ["identity", post("Transfer-Encoding: identity\r\n"), 501],
      ["xchunked", post("Transfer-Encoding: xchunked\r\n"), 501],
      ["chunked with a letter after it", post("Transfer-Encoding: chunkedx\r\n"), 501],
      ["chunked with a parameter", post("Transfer-Encoding: chunked;q=1\r\n"), 501],
      ["chunked in quotes", post('Transfer-Encoding: "chunked"\r\n'), 501],
      ["chunked with a control character", post("Transfer-Encoding: \x0bchunked\r\n")],
      ["chunked with a byte over 0x7f", post("Transfer-Encoding: chunked\xa0\r\n"), 501],
      ["identity, then chunked", post("Transfer-Encoding: identity, chunked\r\n"), 501],
    ],
    "Invalid line ends": [
      ["a bare LF after the request line", `GET / HTTP/1.1\n${HOST}\r\n`],
      ["a bare LF after a field", `GET / HTTP/1.1\r\nHost: 127.0.0.1\nX: y\r\n\r\n`],
      ["a bare LF as the empty line", `GET / HTTP/1.1\r\n${HOST}\n`],
      ["LF alone everywhere", "GET / HTTP/1.1\nHost: 127.0.0.1\n\n"],
      ["a bare CR after the request line", `GET / HTTP/1.1\r${HOST}\r\n`],
      ["a bare CR in a value", get("GET / HTTP/1.1", `X: a\rContent-Length: 5\r\n${HOST}`)],
      ["a bare CR in a name", get("GET / HTTP/1.1", `X\r: a\r\n${HOST}`)],
      ["two CR before LF", get("GET / HTTP/1.1", `X: y\r\r\n${HOST}`)],
      ["LF CR", "GET / HTTP/1.1\n\rHost: 127.0.0.1\n\r\n\r"],
      ["an empty line and a bare LF", "\r\n\nGET / HTTP/1.1\r\n\r\n"],
      ["an empty line and a bare CR", `\r\n\rGET / HTTP/1.1\r\n${HOST}\r\n`],
      ["a line of one space before the request", ` \r\nGET / HTTP/1.1\r\n${HOST}\r\n`],
      ["a CR before the empty line", `GET / HTTP/1.1\r\n${HOST}\r\r\n\r\n`],
    ],
    "Invalid field lines": [
      ["a space before the colon", post("Content-Length : 3\r\n", "abc")],
      ["a tab before the colon", post("Content-Length\t: 3\r\n", "abc")],
      ["a space before the colon of a coding", post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n")],
      ["a folded line", get("GET / HTTP/1.1", `${HOST}X: a\r\n b\r\n`)],
      ["a folded line with a tab", get("GET / HTTP/1.1", `${HOST}X: a\r\n\tTransfer-Encoding: chunked\r\n`)],
      ["a space before the first field", get("GET / HTTP/1.1", ` ${HOST}`)],
      ["no colon", get("GET / HTTP/1.1", `${HOST}Transfer-Encoding\r\n`)],
      ["no name", get("GET / HTTP/1.1", `${HOST}: chunked\r\n`)],
      ["NUL in a name", post("Content\0-Length: 3\r\n", "abc")],
      ["NUL in a value", post("Content-Length: 3\0\r\n", "abc")],
      ["NUL in any value", get("GET / HTTP/1.1", `${HOST}X: a\0b\r\n`)],
      ["DEL in a value", get("GET / HTTP/1.1", `${HOST}X: a\x7fb\r\n`)],
      ["a form feed in a value", get("GET / HTTP/1.1", `${HOST}X: a\x0cb\r\n`)],
      ["a byte over 0x7f in a name", post("Content-Length\xa0: 3\r\n", "abc")],
      ["a bracket in a name", get("GET / HTTP/1.1", `${HOST}X[]: a\r\n`)],
      ["a space in a name", get("GET / HTTP/1.1", `${HOST}X Y: a\r\n`)],
      ["a quote in a name", get("GET / HTTP/1.1", `${HOST}"X": a\r\n`)],
      ["a comma in a name", post("Content-Length,: 3\r\n", "abc")],
    ],
    "Hosts in doubt": [
      ["none", "GET / HTTP/1.1\r\n\r\n"],
      ["two", get("GET / HTTP/1.1", `${HOST}${HOST}`)],
      ["two that differ", get("GET / HTTP/1.1", `${HOST}Host: evil.example\r\n`)],
      ["two in HTTP/1.0", get("GET / HTTP/1.0", `${HOST}host: localhost\r\n`)],
      ["a user in the target", get("GET http://user@127.0.0.1/ HTTP/1.1")],
      ["no host in the target", get("GET http:///path HTTP/1.1")],
    ],
    "Invalid request lines": [
      ["two spaces before the target", get("GET  / HTTP/1.1")],
      ["two spaces before the version", get("GET /  HTTP/1.1")],
      ["a space after the version", get("GET / HTTP/1.1 ")],
      ["a space in the target", get("GET /a b HTTP/1.1")],
      ["a tab between", get("GET\t/\tHTTP/1.1")],
      ["a space before the method", get(" GET / HTTP/1.1")],
      ["no version", get("GET /")],
      ["no target", get("GET HTTP/1.1")],
      ["no method", get(" / HTTP/1.1")],
      ["a version in lower case", get("GET / http/1.1")],
      ["a version without a dot", get("GET / HTTP/11")],
      ["a version with two digits", get("GET / HTTP/1.10")],
      ["a version with a letter after it", get("GET / HTTP/1.1x")],
      ["another protocol", get("GET / RTSP/1.0")],
      ["HTTP/0.9", get("GET / HTTP/0.9"), 505],
      ["HTTP/1.2", get("GET / HTTP/1.2"), 505],
      ["HTTP/2.0", get("GET / HTTP/2.0"), 505],
      ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
      ["a colon in the method", get("GE:T / HTTP/1.1")],
      ["NUL in the method", get("GET\0 / HTTP/1.1")],
      ["NUL in the target", get("GET /\0 HTTP/1.1")],
      ["DEL in the target", get("GET /\x7f HTTP/1.1")],
      ["a byte over 0x7f in the target", get("GET /\xe4 HTTP/1.1")],
      ["a fragment", get("GET /#a HTTP/1.1")],
      ["an asterisk for GET", get("GET * HTTP/1.1")],
      ["a relative target", get("GET hello HTTP/1.1")],
      ["an authority for GET", get("GET 127.0.0.1:8080 HTTP/1.1")],
      ["https in the target", get("GET https://127.0.0.1/ HTTP/1.1")],
      ["a tunnel", get("CONNECT 127.0.0.1:22 HTTP/1.1"), 501],
      ["a request line over its limit", get(`GET /${"a".repeat(4000)} HTTP/1.1`), 414],
      ["a head over its limit", get("GET / HTTP/1.1", `${HOST}X: ${"a".repeat(4096)}\r\n`), 431],
      ["too many fields", get("GET / HTTP/1.1", HOST + "X: y\r\n".repeat(1000)), 431],
    ],
    "Invalid chunks": [
      ["no size", chunked("\r\nabc\r\n0\r\n\r\n")],
      ["a size with a prefix", chunked("0x3\r\nabc\r\n0\r\n\r\n")],
      ["a size with a sign", chunked("+3\r\nabc\r\n0\r\n\r\n")],
      ["a negative size", chunked("-1\r\nabc\r\n0\r\n\r\n")],
      ["a size that is not a number", chunked("xyz\r\nabc\r\n0\r\n\r\n")],
      ["a space before the size", chunked(" 3\r\nabc\r\n0\r\n\r\n")],
      ["a space after the size", chunked("3 \r\nabc\r\n0\r\n\r\n")],
      ["a tab after the size", chunked("3\t\r\nabc\r\n0\r\n\r\n")],
      ["a space before the extension", chunked("3 ;x\r\nabc\r\n0\r\n\r\n")],
      ["a size with an underscore", chunked("1_0\r\n0123456789abcdef\r\n0\r\n\r\n")],
      ["a size of 2^53", chunked("20000000000000\r\nabc\r\n0\r\n\r\n")],
      ["a size of 2^64", chunked("10000000000000000\r\nabc\r\n0\r\n\r\n")],
      ["too many zeros", chunked(`${"0".repeat(17)}3\r\nabc\r\n0\r\n\r\n`)],
      ["a bare LF after the size", chunked("3\nabc\r\n0\r\n\r\n")],
      ["a bare CR after the size", chunked("3\rabc\r\n0\r\n\r\n")],
      ["a bare LF in the extension", chunked("3;x\nabc\r\n0\r\n\r\n")],
      ["a bare CR in the extension", chunked("3;x\ry\r\nabc\r\n0\r\n\r\n")],
      ["NUL in the extension", chunked("3;\0\r\nabc\r\n0\r\n\r\n")],
      ["a long extension", chunked(`3;${"x".repeat(129)}\r\nabc\r\n0\r\n\r\n`)],
      ["an extension without a name", chunked("3;\r\nabc\r\n0\r\n\r\n")],
      ["an extension with an unclosed quote", chunked('3;x="y\r\nabc\r\n0\r\n\r\n')],
      ["an extension without a value", chunked("3;x=\r\nabc\r\n0\r\n\r\n")],
      ["an extension with a space", chunked("3;x y\r\nabc\r\n0\r\n\r\n")],
      ["many extensions", chunked(`1;${"x".repeat(100)}\r\na\r\n`.repeat(11))],
      ["a chunk longer than its size", chunked("2\r\nabc\r\n0\r\n\r\n")],
      ["a chunk shorter than its size", chunked("4\r\nabc\r\n0\r\n\r\n")],
      ["a bare LF after a chunk", chunked("3\r\nabc\n0\r\n\r\n")],
      ["two bytes instead of CRLF after a chunk", chunked("3\r\nabcXX0\r\n\r\n")],
      ["a bare LF after the last size", chunked("0\n\r\n")],
      ["a bare LF at the end", chunked("0\r\n\n")],
      ["a bare CR at the end", chunked("0\r\n\rX")],
      ["a folded trailer", chunked("0\r\nX: y\r\n z\r\n\r\n")],
      ["a trailer without a colon", chunked("0\r\nX\r\n\r\n")],
      ["a trailer with a space before the colon", chunked("0\r\nX : y\r\n\r\n")],
      ["a trailer without a name", chunked("0\r\n: y\r\n\r\n")],
      ["a bare LF after a trailer", chunked("0\r\nX: y\n\r\n")],
      ["NUL in a trailer", chunked("0\r\nX: \0\r\n\r\n")],
      ["long trailers", chunked(`0\r\n${`X: ${"y".repeat(100)}\r\n`.repeat(11)}\r\n`)],
      ["a request in the place of a trailer", chunked("0\r\nGET /hello?smuggled HTTP/1.1\r\n\r\n")],
    ],
  };

describe.each(Object.entries(SHAPES))("%s", (_, shapes) => {
  for (const [name, wire, status = 400] of shapes)
    test(`${name}: ${status}`, () => {
      for (const pieces of [[wire + SMUGGLED], [...wire, ...SMUGGLED]]) {
        const { api, connect } = serve();
        const peer = connect();
        for (const piece of pieces) peer.send(piece);
        const responses = readResponses(peer.take());
        expect(responses.map((response) => response.status)).toEqual([status]);
        expect(responses[0]?.fields.get("connection")).toBe("close");
        expect(responses[0]?.json["error"]).toBeTypeOf("string");
        expect(peer.isClosed).toBe(true);
        expect(api.events).not.toContain("end");
      }
    });
});

test("There are at least 80 shapes with distinct names and bytes", () => {
  const shapes = Object.values(SHAPES).flat();
  expect(shapes.length).toBeGreaterThanOrEqual(80);
  expect(new Set(shapes.map(([, wire]) => wire)).size).toBe(shapes.length);
});
