import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import Type from "typebox";
import { expect, test } from "vitest";
import { endpoint } from "../../../../hub/api/endpoint.js";
import { databaseError } from "../../../../hub/database/database-unavailable.js";
import { Fault } from "../../../../protocol/fault.js";
import { oneOf } from "../../../../protocol/schema.js";
import { served } from "./served.js";

const COMMON = { tag: "Things", summary: "A thing.", access: "anyone", faults: [] } as const;

/** What a handler throws, by the name in the path. */
const FAILURES: Readonly<Record<string, () => unknown>> = {
  fault: () => new Fault("app_not_found", 'No app is named "tetris"'),
  details: () => new Fault("too_many_attempts", "Slowly", { details: { retry_after_s: 7 } }),
  bug: () => new TypeError("the secret is 42"),
  refused: () => databaseError(Object.assign(new Error("connect"), { code: "ECONNREFUSED" })),
  terminated: () => databaseError(new Error("Connection terminated unexpectedly")),
  shutdown: () => databaseError(Object.assign(new Error("the system is shutting down"), { code: "57P01" })),
  full: () => databaseError(Object.assign(new Error("write"), { code: "ENOSPC" })),
  sqlite_full: () =>
    databaseError(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })),
};

const ROWS = [
  endpoint({
    ...COMMON,
    method: "GET",
    path: "/things/:id",
    parameters: Type.Object({ id: Type.String() }),
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 1 })),
      all: Type.Optional(Type.Boolean()),
      kind: Type.Optional(oneOf(["small", "large"])),
    }),
    answers: {
      200: Type.Object({
        id: Type.String(),
        page: Type.Optional(Type.Integer()),
        all: Type.Optional(Type.Boolean()),
        note: Type.Union([Type.String(), Type.Null()]),
      }),
    },
    handle: (_services, { parameters, query }) => ({ ...parameters, ...query, note: null, secret: "kept" }),
  }),
  endpoint({
    ...COMMON,
    method: "POST",
    path: "/things",
    body: Type.Object({
      name: Type.String({ maxLength: 8 }),
      filter: Type.Optional(
        Type.Object({ arch: Type.Optional(Type.String()) }, { additionalProperties: false }),
      ),
      steps: Type.Optional(Type.Array(Type.Object({ percent: Type.Integer({ maximum: 100 }) }))),
    }),
    answers: { 201: Type.Object({ name: Type.String() }) },
    handle: (_services, { body, reply }) => {
      reply.code(201);
      return { name: body.name };
    },
  }),
  endpoint({
    ...COMMON,
    method: "PUT",
    path: "/things",
    body: Type.Object({ version: Type.Optional(Type.String()) }),
    answers: { 204: null },
    handle: (_services, { reply }) => reply.code(204).send(),
  }),
  endpoint({
    ...COMMON,
    method: "PUT",
    path: "/lists",
    body: Type.Object({ ids: Type.Array(Type.String()) }),
    bodyLimitBytes: 100_000,
    answers: { 204: null },
    handle: (_services, { reply }) => reply.code(204).send(),
  }),
  endpoint({
    ...COMMON,
    method: "POST",
    path: "/files",
    multipart: Type.Object({ file: Type.String() }),
    answers: { 200: Type.Object({ size: Type.Integer() }) },
    handle: async (_services, { request }) => {
      const file = await request.file();
      return { size: (await file?.toBuffer())?.length ?? 0 };
    },
  }),
  endpoint({
    ...COMMON,
    method: "GET",
    path: "/failures/:name",
    answers: { 200: Type.Object({}) },
    handle: (_services, { parameters }) => {
      throw FAILURES[(parameters as { readonly name: string }).name]?.();
    },
  }),
];

interface Case {
  readonly name: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
  readonly status: number;
  /** The whole body, or the code of a refusal. */
  readonly body?: object;
  readonly error?: string;
  readonly message?: RegExp;
}

