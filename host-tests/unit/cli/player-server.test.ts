/** The server of `svc app dev --browser`, and what pages of other origins get from it: nothing. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PlayerReport, readReport } from "../../../cli/apps/player-report.js";
import { PlayerServer } from "../../../cli/apps/player-server.js";

const page = {
  path: "",
  name: "index.html",
  mediaType: "text/html",
  body: Buffer.from("<p>"),
  fields: { "x-of-page": "1" },
};
let server: PlayerServer;
let reports: PlayerReport[];
beforeEach(async () => {
  reports = [];
  server = await PlayerServer.start({ files: [page], port: 0, onReport: (report) => reports.push(report) });
});
afterEach(() => server.close());

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function ask(path: string, { method = "GET", headers = {}, body = "" }: Asked = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const request = httpRequest(new URL(path, server.address), { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

const own = () => server.address.slice(0, -1);
const line = { level: 1, text: "hello", lost: 0 };
const report = JSON.stringify({ kind: "log", name: "app", lines: [line] });
const post = (headers: Readonly<Record<string, string>> = {}, body = report) =>
  ask("/report", {
    method: "POST",
    body,
    headers: { "content-type": "application/json", origin: own(), ...headers },
  });

describe("The server of the player", () => {
  test("serves the page with its fields, and the app once there is one", async () => {
    expect(await ask("/")).toMatchObject({
      status: 200,
      body: "<p>",
      headers: {
        "x-of-page": "1",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      },
    });
    expect((await ask("/app.svcpkg")).status).toBe(404);
    server.show(Buffer.from("package"));
    expect(await ask("/app.svcpkg")).toMatchObject({ status: 200, body: "package" });
    expect((await ask("/other")).status).toBe(404);
    expect(
      (await ask("/", { method: "POST", headers: { origin: own(), "content-type": "application/json" } }))
        .status,
    ).toBe(404);
  });

  test("takes reports of its own page", async () => {
    expect((await post()).status).toBe(204);
    expect(reports).toEqual([{ kind: "log", name: "app", lines: [line] }]);
  });

  const FOREIGN = [
    { name: "under another name that leads here", path: "/app.svcpkg", headers: { host: "evil.example" } },
    { name: "under this computer's name with another port", path: "/", headers: { host: "127.0.0.1:1" } },
    { name: "from another site", path: "/app.svcpkg", headers: { "sec-fetch-site": "cross-site" } },
    {
      name: "from another port of this computer",
      path: "/events",
      headers: { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" },
    },
    {
      name: "as a frame of another site's page",
      path: "/events",
      headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    },
    {
      name: "as a download of another site's page",
      path: "/app.svcpkg",
      headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    },
  ];
  test.each(FOREIGN)("refuses what is asked $name", async ({ path, headers }) => {
    server.show(Buffer.from("package"));
    const answer = await ask(path, { headers });
    expect([403, 421]).toContain(answer.status);
    expect(answer.body).toBe("");
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  });

  const FORGED = [
    { name: "of another origin", headers: { origin: "http://evil.example" } },
    { name: "of a page without an origin", headers: { origin: "null" } },
    { name: "in a form's type", headers: { "content-type": "text/plain" } },
  ];
  test.each(FORGED)("takes no report $name", async ({ headers }) => {
    expect((await post(headers)).status).toBe(403);
    expect(reports).toEqual([]);
  });

  test("takes no report that is none, or too large", async () => {
    expect((await post({}, "{")).status).toBe(400);
    expect((await post({}, JSON.stringify({ kind: "log", name: "app", lines: [{}] }))).status).toBe(400);
    await expect(post({}, "x".repeat(200_000))).rejects.toThrow();
    expect(reports).toEqual([]);
    expect((await ask("/")).status).toBe(200);
  });

  test("tells open pages of each build, and of one that fails", async () => {
    const text = await new Promise<string>((resolve) => {
      let seen = "";
      httpRequest(new URL("/events", server.address), (response) => {
        response.setEncoding("utf8").on("data", (chunk) => {
          seen += chunk;
          if (/failed/.test(seen)) resolve(seen);
        });
        server.show(Buffer.from("package"));
        server.fail("two\nlines");
      }).end();
    });
    expect(text).toMatch(/event: built\ndata: [0-9a-f-]{36}\n\n/);
    expect(text).toContain("event: failed\ndata: two lines\n\n");
  });
});

test("a report has no more lines than the player's memory", () => {
  const lines = (count: number) =>
    JSON.stringify({ kind: "log", name: "app", lines: Array(count).fill(line) });
  expect(readReport(lines(32))).toBeDefined();
  expect(readReport(lines(33))).toBeUndefined();
  expect(
    readReport(JSON.stringify({ kind: "started", name: "n".repeat(2000), version: "1" })),
  ).toBeUndefined();
  expect(readReport("null")).toBeUndefined();
});
