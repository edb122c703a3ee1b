/** Heads, targets and framing (docs/spec/http.md#messages). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BearerAuthenticator,
  bearerToken,
  checkSource,
  type SourceRules,
} from "../../../../device/services/http/request-guard.js";
import { PARAMETER_LIMIT, parseTarget } from "../../../../device/services/http/request-head.js";
import {
  LIST_LIMIT,
  LIST_LIMIT_CHARACTERS,
  VALUE_LIMIT_CHARACTERS,
} from "../../../../protocol/http/fields.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { parseHead } from "./head.js";

const code = (expected: string) => expect.objectContaining({ name: "Fault", code: expected });

/** First, following and impossible bytes of UTF-8, at the borders of what may follow what. */
const ESCAPES = [
  ...["%00", "%2F", "%41", "%7F", "%80", "%8F", "%90", "%9F", "%A0", "%BF", "%C0", "%C2", "%DF"],
  ...["%E0", "%E1", "%ED", "%EF", "%F0", "%F4", "%F5", "%FF", "a", "%", "%c3%a4", "%EF%BB%BF"],
];

describe("parseRequestHead", () => {
  test("reads the known fields, whatever the case of their names", () => {
    const { fields, ...head } = parseHead(
      "POST /a?b HTTP/1.1\r\nhOsT: Console.LOCAL:8080\r\nContent-LENGTH:\t 12 \r\nX-Any:a\r\nx-any: b\r\n\r\n",
    );
    expect(head).toEqual({
      method: "POST",
      target: "/a?b",
      host: "console.local:8080",
      version: "1.1",
      framing: { kind: "length", byteLength: 12 },
      isPersistent: true,
    });
    expect(fields.list("x-any")).toBe("a, b");
    expect(() => fields.single("x-any")).toThrow(code("bad_request"));
    expect(fields.single("x-other")).toBeUndefined();
    expect(fields.hasToken("x-any", "b")).toBe(true);
    expect(fields.hasToken("x-any", "c")).toBe(false);
  });

  const LISTS = ["a,", ",", " ,\t", "close2,", "a;b=c,"];
  for (const member of LISTS)
    for (const field of ["Connection", "Transfer-Encoding"])
      test(`rejects a repeated ${JSON.stringify(member)} in ${field}`, () => {
        const list = member.repeat(Math.floor(3900 / member.length));
        expect(() => parseHead(`GET / HTTP/1.1\r\nHost: a\r\n${field}: ${list}\r\n\r\n`)).toThrow(
          expect.objectContaining({
            name: "Fault",
            status: expect.toSatisfy((status) => [400, 431].includes(status)),
          }),
        );
      });

  test(`accepts lists of ${LIST_LIMIT} members, in one line or several`, () => {
    const list = "a, ".repeat(LIST_LIMIT - 1);
    expect(parseHead(`GET / HTTP/1.1\r\nHost: a\r\nConnection: ${list}close\r\n\r\n`).isPersistent).toBe(
      false,
    );
    const lines = "Connection: a\r\n".repeat(LIST_LIMIT - 1);
    expect(parseHead(`GET / HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`).isPersistent).toBe(
      false,
    );
    expect(() => parseHead(`GET / HTTP/1.1\r\nHost: a\r\nConnection: ${list}a, a\r\n\r\n`)).toThrow(
      code("head_too_large"),
    );
  });

  for (const field of ["Connection", "Transfer-Encoding"])
    test(`accepts a list of ${LIST_LIMIT_CHARACTERS} characters in ${field}, in one line or several, and no more`, () => {
      const list = "a".repeat(LIST_LIMIT_CHARACTERS + 1);
      expect(() => parseHead(`GET / HTTP/1.1\r\nHost: a\r\n${field}: ${list}\r\n\r\n`)).toThrow(
        code("head_too_large"),
      );
      const lines = `${field}: ${"a".repeat(LIST_LIMIT_CHARACTERS / 2)}\r\n`.repeat(2);
      expect(() => parseHead(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)).toThrow(code("head_too_large"));
      const longest = `GET / HTTP/1.1\r\nHost: a\r\n${field}: ${list.slice(2)}\r\n\r\n`;
      if (field === "Connection") expect(parseHead(longest).isPersistent).toBe(true);
      else expect(() => parseHead(longest)).toThrow(code("not_implemented"));
    });

  test(`accepts a value of ${VALUE_LIMIT_CHARACTERS} characters for a single field, and no more`, () => {
    const head = (length: number) =>
      parseHead(`GET / HTTP/1.1\r\nHost: a\r\nX:${"a".repeat(length)}\r\n\r\n`);
    expect(head(VALUE_LIMIT_CHARACTERS).fields.single("x")).toHaveLength(VALUE_LIMIT_CHARACTERS);
    expect(() => head(VALUE_LIMIT_CHARACTERS + 1).fields.single("x")).toThrow(code("head_too_large"));
  });

  test("does not find a field in the value, the name or the target of another", () => {
    const { fields } = parseHead(
      "GET /upgrade: HTTP/1.1\r\nHost: a\r\nX-Upgrade: b\r\nUpgrade-X: c\r\nY: upgrade: d\r\n\r\n",
    );
    expect(fields.list("upgrade")).toBeUndefined();
  });

  test("keeps offsets correct beside opaque bytes that Unicode would fold", () => {
    const { fields } = parseHead(
      "GET / HTTP/1.1\r\nX: \xc4\xb0\xe2\x84\xaa\xff\r\nHost: a\r\nOrigin: http://a\r\n\r\n",
    );
    expect(fields.single("origin")).toBe("http://a");
    expect(fields.single("x")).toBe("??????");
  });

  for (const length of ["0", "00", "007", "9007199254740991"])
    test(`accepts a length of ${length}`, () => {
      const { framing } = parseHead(`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
      expect(framing).toEqual(
        Number(length) === 0 ? { kind: "none" } : { kind: "length", byteLength: Number(length) },
      );
    });

  test("accepts chunked in any case", () => {
    expect(parseHead("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n").framing.kind).toBe(
      "chunked",
    );
  });

  const TARGETS = [
    ["GET", "http://Other.local:1/a?b", "/a?b", "other.local:1"],
    ["GET", "HTTP://other", "/", "other"],
    ["GET", "http://other?a", "/?a", "other"],
    ["GET", "//double", "//double", "a"],
    ["OPTIONS", "*", "*", "a"],
  ] as const;
  for (const [method, wire, target, host] of TARGETS)
    test(`converts ${method} ${wire} to the origin form`, () => {
      expect(parseHead(`${method} ${wire} HTTP/1.1\r\nHost: a\r\n\r\n`)).toMatchObject({ target, host });
    });

  test("does not require Host in HTTP/1.0", () => {
    expect(parseHead("GET / HTTP/1.0\r\n\r\n").host).toBeUndefined();
  });
});

describe("parseTarget", () => {
  const TARGETS: readonly (readonly [target: string, path: string, parameters: Record<string, string>])[] = [
    ["/", "/", {}],
    ["/a?", "/a", {}],
    ["/a?b", "/a", { b: "" }],
    ["/a?b=", "/a", { b: "" }],
    ["/a?b=c=d?e", "/a", { b: "c=d?e" }],
    ["/a?&&b=1&&c=2&", "/a", { b: "1", c: "2" }],
    ["/%61pi?%62=%C3%A4", "/api", { b: "ä" }],
    ["/a?c=app+list%2B", "/a", { c: "app list+" }],
    ["/a+b", "/a+b", {}],
    [
      "/a?__proto__=x&constructor=y",
      "/a",
      Object.fromEntries([
        ["__proto__", "x"],
        ["constructor", "y"],
      ]),
    ],
    ["/a?b=%00", "/a", { b: "\0" }],
  ];
  for (const [target, path, parameters] of TARGETS)
    test(`reads ${target}`, () => {
      const parsed = parseTarget(target);
      expect(parsed.path).toBe(path);
      expect(Object.fromEntries(parsed.parameters)).toEqual(parameters);
    });

  for (const target of ["/%", "/%4", "/%zz", "/%ff", "/%C3", "/%ED%A0%80", "/%C0%80", "/a?%=1", "/a?b=%e4"])
    test(`rejects the encoding of ${target}`, () => {
      expect(() => parseTarget(target)).toThrow(code("bad_encoding"));
    });

  for (const escaped of [
    ...[
      "%C0%AF",
      "%C1%BF",
      "%E0%80%AF",
      "%E0%9F%BF",
      "%F0%80%80%AF",
      "%F0%8F%BF%BF",
      "%ED%BF%BF",
      "%F4%90%80%80",
    ],
    ...[
      "%F5%80%80%80",
      "%F8%88%80%80%80",
      "%E2%82",
      "%E2%28%A1",
      "%F0%9F%98",
      "%80",
      "%FE",
      "%+1",
      "%u0041",
      "a%",
    ],
  ])
    test(`rejects ${escaped} in a path, a name and a value`, () => {
      for (const target of [`/${escaped}`, `/a?${escaped}=1`, `/a?b=${escaped}`, `/a?b=+${escaped}+&c`])
        expect(() => parseTarget(target)).toThrow(code("bad_encoding"));
    });

  test("accepts the maximum number of parameters, including empty ones", () => {
    const most = Array.from({ length: PARAMETER_LIMIT }, (_, at) => `p${at}`).join("&");
    expect(parseTarget(`/a?${most}`).parameters.size).toBe(PARAMETER_LIMIT);
    for (const query of [
      `${most}&`,
      `&${most}`,
      "&".repeat(PARAMETER_LIMIT),
      "&".repeat(3000),
      "a&".repeat(3),
    ])
      if (query !== "a&a&a&") expect(() => parseTarget(`/a?${query}`)).toThrow(code("bad_request"));
  });

  test("property: reads what encodeURIComponent and URLSearchParams write", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (name, value) => {
        const path = encodeURIComponent(name);
        const target = `/${path}?${new URLSearchParams([["a", value]])}&${path || "b"}b=${encodeURIComponent(value)}`;
        const { path: read, parameters } = parseTarget(target);
        expect([read, parameters.get("a"), parameters.get(`${name || "b"}b`)]).toEqual([
          `/${name}`,
          value,
          value,
        ]);
      }),
    ));

  test("property: reads escapes as ECMAScript's decodeURIComponent does", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ESCAPES), { maxLength: 6 }), (escapes) => {
        const text = escapes.join("");
        let expected: string | undefined;
        try {
          expected = `/${decodeURIComponent(text)}`;
        } catch {
          expect(() => parseTarget(`/${text}`)).toThrow(code("bad_encoding"));
        }
        if (expected !== undefined) expect(parseTarget(`/${text}`).path).toBe(expected);
      }),
      { numRuns: 2000 },
    ));

  for (const target of ["/a?b=1&b=2", "/a?b&b", "/a?b=1&%62=1"])
    test(`rejects a repeated parameter in ${target}`, () => {
      expect(() => parseTarget(target)).toThrow(code("duplicate_parameter"));
    });
});

describe("checkSource", () => {
  const source = (host: string | undefined, origin?: string) => {
    const lines = [
      ...(host === undefined ? ["GET / HTTP/1.0"] : ["GET / HTTP/1.1", `Host: ${host}`]),
      ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ];
    return parseHead(`${lines.join("\r\n")}\r\n\r\n`).fields;
  };
  const RULES: SourceRules = { allowedOrigins: ["https://console.example"] };

  for (const host of [
    "127.0.0.1",
    "192.168.1.20:8080",
    "[::1]:8080",
    "[fe80::1]",
    "localhost",
    "localhost:1",
    "console-1a2b.local",
    "a.b.local:80",
    "console.local.",
    "10.0.0.1:",
  ])
    test(`accepts the host ${host}`, () => {
      expect(checkSource(source(host), RULES)).toBeUndefined();
    });

  for (const host of [
    "evil.example",
    "evil.example:8080",
    "local",
    ".local",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "evillocal",
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "0x7f.1",
    "2130706433",
    "",
  ])
    test(`rejects the host "${host}" as foreign`, () => {
      expect(() => checkSource(source(host), RULES)).toThrow(code("foreign_host"));
    });

  for (const host of [
    "a b",
    "a@b.local",
    "a.local:x",
    "a.local:123456",
    "a.local:80:80",
    "[::1",
    "::1",
    "[evil.example]",
    "a/b.local",
    "a%2elocal",
    "a,b.local",
  ])
    test(`rejects "${host}", which is not a host`, () => {
      expect(() => checkSource(source(host), RULES)).toThrow(code("bad_request"));
    });

  test("accepts the origin equal to the host, without CORS", () => {
    expect(checkSource(source("console.local:8080", "http://Console.local:8080"), RULES)).toBeUndefined();
  });

  test("accepts a listed origin and returns it for CORS", () => {
    expect(checkSource(source("console.local:8080", "https://console.example"), RULES)).toBe(
      "https://console.example",
    );
  });

  for (const origin of [
    "null",
    "",
    "http://evil.example",
    "http://console.local",
    "https://console.local:8080",
    "http://console.local:80801",
    "http://console.local:8080/",
    "https://console.example.evil",
    "https://console.example:444",
  ])
    test(`rejects the origin "${origin}"`, () => {
      expect(() => checkSource(source("console.local:8080", origin), RULES)).toThrow(code("foreign_origin"));
    });

  test("accepts a page of the console's own HTTP port on another port", () => {
    const rules = { allowedOrigins: [], pagePort: 8080 };
    expect(checkSource(source("console.local:8081", "http://console.local:8080"), rules)).toBeUndefined();
    expect(
      checkSource(source("127.0.0.1:8081", "http://127.0.0.1"), { ...rules, pagePort: 80 }),
    ).toBeUndefined();
    expect(() => checkSource(source("console.local:8081", "http://other.local:8080"), rules)).toThrow(
      code("foreign_origin"),
    );
  });

  test("accepts no origin as its own if no host was named", () => {
    expect(() => checkSource(source(undefined, "http://undefined"), RULES)).toThrow(code("foreign_origin"));
    expect(checkSource(source(undefined), RULES)).toBeUndefined();
  });
});

describe("BearerAuthenticator", () => {
  const TOKEN = "0123456789abcdef";
  function gate(isRequired = true) {
    const clock = new EmulatedClock();
    const token = { value: TOKEN };
    return { clock, token, gate: new BearerAuthenticator({ isRequired, token, clock }) };
  }

  test("accepts every request while auth is off", () => {
    expect(() => gate(false).gate.check("a", undefined)).not.toThrow();
  });

  for (const presented of [
    undefined,
    "",
    "0123456789abcde",
    `${TOKEN}0`,
    "0123456789abcdeF",
    "\u{100}123456789abcdef",
  ])
    test(`rejects ${presented}`, () => {
      expect(() => gate().gate.check("a", presented)).toThrow(code("unauthorized"));
    });

  test("accepts a new token at once, and rejects the old one", () => {
    const { gate: bearer, token } = gate();
    bearer.check("a", TOKEN);
    token.value = "another";
    expect(() => bearer.check("a", TOKEN)).toThrow(code("unauthorized"));
    expect(() => bearer.check("a", "another")).not.toThrow();
  });

  test("counts wrong tokens, not missing ones, for each address", () => {
    const { gate: bearer } = gate();
    const attempt = (address: string, token: string | undefined) => () => bearer.check(address, token);
    for (let n = 0; n < 100; n++) expect(attempt("a", undefined)).toThrow(code("unauthorized"));
    for (let n = 0; n < 10; n++) expect(attempt("a", "wrong")).toThrow(code("unauthorized"));
    expect(attempt("a", TOKEN)).toThrow(code("too_many_attempts"));
    expect(attempt("b", TOKEN)).not.toThrow();
  });

  test("returns the remaining wait, until the minute is over", () => {
    const { gate: bearer, clock } = gate();
    for (let n = 0; n < 10; n++) expect(() => bearer.check("a", "wrong")).toThrow();
    clock.advance(59_999);
    expect(() => bearer.check("a", TOKEN)).toThrow(
      expect.objectContaining({ details: { retry_after_s: 1 } }),
    );
    clock.advance(1);
    expect(() => bearer.check("a", TOKEN)).not.toThrow();
  });

  test("no number of other addresses lifts the block of one", () => {
    const { gate: bearer, clock } = gate();
    const fail = (address: string) =>
      expect(() => bearer.check(address, "wrong")).toThrow(code("unauthorized"));
    for (let n = 0; n < 10; n++) fail("first");
    for (let n = 0; n < 40; n++) fail(`other ${n}`);
    expect(() => bearer.check("first", TOKEN)).toThrow(code("too_many_attempts"));
    expect(() => bearer.check("another", TOKEN)).not.toThrow();
    clock.advance(60_000);
    expect(() => bearer.check("first", TOKEN)).not.toThrow();
  });

  test("while sixteen addresses are blocked, so are all others", () => {
    const { gate: bearer, clock } = gate();
    for (let n = 0; n < 16; n++)
      for (let attempt = 0; attempt < 10; attempt++)
        expect(() => bearer.check(`10.0.0.${n}`, "wrong")).toThrow(code("unauthorized"));
    expect(() => bearer.check("one more", TOKEN)).toThrow(code("too_many_attempts"));
    clock.advance(60_000);
    expect(() => bearer.check("one more", TOKEN)).not.toThrow();
  });

  test("counts the addresses of an IPv6 network as one", () => {
    const { gate: bearer } = gate();
    for (let n = 0; n < 10; n++)
      expect(() => bearer.check(`2001:db8::${n + 1}`, "wrong")).toThrow(code("unauthorized"));
    expect(() => bearer.check("2001:db8::ff", TOKEN)).toThrow(code("too_many_attempts"));
    expect(() => bearer.check("2001:db8:0:1::1", TOKEN)).not.toThrow();
  });

  test("finds the token only after its scheme", () => {
    expect(bearerToken("bEARER  abc ")).toBe("abc");
    expect(bearerToken("Basic abc")).toBeUndefined();
    expect(bearerToken("Bearerabc")).toBeUndefined();
    expect(bearerToken(undefined)).toBeUndefined();
  });
});