const JSON_TYPE = { "content-type": "application/json" };
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const CASES: readonly Case[] = [
  {
    name: "passes numbers and booleans to a handler by type, and names decoded",
    url: "/api/v1/things/a%2Fb%20c?page=2&all=true",
    status: 200,
    body: { id: "a/b c", page: 2, all: true, note: null },
  },
  {
    name: "ignores unknown parameters and empty pairs",
    url: "/api/v1/things/a?colour=red&&page=1",
    status: 200,
    body: { id: "a", page: 1, note: null },
  },
  {
    name: "rejects a number with characters after it",
    url: "/api/v1/things/a?page=2x",
    status: 400,
    error: "bad_parameter",
    message: /^"page" must be integer$/,
  },
  {
    name: "rejects a number with a sign",
    url: "/api/v1/things/a?page=%2B2",
    status: 400,
    error: "bad_parameter",
  },
  {
    name: "rejects a number with an exponent",
    url: "/api/v1/things/a?page=1e1",
    status: 400,
    error: "bad_parameter",
  },
  { name: "rejects an empty number", url: "/api/v1/things/a?page=", status: 400, error: "bad_parameter" },
  {
    name: "rejects a number that is too small",
    url: "/api/v1/things/a?page=0",
    status: 400,
    error: "bad_parameter",
    message: />= 1/,
  },
  {
    name: "names the choices of a parameter",
    url: "/api/v1/things/a?kind=huge",
    status: 400,
    error: "bad_parameter",
    message: /^"kind" must be one of "small", "large"$/,
  },
  {
    name: "rejects a repeated parameter",
    url: "/api/v1/things/a?page=1&page=1",
    status: 400,
    error: "duplicate_parameter",
  },
  {
    name: "rejects a repeated unknown parameter",
    url: "/api/v1/failures/fault?x=1&x=2",
    status: 400,
    error: "duplicate_parameter",
  },
  {
    name: "rejects a parameter repeated in another encoding",
    url: "/api/v1/things/a?page=1&%70age=1",
    status: 400,
    error: "duplicate_parameter",
  },
  {
    name: "rejects a query that is not UTF-8",
    url: "/api/v1/things/a?q=%ff",
    status: 400,
    error: "bad_encoding",
  },
  { name: "rejects a path that is not UTF-8", url: "/api/v1/things/%ff", status: 400, error: "bad_encoding" },
  {
    name: "rejects a name that is too long",
    url: `/api/v1/things/${"a".repeat(600)}`,
    status: 414,
    error: "uri_too_long",
  },
  {
    name: "answers not_found for a path without a row",
    url: "/api/v1/nothing",
    status: 404,
    error: "not_found",
  },
  { name: "serves rows only below /api/v1", url: "/things/a", status: 404, error: "not_found" },
  {
    name: "answers upgrade_required on the push channel's path",
    url: "/ws/device/0d2c9f4e-3f0a-4d5b-8f2e-2b1a7c9d0e1f",
    status: 426,
    error: "upgrade_required",
  },
  {
    name: "answers upgrade_required where the token is in Authorization",
    url: "/ws/device",
    status: 426,
    error: "upgrade_required",
  },
  {
    name: "answers upgrade_required below /api/v1, too",
    url: "/api/v1/ws/device/x",
    status: 426,
    error: "upgrade_required",
  },
  {
    name: "accepts JSON",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":"é","more":1}',
    status: 201,
    body: { name: "é" },
  },
  {
    name: "accepts JSON with a charset",
    method: "POST",
    url: "/api/v1/things",
    headers: { "content-type": "application/json; charset=utf-8" },
    payload: '{"name":"a"}',
    status: 201,
  },
  {
    name: "rejects a body that is not JSON",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":',
    status: 400,
    error: "bad_json",
  },
  {
    name: "rejects JSON that is not UTF-8",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: Buffer.from('{"name":"\xff"}', "latin1"),
    status: 400,
    error: "bad_encoding",
  },
  {
    name: "rejects JSON that is nested too deep",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: deep(33),
    status: 400,
    error: "bad_json",
  },
  {
    name: "rejects JSON over 64 KiB",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: JSON.stringify({ name: "x".repeat(65536) }),
    status: 413,
    error: "body_too_large",
  },
  {
    name: "names a missing member",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: "{}",
    status: 400,
    error: "missing_parameter",
    message: /^"name" is missing$/,
  },
  {
    name: "names a missing nested member",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":"a","steps":[{}]}',
    status: 400,
    error: "missing_parameter",
    message: /^"steps\.0\.percent" is missing$/,
  },
  {
    name: "names a member of the wrong type",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":1}',
    status: 400,
    error: "bad_parameter",
    message: /^"name" must be string$/,
  },
  {
    name: "names a member that is too large",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":"a","steps":[{"percent":101}]}',
    status: 400,
    error: "bad_parameter",
    message: /^"steps\.0\.percent" must be <= 100$/,
  },
  {
    name: "names an unknown member, where unknown members are rejected",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: '{"name":"a","filter":{"arhc":"x"}}',
    status: 400,
    error: "bad_parameter",
    message: /^"filter\.arhc" is not known here$/,
  },
  {
    name: "accepts a larger body if the row permits it",
    method: "PUT",
    url: "/api/v1/lists",
    headers: JSON_TYPE,
    payload: JSON.stringify({ ids: ["x".repeat(99_000)] }),
    status: 204,
  },
  {
    name: "rejects a body over the row's limit",
    method: "PUT",
    url: "/api/v1/lists",
    headers: JSON_TYPE,
    payload: JSON.stringify({ ids: ["x".repeat(100_000)] }),
    status: 413,
    error: "body_too_large",
  },
  {
    name: "rejects a body that is not an object",
    method: "POST",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: "[]",
    status: 400,
    error: "bad_parameter",
  },
  {
    name: "names a missing member if there is no body",
    method: "POST",
    url: "/api/v1/things",
    status: 400,
    error: "missing_parameter",
  },
  {
    name: "accepts a missing body if all members are optional",
    method: "PUT",
    url: "/api/v1/things",
    status: 204,
  },
  {
    name: "accepts an empty JSON body as a missing one",
    method: "PUT",
    url: "/api/v1/things",
    headers: JSON_TYPE,
    payload: "",
    status: 204,
  },
  {
    name: "rejects a body of another media type",
    method: "POST",
    url: "/api/v1/things",
    headers: { "content-type": "text/plain" },
    payload: "x",
    status: 415,
    error: "media_type_unsupported",
  },
  {
    name: "rejects a form for a JSON endpoint",
    method: "POST",
    url: "/api/v1/things",
    headers: { "content-type": "multipart/form-data; boundary=x" },
    payload: "--x--\r\n",
    status: 415,
    error: "media_type_unsupported",
  },
  {
    name: "rejects JSON for a form endpoint",
    method: "POST",
    url: "/api/v1/files",
    headers: JSON_TYPE,
    payload: "{}",
    status: 415,
    error: "media_type_unsupported",
  },
  {
    name: "rejects a missing body for a form endpoint",
    method: "POST",
    url: "/api/v1/files",
    status: 415,
    error: "media_type_unsupported",
  },
  {
    name: "rejects a file over the limit",
    method: "POST",
    url: "/api/v1/files",
    headers: { "content-type": "multipart/form-data; boundary=x" },
    payload: `--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n${"y".repeat(2001)}\r\n--x--\r\n`,
    status: 413,
    error: "file_too_large",
  },
  {
    name: "answers a fault with its status",
    url: "/api/v1/failures/fault",
    status: 404,
    body: { error: "app_not_found", message: 'No app is named "tetris"' },
  },
  {
    name: "answers internal_error for a bug, without its message",
    url: "/api/v1/failures/bug",
    status: 500,
    error: "internal_error",
    message: /^(?!.*42)/,
  },
  {
    name: "answers busy while the database refuses connections",
    url: "/api/v1/failures/refused",
    status: 503,
    error: "busy",
  },
  {
    name: "answers busy when the database drops a connection",
    url: "/api/v1/failures/terminated",
    status: 503,
    error: "busy",
  },
  {
    name: "answers busy while the database shuts down",
    url: "/api/v1/failures/shutdown",
    status: 503,
    error: "busy",
  },
  {
    name: "answers storage_full when the disk is full",
    url: "/api/v1/failures/full",
    status: 507,
    error: "storage_full",
  },
  {
    name: "answers storage_full when the database is full",
    url: "/api/v1/failures/sqlite_full",
    status: 507,
    error: "storage_full",
  },
];

