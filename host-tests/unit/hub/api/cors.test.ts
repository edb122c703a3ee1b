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

describe("An answer to a page of another origin may be read by it, with what it says of itself,", () => {
  for (const { what, url, status } of [
    { what: "where it is what was asked for", url: "/api/v1/things", status: 200 },
    { what: "where there is nothing", url: "/api/v1/nothing", status: 404 },
    { what: "where the hub has failed", url: "/api/v1/broken", status: 500 },
    { what: "where the path is none", url: "/api/v1/%zz", status: 400 },
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

test("An answer that no page has asked for may be read by one later, from what the browser has kept", async () => {
  const { server } = await served(ROWS);
  const { headers } = await server.inject("/api/v1/things");
  expect(headers["access-control-allow-origin"]).toBe("*");
  expect(headers).not.toHaveProperty("access-control-expose-headers");
});

describe("What operators ask without a token is for no page of another origin:", () => {
  for (const url of ["/api/v1/health/ready", "/api/v1/metrics", "/api/v1/%6detrics?x=1"])
    test(url, async () => {
      const { server } = await served(FOR_OPERATORS);
      const answer = await server.inject({ url, headers: { origin: ORIGIN } });
      expect(answer.statusCode).toBe(200);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    });
});

test("Whether there is a hub, a page of another origin may ask", async () => {
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

  test("of a page from the internet is told that it may reach into a private network", async () => {
    const answer = await preflight("/api/v1/things", { "access-control-request-private-network": "true" });
    expect(answer.headers["access-control-allow-private-network"]).toBe("true");
  });

  test("is no preflight without an origin: OPTIONS is about the path", async () => {
    const { server } = await served(ROWS);
    const answer = await server.inject({ method: "OPTIONS", url: "/api/v1/things" });
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await server.inject({ method: "OPTIONS", url: "/api/v1/nothing" })).statusCode).toBe(404);
  });
});
