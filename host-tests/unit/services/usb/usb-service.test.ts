/** The management interface over USB (docs/spec/usb.md#in-order). */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer, Api, Exchange, Request } from "../../../../device/services/api/request.js";
import { LogService } from "../../../../device/services/logs/log-service.js";
import { UsbService } from "../../../../device/services/usb/usb-service.js";
import { Fault } from "../../../../protocol/fault.js";
import { loadSandbox } from "../../../../tools/sandbox.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { nodeBase64 } from "../../../hosts/node-bytes.js";
import { trappingSandbox } from "../../../hosts/trapping-sandbox.js";
import { EmulatedUsb } from "./emulated-usb.js";

const sandbox = trappingSandbox(await loadSandbox(["usb-line"]));

const RETAINED = { byteLength: 64, read: () => undefined, write: () => undefined };

/** An API whose endpoints are functions of this table, by path. */
type Handler = (request: Request, body: number[]) => Answer | Promise<Answer>;

let clock: EmulatedClock;
let log: LogService;
let usb: EmulatedUsb;
let service: UsbService;
let handlers: Record<string, Handler>;
const onDisconnect = vi.fn();

const api: Api = {
  open(request): Exchange {
    const handler = handlers[request.path];
    if (!handler) throw new Fault("not_found", "There is nothing here");
    const body: number[] = [];
    return {
      write: (bytes) => void body.push(...bytes),
      end: () => handler(request, body),
      abort: () => undefined,
    };
  },
  answerTo(error) {
    const fault = error instanceof Fault ? error : new Fault("internal_error", String(error));
    return { status: fault.status, body: { ...fault.toBody() } };
  },
  methodsOf: () => undefined,
  isForPage: () => false,
};

function start(capacityBytes?: number) {
  service?.close();
  usb = new EmulatedUsb(capacityBytes);
  const status = () => ({ fw_version: "1.0.0", uptime_ms: clock.uptimeMs() });
  service = new UsbService({
    sandbox,
    serial: usb.serial,
    api,
    log,
    clock,
    timer: clock,
    base64: nodeBase64,
    parameterNames: ["a", "b", "t"],
    status,
    onDisconnect,
  });
  usb.plug();
}

beforeEach(() => {
  clock = new EmulatedClock();
  log = new LogService({ clock, buffer: new Uint8Array(16384), retained: RETAINED, level: "debug" });
  handlers = {
    "/api/status": () => ({ status: 200, body: { fw_version: "1.0.0" } }),
    "/echo": (request, body) => ({ status: 200, body: { ...Object.fromEntries(request.parameters), body } }),
  };
  onDisconnect.mockReset();
  start();
});
afterEach(() => service.close());

