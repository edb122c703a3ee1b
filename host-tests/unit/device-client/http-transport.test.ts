/** The client's half of HTTP over a port that the test answers for. */
import { beforeEach, describe, expect, test } from "vitest";
import { Device } from "../../../device-client/device.js";
import type {
  HttpPort,
  HttpRequest,
  HttpResponse,
  SocketHandlers,
} from "../../../device-client/host-ports.js";
import { consoleOrigin, HttpTransport } from "../../../device-client/http-transport.js";
import { LOG_RETRY_MS, POLL_INTERVAL_MS, REPLAY_PAUSE_MS } from "../../../device-client/limits.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";

const json = (body: unknown, status = 200): HttpResponse => ({
  status,
  mediaType: "application/json",
  bytes: new TextEncoder().encode(JSON.stringify(body)),
});

class ScriptedPort implements HttpPort {
  readonly requests: HttpRequest[] = [];
  readonly sockets: { readonly url: string; readonly handlers: SocketHandlers; isClosed: boolean }[] = [];
  answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse> = () => json({});
  hasSockets = true;

  async send(request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request);
    return this.answer(request);
  }

  get openSocket(): NonNullable<HttpPort["openSocket"]> {
    return (this.hasSockets ? this.#open : undefined) as NonNullable<HttpPort["openSocket"]>;
  }

  readonly #open = (url: string, handlers: SocketHandlers) => {
    const socket = { url, handlers, isClosed: false };
    this.sockets.push(socket);
    return {
      close: () => {
        socket.isClosed = true;
      },
    };
  };
}

let clock: EmulatedClock;
let port: ScriptedPort;
let http: HttpTransport;
const address = "http://192.0.2.7:8080";
beforeEach(() => {
  clock = new EmulatedClock();
  port = new ScriptedPort();
  http = new HttpTransport({ address, port, token: "T&T", clock });
});
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "fulfilled",
    ({ code }) => code,
  );

describe("a request over HTTP", () => {
  test("sends parameters in the query and the token in a header", async () => {
    await http.request({ method: "POST", path: "/api/apps/start", parameters: { name: "a b&ü", x: "" } });
    expect(port.requests[0]).toMatchObject({
      method: "POST",
      url: `${address}/api/apps/start?name=a%20b%26%C3%BC&x=`,
      headers: { authorization: "Bearer T&T" },
    });
  });

  test("sends no Authorization header without a token", async () => {
    for (const token of ["", undefined])
      await new HttpTransport({ address, port, token }).request({ method: "GET", path: "/api/status" });
    expect(port.requests.map(({ headers }) => headers)).toEqual([{}, {}]);
  });

  test("resolves with a refusal as its answer", async () => {
    port.answer = () => json({ error: "app_not_found" }, 404);
    expect(await http.request({ method: "GET", path: "/x" })).toEqual({
      status: 404,
      body: { error: "app_not_found" },
    });
  });

  const text = new TextEncoder().encode("<html>");
  for (const [name, response] of [
    ["a page", { status: 200, mediaType: "text/html", bytes: text }],
    ["what claims to be JSON and is not", { status: 200, mediaType: "application/json", bytes: text }],
    ["nothing", { status: 204, mediaType: "", bytes: new Uint8Array() }],
  ] as const)
    test(`rejects with not_a_console for ${name}`, async () => {
      port.answer = () => response;
      expect(await codeOf(http.request({ method: "GET", path: "/api/status" }))).toBe("not_a_console");
    });

  test("is cancelled when the transport closes", async () => {
    port.answer = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    const asked = codeOf(http.request({ method: "GET", path: "/api/status" }));
    await http.close();
    await http.close();
    expect([await asked, await http.closed]).toEqual(["device_lost", undefined]);
  });
});

test("sends a file as one body, with its signature in the query", async () => {
  port.answer = ({ onProgress }) => {
    onProgress?.(2);
    return json({ name: "tetris" });
  };
  const file = Uint8Array.of(1, 2, 3);
  const progress: number[] = [];
  const onProgress = (sent: number) => progress.push(sent);
  const device = new Device(http);
  expect(await device.install({ file, signature: "ab", onProgress })).toEqual({ name: "tetris" });
  expect(port.requests[0]).toMatchObject({ url: `${address}/api/apps/install?signature=ab`, body: file });
  expect(progress).toEqual([2, 3]);
});

describe("a host that answers the first request", () => {
  for (const [name, response, code] of [
    ["a console", json({ fw_version: "1.0" }), "fulfilled"],
    ["another service's JSON", json({ status: "ok" }), "not_a_console"],
    ["a service without that path", json({ error: "Not Found", statusCode: 404 }, 404), "not_a_console"],
    ["a hub", json({ error: "not_found", message: "There is nothing" }, 404), "not_a_console"],
    [
      "a console that requires a token",
      json({ error: "unauthorized", message: "Token" }, 401),
      "unauthorized",
    ],
    [
      "another service that requires a token",
      json({ error: "Unauthorized", message: "x" }, 401),
      "not_a_console",
    ],
  ] as const)
    test(`is reported as ${name}`, async () => {
      port.answer = () => response;
      expect(await codeOf(Device.identify(http))).toBe(code);
    });
});

