import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { requestJson } from "../../../hub-client/http-client.js";
import { RegistrationCall, register } from "../../../hub-client/registration.js";
import { parseHubAddress } from "../../../protocol/hub/hub-address.js";
import { nodePorts } from "./client-ports.js";

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
beforeEach(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const address = () =>
  parseHubAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}/proxied/api/v1`);
const MAC = "02:00:00:00:1A:2B";
const identity = {
  deviceToken: randomUUID(),
  mac: MAC,
  name: "Konsole \u00fc",
  arch: "xtensa",
  firmwareVersion: "1.2.3",
};
const registration = () => register(nodePorts(), address(), identity);
const json = (body: unknown, status = 201, fields = {}) => {
  answer = (_, response) =>
    response.writeHead(status, fields).end(typeof body === "string" ? body : JSON.stringify(body));
};

describe("a console", () => {
  test("registers with a token bound to its MAC", async () => {
    const asked: unknown[] = [];
    answer = async (request, response) => {
      asked.push(
        request.method,
        request.url,
        request.headers["content-type"],
        JSON.parse(await text(request)),
      );
      response.writeHead(201).end('{"device_token":"t","device_id":"d1","claim_code":"ABCD-1234","more":1}');
    };
    expect(await registration()).toEqual({ deviceId: "d1", claimCode: "ABCD-1234" });
    const { deviceToken, name, arch } = identity;
    const binding = createHmac("sha256", Buffer.from(MAC.replaceAll(":", ""), "hex"))
      .update(deviceToken)
      .digest("hex");
    const body = { device_token: deviceToken, mac: MAC, binding, name, arch, firmware_version: "1.2.3" };
    expect(asked).toEqual(["POST", "/proxied/api/v1/devices/register", "application/json", body]);
  });

  test("of an account gets no claim code", async () => {
    for (const claim_code of [undefined, null]) {
      json({ device_id: "d1", claim_code }, 200);
      expect(await registration()).toEqual({ deviceId: "d1" });
    }
  });

  // docs/spec/device-hub.md#push-bearer
  test("learns whether the hub takes the token of the push channel in Authorization", async () => {
    json({ device_id: "d1" }, 200, { "X-Svc-Push": "bearer" });
    expect(await registration()).toEqual({ deviceId: "d1", takesBearer: true });
    for (const push of ["path", "", ["bearer", "bearer"]]) {
      json({ device_id: "d1" }, 200, { "X-Svc-Push": push });
      expect(await registration()).toEqual({ deviceId: "d1" });
    }
  });

  // docs/spec/device-hub.md#registration-answer
  test("is registered by an answer with only the device token", async () => {
    json({ device_token: identity.deviceToken }, 200);
    expect(await registration()).toEqual({});
    json({ device_token: identity.deviceToken, claim_code: "ABCD-1234" });
    expect(await registration()).toEqual({ claimCode: "ABCD-1234" });
  });

  for (const body of [
    { device_token: randomUUID() },
    { device_token: 7 },
    { device_token: identity.deviceToken, device_id: 7 },
    { device_token: identity.deviceToken, claim_code: 7 },
    "",
    "null",
    "[]",
    "{}",
    { device_id: 1 },
    { device_id: "" },
    { device_id: "d", claim_code: 5 },
    { device_id: "x".repeat(65) },
    "<html>",
    "x".repeat(5000),
  ])
    test(`is not registered by ${JSON.stringify(body).slice(0, 30)}`, async () => {
      json(body);
      await expect(registration()).rejects.toMatchObject({ code: "hub_refused" });
    });

  test("that cancels its registration gets a fault, and disconnects from the hub", async () => {
    const gone = new Promise((resolve) => {
      answer = (request) => request.socket.once("close", resolve);
    });
    const call = new RegistrationCall(nodePorts(), address(), identity);
    await new Promise((resolve) => server.once("request", resolve));
    call.close();
    call.close();
    await expect(call.finished).rejects.toMatchObject({ code: "hub_unreachable" });
    await gone;
  });
});

const REFUSALS = [
  {
    status: 409,
    body: { error: "token_bound", message: "This token is another console's" },
    code: "token_bound",
  },
  { status: 403, body: { error: "binding_invalid", message: "no" }, code: "binding_invalid" },
  { status: 418, body: { error: "teapot", message: "I am" }, code: "hub_refused" },
  { status: 502, body: "<html>Bad Gateway</html>", code: "hub_refused" },
  { status: 500, body: { error: "constructor" }, code: "hub_refused" },
  { status: 401, body: "", code: "unauthorized" },
  { status: 301, body: "", code: "hub_refused" },
];
for (const { status, body, code } of REFUSALS)
  test(`an answer of ${status} ${JSON.stringify(body)} is a fault`, async () => {
    json(body, status);
    await expect(registration()).rejects.toMatchObject({ code });
  });

const WAITS = [
  { field: "7", waitS: 7 },
  { field: "999999", waitS: 3600 },
  { field: "soon", waitS: undefined },
  { field: "Fri, 31 Dec 1999 23:59:59 GMT", waitS: undefined },
];
for (const { field, waitS } of WAITS)
  test(`the fault contains the wait that the hub demands ("${field}")`, async () => {
    json({ error: "too_many_attempts", message: "Wait" }, 429, { "retry-after": field });
    const details = waitS === undefined ? undefined : { retry_after_s: waitS };
    await expect(registration()).rejects.toMatchObject({
      code: "too_many_attempts",
      message: "Wait",
      details,
    });
  });

describe("a call", () => {
  const call = { method: "GET", path: "/devices/me?x=1", names: ["name"] };

  test("sends the given token, and no body without one", async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      const { authorization, "content-type": type, "content-length": length } = request.headers;
      seen.push(request.url, authorization, type, length);
      response.end('{"name":"x"}');
    };
    expect(await requestJson(nodePorts(), { address: address(), ...call, token: "t0" })).toMatchObject({
      status: 200,
      body: { name: "x" },
    });
    expect(seen).toEqual(["/proxied/api/v1/devices/me?x=1", "Bearer t0", undefined, undefined]);
  });

  test("that is answered without a body resolves without one", async () => {
    json("", 204);
    expect(await requestJson(nodePorts(), { address: address(), ...call })).toMatchObject({
      status: 204,
      body: undefined,
    });
  });

  test("accepts answers up to the given length", async () => {
    json({ name: "x".repeat(10_000) });
    const request = { address: address(), ...call };
    await expect(requestJson(nodePorts(), request)).rejects.toMatchObject({ code: "hub_refused" });
    expect((await requestJson(nodePorts(), { ...request, limitBytes: 20_000 })).status).toBe(201);
  });
});
