/** Which requests are answered before the framework. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { answerKept } from "../../../../hub/api/kept-answers.js";
import { RequestBudgets } from "../../../../hub/api/request-budgets.js";
import type { HubServices } from "../../../../hub/services.js";

const LIST = { etag: '"tag"', json: Buffer.from("[]") };
const ACCOUNT = { kind: "account", accountId: "ada", scopes: [], member: undefined } as const;

/** Who answers: the status of a kept answer, or `"usual"`. */
type Answer = number | "usual";
type Fields = Readonly<Record<string, string | undefined>>;

/** A server that answers `GET /api/v1/catalog` on `hub.test` with what `lists` has. */
class FakeHub {
  readonly lists = new Map([["hub.test /api/v1/catalog", LIST]]);
  readonly known = new Set(["known"]);
  readonly answers: Answer[] = [];
  readonly sent: unknown[] = [];
  readonly ended: unknown[] = [];
  readonly #server: EventEmitter;

  constructor({ level = "info", isListening = true, trustsProxy = false, perAddress = 0 } = {}) {
    this.#server = Object.assign(new EventEmitter(), { listening: isListening });
    this.#server.on("request", () => this.answers.push("usual"));
    const services = {
      authentication: { known: (field: string) => (this.known.has(field) ? ACCOUNT : undefined) },
      catalog: { keptList: (key: string) => this.lists.get(key) },
      config: { hasPublicCatalog: false, trustsProxy },
      logger: { level },
      metrics: { observer: () => () => {} },
    } as unknown as HubServices;
    const budgets = new RequestBudgets({
      trustsProxy,
      requestsPerMinute: 4,
      addressRequestsPerMinute: perAddress,
    });
    answerKept(this.#server as unknown as Server, services, budgets);
  }

  /** @param socket the connection: another one for each request by default */
  ask(
    fields: Fields = {},
    { method = "GET", url = "/api/v1/catalog", socket = { remoteAddress: "192.0.2.1" } } = {},
  ): Answer | undefined {
    const headers = { host: "hub.test", authorization: "known", ...fields };
    const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value],
    );
    const request = { method, url, headers, rawHeaders, socket } as unknown as IncomingMessage;
    const response = {
      writeHead: (status: number, sent: unknown) => {
        this.answers.push(status);
        this.sent.push(sent);
      },
      end: (body: unknown) => this.ended.push(body),
    } as unknown as ServerResponse;
    this.#server.emit("request", request, response);
    return this.answers.at(-1);
  }
}

test("A list that was asked for before is answered at once, whole or as unchanged", () => {
  expect(new FakeHub().ask()).toBe(200);
  expect(new FakeHub().ask({ "if-none-match": LIST.etag })).toBe(304);
});

test("Whatever is not plain goes the usual way", () => {
  const others = [
    new FakeHub().ask({ origin: "https://page.test" }),
    new FakeHub().ask({ "content-length": "0" }),
    new FakeHub().ask({ "transfer-encoding": "chunked" }),
    new FakeHub().ask({ host: "other.test" }),
    new FakeHub().ask({ host: undefined }),
    new FakeHub().ask({ authorization: undefined }),
    new FakeHub().ask({ authorization: "unknown" }),
    new FakeHub().ask({}, { method: "HEAD" }),
    new FakeHub().ask({}, { url: "/api/v1/catalog?page=2" }),
    new FakeHub({ level: "debug" }).ask(),
    new FakeHub({ isListening: false }).ask(),
    new FakeHub({ trustsProxy: true }).ask(),
  ];
  expect(new Set(others)).toEqual(new Set(["usual"]));
});

test("A connection that asks the same again gets what is true by then", () => {
  const hub = new FakeHub();
  const socket = { remoteAddress: "192.0.2.1" };
  const again = () => hub.ask({ "if-none-match": LIST.etag }, { socket });
  expect([again(), again()]).toEqual([304, 304]);
  hub.lists.set("hub.test /api/v1/catalog", { etag: '"another"', json: Buffer.from("[1]") });
  expect(again()).toBe(200);
  expect(hub.sent.at(-1)).toEqual(expect.arrayContaining(["etag", '"another"', "content-length", 3]));
  hub.known.clear();
  expect(again(), "its token has been revoked").toBe("usual");
});

test("A connection that asks something else next gets that", () => {
  const hub = new FakeHub();
  const socket = { remoteAddress: "192.0.2.1" };
  expect(hub.ask({}, { socket })).toBe(200);
  expect(hub.ask({ "if-none-match": LIST.etag }, { socket })).toBe(304);
  expect(hub.ask({ authorization: "unknown" }, { socket })).toBe("usual");
  expect(hub.ask({}, { socket, url: "/api/v1/catalog?page=2" })).toBe("usual");
  expect(hub.ask({}, { socket, method: "HEAD" })).toBe("usual");
  expect(hub.ask({}, { socket })).toBe(200);
});

test("The budget is told once it is half used, and what exceeds it goes the usual way", () => {
  const hub = new FakeHub();
  const socket = { remoteAddress: "192.0.2.1" };
  expect([1, 2, 3, 4, 5].map(() => hub.ask({}, { socket }))).toEqual([200, 200, 200, 200, "usual"]);
  expect(hub.sent[0]).not.toContain("ratelimit-remaining");
  expect(hub.sent[3]).toEqual(expect.arrayContaining(["ratelimit-limit", 4, "ratelimit-remaining", 0]));
});

test("Where the budgets of address and token are half used, the answer tells that of the token, once", () => {
  const hub = new FakeHub({ perAddress: 6 });
  const socket = { remoteAddress: "192.0.2.1" };
  for (let round = 0; round < 4; round++) hub.ask({}, { socket });
  const fields = hub.sent.at(-1) as readonly unknown[];
  expect(fields.filter((field) => field === "ratelimit-limit")).toHaveLength(1);
  expect(fields[fields.indexOf("ratelimit-limit") + 1]).toBe(4);
});

test("A connection is sent the list that is kept now, not the one of its last answer", () => {
  const hub = new FakeHub();
  const socket = { remoteAddress: "192.0.2.1" };
  expect(hub.ask({}, { socket })).toBe(200);
  hub.lists.set("hub.test /api/v1/catalog", { etag: LIST.etag, json: Buffer.from("[]") }); // made again, with the same bytes
  expect(hub.ask({}, { socket })).toBe(200);
  expect(hub.ended).toEqual([LIST.json, hub.lists.get("hub.test /api/v1/catalog")?.json]);
  expect(hub.ended[1]).not.toBe(LIST.json);
});
