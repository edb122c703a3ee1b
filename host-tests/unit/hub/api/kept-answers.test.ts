/** Which requests are answered before the framework. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { answerKept } from "../../../../hub/api/kept-answers.js";
import { RequestBudgets } from "../../../../hub/api/request-budgets.js";
import type { HubServices } from "../../../../hub/services.js";

const LIST = { etag: '"tag"', json: Buffer.from("[]") };
const ACCOUNT = { kind: "account", accountId: "ada", scopes: [], member: undefined } as const;

/** @returns who answers: the status of a kept answer, or `"usual"` */
function answerTo(
  fields: Readonly<Record<string, string | undefined>>,
  { method = "GET", url = "/api/v1/catalog", level = "info", isListening = true, trustsProxy = false } = {},
): number | "usual" {
  const answers: (number | "usual")[] = [];
  const server = Object.assign(new EventEmitter(), { listening: isListening });
  server.on("request", () => answers.push("usual"));
  const services = {
    authentication: { known: (field: string) => (field === "known" ? ACCOUNT : undefined) },
    catalog: { keptList: (key: string) => (key === "hub.test /api/v1/catalog" ? LIST : undefined) },
    ...{ config: { hasPublicCatalog: false, trustsProxy }, logger: { level }, metrics: { observe() {} } },
  } as unknown as HubServices;
  const budgets = new RequestBudgets({ trustsProxy, requestsPerMinute: 2, addressRequestsPerMinute: 0 });
  answerKept(server as unknown as Server, services, budgets);
  const headers = { host: "hub.test", authorization: "known", ...fields };
  const request = {
    method,
    url,
    headers,
    socket: { remoteAddress: "192.0.2.1" },
  } as unknown as IncomingMessage;
  const response = {
    writeHead: (status: number) => answers.push(status),
    end() {},
  } as unknown as ServerResponse;
  server.emit("request", request, response);
  return answers[0] as number | "usual";
}

test("A list that was asked for before is answered at once, whole or as unchanged", () => {
  expect(answerTo({})).toBe(200);
  expect(answerTo({ "if-none-match": LIST.etag })).toBe(304);
});

test("Whatever is not plain goes the usual way", () => {
  const others = [
    answerTo({ origin: "https://page.test" }),
    answerTo({ "content-length": "0" }),
    answerTo({ "transfer-encoding": "chunked" }),
    answerTo({ host: "other.test" }),
    answerTo({ host: undefined }),
    answerTo({ authorization: undefined }),
    answerTo({ authorization: "unknown" }),
    answerTo({}, { method: "HEAD" }),
    answerTo({}, { url: "/api/v1/catalog?page=2" }),
    answerTo({}, { level: "debug" }),
    answerTo({}, { isListening: false }),
    answerTo({}, { trustsProxy: true }),
  ];
  expect(new Set(others)).toEqual(new Set(["usual"]));
});
