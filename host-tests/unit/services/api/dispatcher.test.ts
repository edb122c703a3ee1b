import { expect, test, vi } from "vitest";
import { parameterNames } from "../../../../device/services/api/call.js";
import { Dispatcher } from "../../../../device/services/api/dispatcher.js";
import type { Endpoint, Services } from "../../../../device/services/api/endpoint.js";
import type { Request, Transport } from "../../../../device/services/api/request.js";
import { routesOf } from "../../../../device/services/api/routes.js";
import { Fault, type FaultCode } from "../../../../protocol/fault.js";

const ROWS: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/api/thing",
    right: "read",
    summary: "",
    answer: "STATUS",
    handle: () => ({ status: 200, body: "got" }),
  },
  {
    method: "POST",
    path: "/api/thing",
    right: "read",
    summary: "",
    answer: "STATUS",
    handle: () => ({ status: 200, body: "posted" }),
  },
  {
    method: "GET",
    path: "/api/near",
    right: "read",
    summary: "",
    answer: "STATUS",
    transport: "usb",
    handle: () => ({ status: 200, body: "near" }),
  },
  {
    method: "GET",
    path: "/api/far",
    right: "read",
    summary: "",
    answer: "STATUS",
    transport: "http",
    parameters: [
      { name: "count", type: "integer", summary: "" },
      { name: "on", type: "flag", summary: "" },
      { name: "text", type: "text", isRequired: true, summary: "" },
    ],
    handle: (_, { parameters }) => ({
      status: 200,
      body: {
        count: parameters.integer("count"),
        on: parameters.flag("on"),
        text: parameters.text("text"),
      },
    }),
  },
  {
    method: "GET",
    path: "/",
    right: "page",
    summary: "",
    answer: "STATUS",
    handle: () => ({ status: 200, body: "page" }),
  },
  {
    method: "POST",
    path: "/api/upload",
    right: "read",
    summary: "",
    answer: "STATUS",
    receive: () => {
      let byteLength = 0;
      return {
        write: (bytes) => {
          byteLength += bytes.length;
        },
        end: () => ({ status: 200, body: byteLength }),
        abort: () => {},
      };
    },
  },
];

const logger = { debug: vi.fn(), info: vi.fn(), warning: vi.fn(), error: vi.fn() };
const restart = { isRequested: false };
const services = { restart } as unknown as Services;
const dispatcher = new Dispatcher(routesOf(ROWS), services, logger);

function request(method: string, path: string, parameters = {}, transport: Transport = "http"): Request {
  const isOwner = transport === "usb";
  return {
    transport,
    isOwner,
    method,
    path,
    parameters: new Map(Object.entries(parameters)),
    bodyByteLength: 0,
  };
}

const bodyOf = async (asked: Request) => {
  const answer = await dispatcher.open(asked).end();
  return "body" in answer ? answer.body : undefined;
};

test("Dispatcher calls the row of the path and method", async () => {
  expect(await bodyOf(request("GET", "/api/thing"))).toBe("got");
  expect(await bodyOf(request("POST", "/api/thing"))).toBe("posted");
});

test("Dispatcher treats /api/v1 as /api", async () => {
  expect(await bodyOf(request("GET", "/api/v1/thing"))).toBe("got");
});

test("Dispatcher passes the body on as it arrives to an endpoint that receives it", () => {
  const exchange = dispatcher.open(request("POST", "/api/upload"));
  exchange.write(new Uint8Array(3));
  exchange.write(new Uint8Array(4));
  expect(exchange.end()).toEqual({ status: 200, body: 7 });
});

test("Dispatcher reads parameters by their declared type and ignores others", async () => {
  const parameters = { count: "12", on: "true", text: "a b", other: "x" };
  expect(await bodyOf(request("GET", "/api/far", parameters))).toEqual({ count: 12, on: true, text: "a b" });
});

test("Dispatcher takes numbers where a transport has them", async () => {
  const parameters = { count: 12, text: 7 };
  expect(await bodyOf(request("GET", "/api/far", parameters))).toMatchObject({ count: 12, text: "7" });
});

test("Dispatcher finds by path and method whether a request needs a token", () => {
  const asked = [
    request("GET", "/"),
    request("POST", "/"),
    request("GET", "/api/thing"),
    request("GET", "/x"),
  ];
  expect(asked.map((each) => dispatcher.isForPage(each.method, each.path))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

const REFUSED: { asked: Request; code: FaultCode }[] = [
  { asked: request("GET", "/api/nothing"), code: "not_found" },
  { asked: request("GET", "/api/thing/"), code: "not_found" },
  { asked: request("GET", "/api/v1/v1/thing"), code: "not_found" },
  { asked: request("GET", "/api/v2/thing"), code: "not_found" },
  { asked: request("GET", "/API/thing"), code: "not_found" },
  { asked: request("GET", "/api/__proto__"), code: "not_found" },
  { asked: request("DELETE", "/api/thing"), code: "method_not_allowed" },
  { asked: request("get", "/api/thing"), code: "method_not_allowed" },
  { asked: request("GET", "/api/near"), code: "usb_only" },
  { asked: request("DELETE", "/api/near"), code: "usb_only" },
  { asked: request("GET", "/api/far", { text: "" }, "usb"), code: "wifi_only" },
  { asked: request("GET", "/api/far"), code: "missing_parameter" },
  { asked: request("GET", "/api/far", { text: "", count: "1a" }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", count: "-1" }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", count: "" }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", count: "1e3" }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", count: "9".repeat(16) }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", on: "yes" }), code: "bad_parameter" },
  { asked: request("GET", "/api/far", { text: "", on: 1 }), code: "bad_parameter" },
];

for (const { asked, code } of REFUSED) {
  const shown = `${asked.method} ${asked.path} ${JSON.stringify([...asked.parameters])} over ${asked.transport}`;
  test(`Dispatcher rejects ${shown} with ${code}`, () => {
    expect(() => dispatcher.open(asked)).toThrow(expect.objectContaining({ name: "Fault", code }));
  });
}

test("parameterNames has every declared name once", () => {
  expect(parameterNames([...ROWS, ...ROWS])).toEqual(["count", "on", "text"]);
});

test("Dispatcher rejects requests once a restart was requested", () => {
  restart.isRequested = true;
  const begin = () => dispatcher.open(request("GET", "/api/thing"));
  expect(begin).toThrow(expect.objectContaining({ code: "busy" }));
  restart.isRequested = false;
  expect(begin).not.toThrow();
});

test("Dispatcher lists the methods of a path", () => {
  expect(dispatcher.methodsOf("/api/thing", "http")).toEqual(["GET", "POST"]);
  expect(dispatcher.methodsOf("/api/v1/thing", "usb")).toEqual(["GET", "POST"]);
  expect(dispatcher.methodsOf("/api/near", "http")).toBeUndefined();
  expect(dispatcher.methodsOf("/api/nothing", "http")).toBeUndefined();
});

test("Dispatcher answers a fault with its status, code, message and details", () => {
  const fault = new Fault("bad_parameter", "No", { details: { expected: 3 } });
  expect(dispatcher.answerTo(fault)).toEqual({
    status: 400,
    body: { error: "bad_parameter", message: "No", expected: 3 },
  });
});

test("Dispatcher answers an error that is not a fault without its message, and logs it", () => {
  const answer = dispatcher.answerTo(new TypeError("x is secret"));
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain("secret");
  expect(logger.error).toHaveBeenCalledWith("unexpected TypeError: x is secret");
});