describe("the log over HTTP", () => {
  let lines: string[];
  let stop: () => void;
  /** `GET /api/logs` as a console answers it. */
  let log: string[];
  beforeEach(() => {
    lines = [];
    log = [];
    port.answer = ({ url }) => {
      if (url.endsWith("/api/system")) return json({ ws_port: 9000 });
      const since = Number(new URL(url).searchParams.get("since") ?? 0);
      const start = since > log.length ? 0 : since;
      return json({ lines: log.slice(start), next: log.length, dropped: 0 });
    };
    stop = http.followLog((line) => lines.push(line));
  });

  const socket = () => port.sockets.at(-1) as ScriptedPort["sockets"][number];
  const polls = () => port.requests.filter(({ url }) => url.includes("/api/logs")).length;

  test("comes over the WebSocket that the console names, with the token", async () => {
    await clock.pass(0);
    expect(socket().url).toBe("ws://192.0.2.7:9000/ws?token=T%26T");
    socket().handlers.onOpen();
    socket().handlers.onText("a\n");
    socket().handlers.onText("b\n");
    expect(lines).toEqual(["a", "b"]);
  });

  test("is followed again after the WebSocket was lost, without duplicates", async () => {
    for (const told of ["a\nb\n", "a\nb\nc\n"]) {
      await clock.pass(LOG_RETRY_MS);
      socket().handlers.onOpen();
      socket().handlers.onText(told);
      socket().handlers.onClosed();
    }
    expect([lines, polls()]).toEqual([["a", "b", "c"], 0]);
  });

  test("is polled where no WebSocket can be opened", async () => {
    log = ["a", "b"];
    await clock.pass(0);
    socket().handlers.onClosed();
    await clock.pass(0);
    log.push("c");
    await clock.pass(POLL_INTERVAL_MS);
    await clock.pass(POLL_INTERVAL_MS);
    expect([lines, polls()]).toEqual([["a", "b", "c"], 3]);
  });

  test("is polled where WebSocket is missing, over restarts of the console too", async () => {
    port.hasSockets = false;
    log = ["a", "b", "c"];
    await clock.pass(0);
    log = ["c", "boot", "x", "y", "z"]; // the number goes on, and means something else
    await clock.pass(POLL_INTERVAL_MS);
    log = []; // nothing was kept
    await clock.pass(POLL_INTERVAL_MS);
    log = ["boot"];
    await clock.pass(POLL_INTERVAL_MS + REPLAY_PAUSE_MS);
    expect(lines).toEqual(["a", "b", "c", "boot", "x", "y", "z", "boot"]);
  });

  test("continues after a failed poll", async () => {
    port.hasSockets = false;
    await clock.pass(0);
    const { answer } = port;
    port.answer = () => Promise.reject(new Error("away"));
    await clock.pass(POLL_INTERVAL_MS);
    port.answer = answer;
    log = ["a"];
    await clock.pass(LOG_RETRY_MS);
    expect(lines).toEqual(["a"]);
  });

  test("stops after a refused token, before the console locks out the right one", async () => {
    port.answer = () => json({ error: "unauthorized", message: "No" }, 401);
    await clock.pass(60_000);
    expect([port.requests.length, clock.timerCount]).toEqual([1, 0]);
  });

  test("ends when its follower does", async () => {
    await clock.pass(0);
    socket().handlers.onOpen();
    stop();
    socket().handlers.onText("late\n");
    expect([socket().isClosed, lines, clock.timerCount]).toEqual([true, [], 0]);
  });
});

describe("the address of a console", () => {
  for (const [typed, origin] of [
    ["192.168.1.20", "http://192.168.1.20:8080"],
    ["Console-1A2B.local", "http://console-1a2b.local:8080"],
    ["console:81", "http://console:81"],
    ["http://console", "http://console"],
    ["HTTP://console:8080/", "http://console:8080"],
    ["https://console", "https://console"],
    ["[fe80::1]:8080", "http://[fe80::1]:8080"],
    [" [::1] ", "http://[::1]:8080"],
  ] as const)
    test(`${JSON.stringify(typed)} is ${origin}`, () => expect(consoleOrigin(typed)).toBe(origin));

  for (const typed of [
    "",
    "http://",
    "a b",
    "http://user@host",
    "http://host/path",
    "host:0",
    "host:99999",
    "ftp://host",
  ])
    test(`${JSON.stringify(typed)} is not an address`, () => {
      expect(() => consoleOrigin(typed)).toThrow(expect.objectContaining({ code: "device_not_found" }));
    });
});
