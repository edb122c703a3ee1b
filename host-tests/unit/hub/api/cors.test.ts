/** The hub for pages of other origins: every answer may be read, with tokens and without cookies. */
import { describe, expect, test } from "vitest";
import { type Endpoint, endpoint } from "../../../../hub/api/endpoint.js";
import { served } from "./served.js";

const common = { tag: "Test", summary: "", answers: { 200: null }, faults: [] } as const;
const ROWS: readonly Endpoint[] = [
  endpoint({ ...common, method: "GET", path: "/things", access: "anyone", handle: () => [] }),
  endpoint({
    ...common,
    method: "GET",
    path: "/broken",
    access: "anyone",
    handle: () => {
      throw new TypeError("a bug");
    },
  }),
];
const FOR_OPERATORS = ["/health/live", "/health/ready", "/metrics"].map((path) =>
  endpoint({ ...common, method: "GET", path, access: "anyone", handle: () => [] }),
);
const ORIGIN = "http://console-1a2b.local:8080";

describe("A page of another origin may read an answer and its headers", () => {
  for (const { what, url, status } of [
    { what: "of a matching endpoint", url: "/api/v1/things", status: 200 },
    { what: "of an unknown path", url: "/api/v1/nothing", status: 404 },
    { what: "of an internal error", url: "/api/v1/broken", status: 500 },
    { what: "of an invalid path", url: "/api/v1/%zz", status: 400 },
  ])
    test(what, async () => {
      const { server } = await served(ROWS);
      const answer = await server.inject({ url, headers: { origin: ORIGIN } });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      const exposed = String(answer.headers["access-control-expose-headers"]).split(", ");
      for (const name of ["x-svc-signature", "x-svc-publisher-signature", "etag", "retry-after"])
        expect(exposed).toContain(name);
      expect(answer.headers).not.toHaveProperty("access-control-allow-credentials");
    });
});

test("A page may read an answer from the browser's cache that was requested without an origin", async () => {
  const { server } = await served(ROWS);
  const { headers } = await server.inject("/api/v1/things");
  expect(headers["access-control-allow-origin"]).toBe("*");
  expect(headers).not.toHaveProperty("access-control-expose-headers");
});

describe("No page of another origin may read what operators read without a token:", () => {
  for (const url of ["/api/v1/health/ready", "/api/v1/metrics", "/api/v1/%6detrics?x=1"])
    test(url, async () => {
      const { server } = await served(FOR_OPERATORS);
      const answer = await server.inject({ url, headers: { origin: ORIGIN } });
      expect(answer.statusCode).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    });
});

test("A page of another origin may read whether there is a hub", async () => {
  const { server } = await served(FOR_OPERATORS);
  const answer = await server.inject({ url: "/api/v1/health/live", headers: { origin: ORIGIN } });
  expect(answer.headers["access-control-allow-origin"]).toBe("*");
});

describe("A preflight", () => {
  const preflight = async (url: string, headers: Record<string, string> = {}) => {
    const { server } = await served(ROWS);
    const asked = { origin: ORIGIN, "access-control-request-method": "DELETE", ...headers };
    return server.inject({ method: "OPTIONS", url, headers: asked });
  };

  for (const url of ["/api/v1/things", "/api/v1/nothing", "/"])
    test(`is answered at ${url}, without a token`, async () => {
      const answer = await preflight(url);
      expect([answer.statusCode, answer.body]).toEqual([204, ""]);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(String(answer.headers["access-control-allow-methods"]).split(", ")).toEqual(
        expect.arrayContaining(["GET", "POST", "PUT", "DELETE"]),
      );
      expect(String(answer.headers["access-control-allow-headers"]).split(", ")).toEqual(
        expect.arrayContaining(["authorization", "content-type", "range", "if-none-match"]),
      );
      expect(answer.headers).not.toHaveProperty("access-control-allow-private-network");
    });

  test("of a public page permits access to a private network", async () => {
    const answer = await preflight("/api/v1/things", { "access-control-request-private-network": "true" });
    expect(answer.headers["access-control-allow-private-network"]).toBe("true");
  });

  test("needs an origin: without one, OPTIONS describes the path", async () => {
    const { server } = await served(ROWS);
    const answer = await server.inject({ method: "OPTIONS", url: "/api/v1/things" });
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await server.inject({ method: "OPTIONS", url: "/api/v1/nothing" })).statusCode).toBe(404);
  });
});