const line = (id: unknown, path = "/api/status", members: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "GET", path, ...members })}\n`;
const STATUS_1 = { jsonrpc: "2.0", id: 1, status: 200, body: { fw_version: "1.0.0" } };
const event = (name: string, data: unknown) => ({ jsonrpc: "2.0", id: null, event: name, data });
const logEvent = (data: unknown) => event("log", data);
const datas = (messages: { data: string }[]) => messages.map(({ data }) => data);

describe("Requests", () => {
  test("a fault of the reader's program is a 500, and the next line is answered", async () => {
    sandbox.trapNext();
    usb.send(line(1));
    expect(await usb.receive()).toMatchObject([{ id: null, status: 500 }]);
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
  });

  test("during a slow answer the next request waits, and is not even read", async () => {
    const { promise, resolve } = withResolvers<Answer>();
    handlers["/slow"] = () => promise;
    usb.send(line(1, "/slow") + line(2, "/echo"));
    usb.send("x".repeat(50_000));
    expect(await usb.receive()).toEqual([]);
    expect(usb.unreadBytes).toBeGreaterThan(45_000);
    resolve({ status: 200, body: "done" });
    expect(await usb.receive()).toMatchObject([{ id: 1 }, { id: 2 }, { id: null, status: 413 }]);
  });

  test("events wait for a slow answer", async () => {
    usb.send(line(1));
    await usb.receive();
    const { promise, resolve } = withResolvers<Answer>();
    handlers["/slow"] = () => promise;
    usb.send(line(2, "/slow"));
    log.write("info", "test", "meanwhile");
    expect(await usb.receive()).toEqual([]);
    resolve({ status: 200, body: null });
    expect(await usb.receive()).toMatchObject([{ id: 2 }, { event: "log" }]);
  });

  test("bytes of another media type are sent as base64 in the field that the answer names", async () => {
    handlers["/png"] = () => ({
      status: 200,
      mediaType: "image/png",
      bytes: Uint8Array.of(1, 2, 3),
      field: "png",
    });
    usb.send(line(1, "/png"));
    expect(await usb.receive()).toEqual([{ jsonrpc: "2.0", id: 1, status: 200, body: { png: "AQID" } }]);
  });

  const FAILURES: readonly { name: string; handler: Handler | undefined; is: object }[] = [
    {
      name: "an unknown path",
      handler: undefined,
      is: { status: 404, body: { error: "not_found" } },
    },
    {
      name: "a fault of the endpoint",
      handler: () => {
        throw new Fault("busy", "Not now");
      },
      is: { status: 503, body: { error: "busy" } },
    },
    {
      name: "a later fault",
      handler: () => Promise.reject(new Fault("storage_full", "Full")),
      is: { status: 507, body: { error: "storage_full" } },
    },
    { name: "a bug", handler: () => Promise.reject(new TypeError("oops")), is: { status: 500 } },
  ];
  for (const { name, handler, is } of FAILURES)
    test(`${name} is answered, and so is the next request`, async () => {
      if (handler) handlers["/fails"] = handler;
      usb.send(line(8, "/fails") + line(9, "/echo"));
      expect(await usb.receive()).toMatchObject([
        { id: 8, ...is },
        { id: 9, status: 200 },
      ]);
    });

  test("a body ends when its exchange accepts no more bytes", async () => {
    const abort = vi.fn();
    const write = () => {
      throw new Fault("storage_full", "Full");
    };
    vi.spyOn(api, "open").mockReturnValueOnce({ write, abort, end: () => expect.unreachable() });
    usb.send(line(1, "/x", { chunk: 1, total: 1, data: "AQID" }));
    expect(await usb.receive()).toMatchObject([{ id: 1, status: 507 }]);
    expect(abort).toHaveBeenCalledOnce();
  });

  test("onSent runs after the last byte of the answer, not before", async () => {
    start(64);
    const onSent = vi.fn();
    handlers["/reboot"] = () => ({ status: 200, body: { rebooting: "-".repeat(100) }, onSent });
    usb.send(line(1, "/reboot"));
    expect(onSent).not.toHaveBeenCalled();
    usb.take(64);
    expect(onSent).not.toHaveBeenCalled();
    expect(await usb.receive()).toMatchObject([{ id: 1 }]);
    expect(onSent).toHaveBeenCalledOnce();
  });
});

describe("Log events", () => {
  test("do not start with a failed status, nor with another method", async () => {
    log.write("info", "boot", "one");
    handlers["/api/status"] = () => ({ status: 503, body: null });
    usb.send(line(1));
    expect(await usb.receive()).toMatchObject([{ id: 1, status: 503 }]);
    handlers["/api/status"] = () => ({ status: 200, body: null });
    usb.send(line(2, "/api/status", { method: "POST" }));
    expect(await usb.receive()).toMatchObject([{ id: 2 }]);
  });

  test("start with the status below /api/v1 too", async () => {
    log.write("info", "boot", "one");
    handlers["/api/v1/status"] = handlers["/api/status"] as Handler;
    usb.send(line(1, "/api/v1/status"));
    expect(await usb.receive()).toMatchObject([{ id: 1 }, { event: "log" }]);
  });

  test("are replayed once, however often the status is requested", async () => {
    log.write("info", "boot", "one");
    usb.send(line(1) + line(1));
    expect(await usb.receive()).toMatchObject([{ id: 1 }, { id: 1 }, { event: "log" }]);
  });

  test("can be switched off and on; lines logged meanwhile follow, and none counts as lost", async () => {
    usb.send(line(1));
    await usb.receive();
    service.streamLogs(false);
    for (let n = 0; n < 2000; n++) log.write("info", "test", `line ${n}`);
    expect(await usb.receive()).toEqual([]);
    service.streamLogs(true);
    const events = await usb.receive();
    expect(events.length).toBe(log.next - log.first);
    expect(datas(events).at(0)).toBe(log.line(log.first));
    expect(datas(events).at(-1)).toBe("0.000 I test: line 1999");
  });

  test("switched off before the first status stay off after it", async () => {
    log.write("info", "boot", "one");
    service.streamLogs(false);
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
  });
});

describe("Status events", () => {
  test("any number of changes in a turn gives one event", async () => {
    usb.send(line(1));
    await usb.receive();
    clock.advance(42);
    service.notifyStatus();
    service.notifyStatus();
    expect(await usb.receive()).toEqual([event("status", { fw_version: "1.0.0", uptime_ms: 42 })]);
  });

  test("there are none before the first status, nor after it for earlier changes", async () => {
    service.notifyStatus();
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
  });

  test("are sent although log events are switched off", async () => {
    usb.send(line(1));
    service.streamLogs(false);
    service.notifyStatus();
    expect(await usb.receive()).toMatchObject([STATUS_1, { event: "status" }]);
  });
});

describe("A host that stops reading", () => {
  test("for 10 s loses the oldest lines and gets their number; the answer waits, and no line is truncated", async () => {
    start(300);
    usb.send(line(1));
    await usb.receive();
    for (let second = 0; second < 10; second++) {
      for (let n = 0; n < 100; n++) log.write("info", "test", `line ${second * 100 + n}`);
      await clock.pass(1000);
    }
    usb.send(line(2, "/echo"));
    const messages = await usb.receive();
    const events = messages.filter((message) => "event" in message);
    const before = events.findIndex(({ data }) => data.includes("lost"));
    const lost = Number(/^10\.000 W usb: (\d+) log lines were lost$/.exec(events[before].data)?.[1]);
    expect(lost).toBeGreaterThan(0);
    expect(events.length).toBe(1000 - lost + 1);
    expect(events[before + 1].data).toBe(log.line(log.first));
    expect(events.at(-1).data).toBe("9.000 I test: line 999");
    // The answer goes before the events that have not begun yet.
    expect(messages.findIndex(({ id }) => id === 2)).toBe(before);
  });

  test("gets all of an answer that is larger than the port", async () => {
    start(10);
    handlers["/large"] = () => ({ status: 200, body: "ä€😀".repeat(1000) });
    usb.send(line(1, "/large"));
    log.write("info", "test", "meanwhile");
    expect(await usb.receive()).toMatchObject([{ id: 1, body: "ä€😀".repeat(1000) }]);
  });

  test("does not fill the console's memory with what it sends", async () => {
    start(10);
    for (let id = 0; id < 1000; id++) usb.send(line(id));
    expect(usb.unreadBytes).toBeGreaterThan(50_000);
    expect((await usb.receive()).filter(({ id }) => id !== null).length).toBe(1000);
  });
});

describe("A cable that is pulled and plugged again", () => {
  test("half an answer is forgotten, and its end is reported", async () => {
    start(20);
    const onSent = vi.fn();
    handlers["/reboot"] = () => ({ status: 200, body: "-".repeat(100), onSent });
    usb.send(line(1, "/reboot"));
    usb.unplug();
    expect(onSent).toHaveBeenCalledOnce();
    usb.plug();
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
  });

  test("the rest of a line that was too long is not awaited", async () => {
    usb.send("x".repeat(6000));
    usb.unplug();
    usb.plug();
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
  });

  test("events wait for the next status and start anew", async () => {
    log.write("info", "boot", "one");
    usb.send(line(1));
    expect((await usb.receive()).length).toBe(2);
    service.streamLogs(false);
    usb.unplug();
    usb.plug();
    service.notifyStatus();
    expect(await usb.receive()).toEqual([]);
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1, logEvent("0.000 I boot: one")]);
  });

  test("a late answer is not sent to the next host", async () => {
    const { promise, resolve } = withResolvers<Answer>();
    const onSent = vi.fn();
    handlers["/slow"] = () => promise;
    usb.send(line(9, "/slow"));
    usb.unplug();
    usb.plug();
    usb.send(line(1));
    expect(await usb.receive()).toEqual([STATUS_1]);
    resolve({ status: 200, body: null, onSent });
    expect(await usb.receive()).toEqual([]);
    expect(onSent).toHaveBeenCalledOnce();
  });

  test("the owner of an upload is notified, once", () => {
    usb.send(line(1, "/echo", { chunk: 1, total: 2, data: "AQID" }));
    expect(onDisconnect).not.toHaveBeenCalled();
    usb.unplug();
    expect(onDisconnect).toHaveBeenCalledOnce();
  });
});

test("close releases the port and all its resources", async () => {
  usb.send(line(1));
  await usb.receive();
  service.close();
  service.close();
  expect(usb.isOpen).toBe(false);
  log.write("info", "test", "later");
  service.notifyStatus();
  expect(await usb.receive()).toEqual([]);
});

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((accept) => {
    resolve = accept;
  });
  return { promise, resolve };
}