for (const { name, method = "GET", url, headers = {}, payload, status, body, error, message } of CASES)
  test(`The server ${name}`, async () => {
    const { server } = await served(ROWS);
    const answer = await server.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    expect(answer.statusCode, answer.body).toBe(status);
    if (status !== 204) expect(answer.headers["content-type"]).toBe("application/json");
    if (body) expect(answer.json()).toEqual(body);
    if (error) expect(answer.json()).toEqual({ ...answer.json(), error, message: expect.any(String) });
    if (message) expect(answer.json().message).toMatch(message);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

test("The server omits members of an answer that its schema does not have", async () => {
  const { server } = await served(ROWS);
  expect((await server.inject("/api/v1/things/a")).body).not.toContain("secret");
});

test("The server names a path's methods in the answer to another method", async () => {
  const { server } = await served(ROWS);
  const answer = await server.inject({ method: "DELETE", url: "/api/v1/things" });
  expect(answer.statusCode).toBe(405);
  expect(answer.headers.allow).toBe("POST, PUT, OPTIONS");
  expect(answer.json().error).toBe("method_not_allowed");
});

test("The server answers OPTIONS with the path's methods", async () => {
  const { server } = await served(ROWS);
  const answer = await server.inject({ method: "OPTIONS", url: "/api/v1/things/a" });
  expect(answer.statusCode).toBe(204);
  expect(answer.headers.allow).toBe("GET, HEAD, OPTIONS");
});

test("The server answers HEAD like GET, without the body", async () => {
  const { server } = await served(ROWS);
  const get = await server.inject("/api/v1/things/a");
  const head = await server.inject({ method: "HEAD", url: "/api/v1/things/a" });
  expect(head.body).toBe("");
  expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  expect((await server.inject({ method: "HEAD", url: "/api/v1/nothing" })).statusCode).toBe(404);
});

test("The server sends Retry-After with a limit", async () => {
  const { server } = await served(ROWS);
  expect((await server.inject("/api/v1/failures/details")).headers["retry-after"]).toBe("7");
  expect((await server.inject("/api/v1/failures/refused")).headers["retry-after"]).toBe("2");
});

test("The server logs one line per request, without token or query", async () => {
  const { server, log, observed } = await served(ROWS);
  await server.inject("/api/v1/things/a?q=secret");
  await server.inject("/ws/device/0d2c9f4e-3f0a-4d5b-8f2e-2b1a7c9d0e1f");
  await server.inject("/api/v1/ws/device/0d2c9f4e-3f0a-4d5b-8f2e-2b1a7c9d0e1f/x");
  await server.inject("/api/v1/svca_AAAA");
  const paths = log.map(({ fields }) => fields["path"]);
  expect(paths).toEqual(["/api/v1/things/a", "/ws/device/…", "/api/v1/ws/device/…/x", "/api/v1/svca_…"]);
  expect(log[0]).toMatchObject({ level: "debug", fields: { method: "GET", status: 200 } });
  expect(log[3]).toMatchObject({ level: "info", fields: { method: "GET", status: 404 } });
  expect(observed[0]).toEqual(["GET", "/api/v1/things/:id", 200, expect.any(Number)]);
});

const TOKEN = "0d2c9f4e-3f0a-4d5b-8f2e-2b1a7c9d0e1f";
const CARRYING = [
  { path: `/ws/device%2F${TOKEN}`, logged: "/ws/device%2F…" },
  { path: `/ws%2fdevice%2f${TOKEN}`, logged: "/ws%2fdevice%2f…" },
  { path: `/api/v1/ws/devices/${TOKEN}`, logged: "/api/v1/ws/devices/…" },
  { path: `/ws/device/${TOKEN.toUpperCase()}`, logged: "/ws/device/…" },
  { path: `/ws/device/${TOKEN.replace("4", "%34")}`, logged: "/ws/device/…" },
  { path: `/ws/devices/${TOKEN.replaceAll("-", "%2D")}`, logged: "/ws/devices/…" },
  { path: `/ws/devices/x${TOKEN}y`, logged: "/ws/devices/x…y" },
  { path: `/ws/devices/${TOKEN.replaceAll("-", "")}`, logged: "/ws/devices/…" },
  { path: `/ws/device;${TOKEN}`, logged: "/ws/device;…" },
  { path: "/x/svca_AAAA-BB_C/y", logged: "/x/svca_…/y" },
  { path: "/x/SVCP%5FAAAA", logged: "/x/SVCP_…" },
  { path: "/x/svca%255FAAAA", logged: "/x/svca_…" },
  { path: "/x=svcp_AAAA&y", logged: "/x=svcp_…" },
  { path: "/api/v1/things/a%2Fb", logged: "/api/v1/things/a%2Fb" },
];
for (const { path, logged } of CARRYING)
  test(`The server logs ${path} as ${logged}`, async () => {
    const { server, log } = await served(ROWS);
    await server.inject(path);
    expect(log.at(-1)?.fields["path"]).toBe(logged);
  });

test("The server logs the error that it does not send", async () => {
  const { server, log } = await served(ROWS);
  await server.inject("/api/v1/failures/bug");
  expect(log.find(({ level }) => level === "error")?.fields).toMatchObject({
    err: { message: "the secret is 42" },
  });
});

for (const { trustsProxy, address } of [
  { trustsProxy: false, address: "127.0.0.1" },
  { trustsProxy: true, address: "192.0.2.7" },
])
  test(`The server ${trustsProxy ? "trusts the address from a trusted proxy" : "ignores the address from a proxy by default"}`, async () => {
    const { server, log } = await served(ROWS, { trustsProxy });
    await server.inject({
      url: "/api/v1/things/a",
      headers: { "x-forwarded-for": "198.51.100.1, 192.0.2.7" },
    });
    expect(log[0]?.fields["address"]).toBe(address);
  });

const RAW = [
  { name: "bytes that are not HTTP", wire: "GIBBERISH\r\n\r\n", status: 400, error: "bad_request" },
  {
    name: "two lengths",
    wire: "POST /api/v1/things HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    status: 400,
    error: "bad_request",
  },
  {
    name: "a head over the limit",
    wire: `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`,
    status: 431,
    error: "head_too_large",
  },
  {
    name: "a request without Host",
    wire: "GET /api/v1/things/a HTTP/1.1\r\nconnection: close\r\n\r\n",
    status: 400,
    error: "bad_request",
  },
  {
    name: "an expectation other than 100-continue",
    wire: "GET / HTTP/1.1\r\nhost: a\r\nexpect: coffee\r\n\r\n",
    status: 417,
    error: "expectation_failed",
  },
];

for (const { name, wire, status, error } of RAW)
  test(`The server rejects ${name} with an error body`, async () => {
    const { server } = await served(ROWS);
    await server.listen({ host: "127.0.0.1", port: 0 });
    const answer = await exchange(portOf(server), wire);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain("content-type: application/json\r\n");
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ error });
  });

test("The server finishes running requests when closed, and then closes their connections", async () => {
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let finish = () => {};
  const mayFinish = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const row = endpoint({
    ...COMMON,
    method: "GET",
    path: "/slow",
    answers: { 200: Type.Object({ done: Type.Boolean() }) },
    handle: async () => {
      begun();
      await mayFinish;
      return { done: true };
    },
  });
  const { server } = await served([row]);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const answer = kept(portOf(server), "/api/v1/slow");
  await isBegun;
  const closed = server.close();
  finish();
  expect(await answer).toBe('{"done":true}');
  await closed;
});

function portOf(server: Awaited<ReturnType<typeof served>>["server"]): number {
  return (server.server.address() as { readonly port: number }).port;
}

function exchange(port: number, wire: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(wire));
    socket.on("data", (bytes) => {
      answer += bytes;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** Over a connection that the client would use again. */
function kept(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ port, path, headers: { connection: "keep-alive" } }, (response) => {
      let body = "";
      response.on("data", (bytes) => {
        body += bytes;
      });
      response.on("end", () => resolve(body));
    });
    asked.on("error", reject);
    asked.end();
  });
}
