/** Traces (docs/hub.md#traces). */
import { describe, expect, onTestFinished, test } from "vitest";
import { heldDevice, madeAccount } from "../api/people.js";
import { CLUSTERED_HUB, EMBEDDED_HUB, type HubKind, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { Receiver } from "../webhooks/receiver.js";
import { Collector } from "./collector.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

async function started(kind: HubKind, environment: Record<string, string>): Promise<HubUnderTest> {
  const hub = await kind.start({ environment: { OTEL_BSP_SCHEDULE_DELAY: "50", ...environment } });
  onTestFinished(async () => {
    await hub.stop();
    expect(hub.errors).toEqual([]);
  });
  return hub;
}

const isRequest = (route: string) => (span: { readonly name: string }) =>
  span.name === `POST /api/v1${route}`;

describe("A trace", () => {
  test("continues that of a trusted proxy, through the body to the database", async () => {
    const collector = await Collector.start();
    const hub = await started(EMBEDDED_HUB, { SVC_HUB_OTLP_URL: collector.url, SVC_HUB_TRUST_PROXY: "1" });
    const { token } = await madeAccount(hub);
    await request(hub.origin, "POST", "/account/members", {
      token,
      json: { name: "Ada", role: "viewer" },
      headers: { traceparent: TRACEPARENT },
    });
    const span = await collector.span(isRequest("/account/members"));
    expect(span).toMatchObject({ traceId: TRACE_ID, parentSpanId: PARENT_ID, kind: 2, service: "svc-hub" });
    expect(span.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/api/v1/account/members",
      "http.response.status_code": 201,
    });
    await collector.span(
      ({ name, parentSpanId }) => name === "database transaction" && parentSpanId === span.spanId,
    );
  });

  test("of a client that is no trusted proxy is not continued", async () => {
    const collector = await Collector.start();
    const hub = await started(EMBEDDED_HUB, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "my-hub",
    });
    await request(hub.origin, "POST", "/accounts", { headers: { traceparent: TRACEPARENT } });
    const span = await collector.span(isRequest("/accounts"));
    expect(span.service).toBe("my-hub");
    expect(span.traceId).not.toBe(TRACE_ID);
    expect(span.parentSpanId ?? "").toBe("");
  });

  test("has no token, no path and no address of a webhook", async () => {
    const collector = await Collector.start();
    const hub = await started(EMBEDDED_HUB, {
      SVC_HUB_OTLP_URL: `${collector.url}/v1/traces`,
      SVC_HUB_WEBHOOKS_PRIVATE: "on",
    });
    const account = await madeAccount(hub);
    const device = await heldDevice(hub, account);
    const channel = await Channel.open(hub.origin, device.token);
    await request(hub.origin, "GET", `/catalog/${account.token}?q=${account.token}`, {
      token: account.token,
    });
    const receiver = await Receiver.start();
    const json = { url: receiver.url, events: ["device.claimed"] };
    const { body } = await request(hub.origin, "POST", "/account/webhooks", { token: account.token, json });
    await request(hub.origin, "POST", `/account/webhooks/${body.webhook_id}/test`, { token: account.token });
    const attempt = await collector.span(({ name }) => name === "webhook attempt");
    expect(attempt.attributes).toEqual({ "svc.event": "webhook.test", "http.response.status_code": 204 });
    expect(receiver.received[0]?.headers["traceparent"]).toBe(`00-${attempt.traceId}-${attempt.spanId}-01`);
    await collector.span(({ name }) => name === "GET /api/v1/catalog/:id");
    for (const secret of [account.token, device.token, body.secret, "of-the-receiver"])
      expect(collector.text).not.toContain(secret);
    await channel.close();
  });

  test("that nobody collects costs nothing but a warning", async () => {
    const hub = await started(EMBEDDED_HUB, { SVC_HUB_OTLP_URL: "http://127.0.0.1:9" });
    for (let at = 0; at < 5; at++) expect((await request(hub.origin, "POST", "/accounts")).status).toBe(201);
    await hub.processes[0]?.waitForLine(/tracing has a problem/);
  });
});

describe.skipIf(CLUSTERED_HUB.missing)("A trace of an order", () => {
  test("goes over the bus to the process that sends the command", async () => {
    const collector = await Collector.start();
    const hub = await started(CLUSTERED_HUB, { SVC_HUB_OTLP_URL: collector.url });
    const account = await madeAccount(hub);
    const device = await heldDevice(hub, account);
    const [near = "", far = ""] = hub.origins;
    const channel = await Channel.open(far, device.token);
    const orders: unknown[] = [];
    for (const app of ["tetris", "chess", "snake"]) {
      const path = `/devices/${device.deviceId}/apps/${app}`;
      orders.push((await request(near, "DELETE", path, { token: account.token })).body.command_id);
      await channel.next("app.uninstall");
    }
    // A sweep, which every few seconds looks for what was lost on the bus, may send one of them before the bus tells of it.
    const delivery = await collector.span(
      ({ attributes, name, parentSpanId }) =>
        name === "command delivery" &&
        orders.includes(attributes["svc.command"]) &&
        parentSpanId !== undefined,
    );
    const publish = await collector.span(({ spanId }) => spanId === delivery.parentSpanId);
    const order = await collector.span(({ spanId }) => spanId === publish.parentSpanId);
    expect([publish.name, order.name]).toEqual([
      ...["bus publish", "DELETE /api/v1/devices/:device_id/apps/:app_id"],
    ]);
    expect(new Set([delivery.traceId, publish.traceId, order.traceId]).size).toBe(1);
    await channel.close();
  });
});
