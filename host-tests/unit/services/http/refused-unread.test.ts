/**
 * A request that its Host, its Origin or its token rules out is refused for that, and its query is not looked at
 * (docs/spec/http.md#unread-refused).
 */
import { expect, test } from "vitest";
import { readResponse, serve } from "./served.js";

const UNREADABLE = ["&".repeat(3000), "a&".repeat(1500), "a&a", "%", "a=%C0%AF", "+".repeat(3000)];
const SOURCES = [
  { name: "a foreign Host", head: "Host: evil.example\r\n", status: 403, error: "foreign_host" },
  {
    name: "a foreign Origin",
    head: "Host: 10.0.0.1\r\nOrigin: http://evil.example\r\n",
    status: 403,
    error: "foreign_origin",
  },
  { name: "a missing token", head: "Host: 10.0.0.1\r\n", status: 401, error: "unauthorized" },
  {
    name: "a wrong token",
    head: "Host: 10.0.0.1\r\nAuthorization: Bearer guess\r\n",
    status: 401,
    error: "unauthorized",
  },
];
for (const { name, head, status, error } of SOURCES)
  test(`a request with ${name} is rejected for that, whatever its query`, () => {
    for (const query of UNREADABLE) {
      const { connect } = serve({ token: "right" });
      const peer = connect();
      peer.send(`GET /hello?${query} HTTP/1.1\r\n${head}\r\n`);
      expect(readResponse(peer.take())).toMatchObject({ status, json: { error } });
    }
  });

test("a permitted request is rejected for its query", () => {
  for (const query of UNREADABLE.slice(0, 5)) {
    const { connect } = serve({ token: "right" });
    const peer = connect();
    peer.send(`GET /hello?${query} HTTP/1.1\r\nHost: 10.0.0.1\r\nAuthorization: Bearer right\r\n\r\n`);
    expect(readResponse(peer.take()).status).toBe(400);
  }
});

test("a rejection quotes only the beginning of the rejected text", () => {
  for (const target of [`/?${"%01".repeat(900)}&${"%01".repeat(900)}`, `/%${"a".repeat(3000)}`]) {
    const peer = serve().connect();
    peer.send(`GET ${target} HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n`);
    expect(readResponse(peer.take()).body.length).toBeLessThan(800);
  }
});
