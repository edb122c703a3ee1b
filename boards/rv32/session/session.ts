/**
 * The session, step by step, from the moment that the console is ready. All requests are made beforehand, and each
 * step measures one thing: its other costs are small in comparison, or are also in the step that it is compared with
 * (budgets.ts).
 */
import { BUTTONS } from "../../../device/wasm/abi.js";
import {
  APP_NAME,
  FRAMES,
  LARGE_NAME,
  SCROLLER_NAME,
  type SessionFiles,
  SIEVE_IMAGE_NAME,
  SIEVE_NAME,
  SIEVE_ROUNDS,
  TICK_MILLISECONDS,
  TICKER_NAME,
  TICKS,
} from "./files.js";
import { signFile } from "./publisher.js";
import { closeFrame, httpRequest, upgradeRequest, usbLine } from "./requests.js";
import type { Command, ExpectedAnswer, ExpectedFrame, Step } from "./script.js";

const HTTP_PORT = 8080;
const WS_PORT = 8081;

/** Enough to average out occasional work, such as collections. */
const STATUS_REQUESTS = 1000;
/** Rounds of four clients in turn, each with a head of its own. */
const ROUNDS_IN_TURN = 25;
const OTHER_CLIENTS = Object.freeze([
  { channel: "browser", fields: ["User-Agent: Mozilla/5.0 (X11; Linux x86_64)", "Accept-Language: en"] },
  { channel: "curl", fields: ["User-Agent: curl/8.5.0"] },
  { channel: "node", fields: ["Connection: keep-alive", "Sec-Fetch-Mode: cors"] },
]);
/** The first one is new, the others replace it. One collection takes a third of the instructions of an install. */
const INSTALLS = 5;
/** Raw bytes, 2732 characters on the wire: the chunk size that clients of the console use. */
const CHUNK_BYTES = 2048;
const NORMAL_CLOSURE = 1000;
/** Several turns of the home screen. */
const PRESS_MILLISECONDS = 200;

/** Longer than an app of the last steps runs. */
const RUN_MILLISECONDS = 2000;

const UPLOAD = "/api/ota/upload";
const INSTALL = "/api/apps/install";

export function sessionSteps(files: SessionFiles): Step[] {
  return [
    step("announce", "second", 5, [{ does: "wait", milliseconds: 5000 }]), // by multicast DNS, unrequested
    step("idle", "second", 1, [{ does: "wait", milliseconds: 1000 }]),
    ...httpSteps(),
    ...plugSteps(),
    ...uploadSteps(files),
    ...appSteps(files),
    ...usbSteps(),
    ...installSteps(files),
    ...homeSteps(),
    ...logSteps(),
    ...engineSteps(files),
    step("end", "connection", 1, [close("http"), { does: "wait", milliseconds: 100 }]),
  ];
}

function httpSteps(): Step[] {
  const status = (channel = "http", fields: readonly string[] = []) =>
    ask(channel, httpRequest("GET /api/status", undefined, fields), {
      status: 200,
      body: { bt_mode: "off" },
    });
  const { length } = OTHER_CLIENTS;
  const opening = OTHER_CLIENTS.map(({ channel }) => open(channel, HTTP_PORT));
  const inTurn = OTHER_CLIENTS.flatMap(({ channel, fields }) => status(channel, fields));
  const closing = OTHER_CLIENTS.map(({ channel }) => close(channel));
  return [
    step("connect", "connection", 1, [open("http", HTTP_PORT), ...status()]),
    { ...step("status-http", "request", 1, status()), count: STATUS_REQUESTS },
    step("connect-others", "connection", length, [...opening, ...inTurn]),
    {
      ...step("status-http-in-turn", "request", 1 + length, [...status(), ...inTurn]),
      count: ROUNDS_IN_TURN,
    },
    step("disconnect-others", "connection", length, [...closing, { does: "wait", milliseconds: 100 }]),
  ];
}

/** USB requests before the first request for the status, after which events come between the responses. */
function plugSteps(): Step[] {
  const quiet = usbLine(1, "POST /api/logs/stream", { params: { enabled: false } });
  return [step("plug", "connection", 1, [open("usb", "usb"), ...report("usb", quiet, { status: 200 })])];
}

function usbSteps(): Step[] {
  const status = report("usb", usbLine(1, "GET /api/status"), { status: 200, body: { bt_mode: "off" } });
  return [
    step("discover", "request", 1, status),
    { ...step("status-usb", "request", 1, status), count: STATUS_REQUESTS },
    step("unplug", "connection", 1, [close("usb"), { does: "wait", milliseconds: 100 }]),
  ];
}

/** A firmware upload, without the restart. */
function uploadSteps({ firmware }: SessionFiles): Step[] {
  const lines = chunkLines(UPLOAD, firmware).map((line, index) =>
    report("usb", line, { status: 206, body: { next: index + 2 } }),
  );
  const [first = [], ...rest] = lines.slice(0, -1);
  const staged = { status: 200, body: { state: "staged", received_bytes: firmware.length } };
  return [
    step("upload-begin", "chunk", 1, first),
    step("upload-chunks", "chunk", rest.length, rest.flat()),
    step("upload-end", "chunk", 1, report("usb", lastLine(UPLOAD, firmware), staged)),
    step("upload-http", "KiB", firmware.length / 1024, [
      ...ask("http", httpRequest(`POST ${UPLOAD}`, firmware), staged),
    ]),
  ];
}

/** An example app, over the same cable. */
function appSteps({ app }: SessionFiles): Step[] {
  const lines = chunkLines(INSTALL, app).slice(0, -1);
  const chunks = lines.flatMap((line, index) =>
    report("usb", line, { status: 206, body: { next: index + 2 } }),
  );
  const last = lastLine(INSTALL, app, { signature: signFile(app) });
  const installed = report("usb", last, { status: 200, body: { name: APP_NAME, state: "stopped" } });
  const named = { params: { name: APP_NAME } };
  const ended = { state: "stopped", last_exit: { reason: "stopped" } };
  return [
    step("app-install", "KiB", app.length / 1024, [...chunks, ...installed]),
    step("app-start", "app", 1, [
      ...report("usb", usbLine(1, "POST /api/apps/start", named), {
        status: 200,
        body: { state: "running" },
      }),
    ]),
    step("app-run", "second", 1, [{ does: "wait", milliseconds: 1000 }]),
    step("app-stop", "app", 1, [
      ...report("usb", usbLine(2, "POST /api/apps/stop", named), { status: 200, body: ended }),
    ]),
  ];
}

/**
 * Two modules, each first with an invalid signature: that step has the cost of an install up to validation. And one
 * module without a signature, for which nothing is verified.
 */
function installSteps({ ticker, largeModule }: SessionFiles): Step[] {
  const remove = httpRequest(`POST /api/apps/uninstall?name=${LARGE_NAME}`, Buffer.alloc(0));
  const unsigned = httpRequest(`POST ${INSTALL}?name=${TICKER_NAME}`, ticker);
  const refused = { status: 403, body: { error: "signature_missing" } };
  return [
    { ...step("refuse-unsigned", "request", 1, ask("http", unsigned, refused)), bytes: ticker.length },
    ...refusedAndInstalled(TICKER_NAME, "small", ticker),
    ...refusedAndInstalled(LARGE_NAME, "large", largeModule),
    step("uninstall", "app", 1, ask("http", remove, { status: 200, body: { removed: LARGE_NAME } })),
  ];
}

/** @param name of the app */
function refusedAndInstalled(name: string, size: "small" | "large", module: Uint8Array): Step[] {
  const request = (signature: string) =>
    httpRequest(`POST ${INSTALL}?name=${name}`, module, [`X-Svc-Signature: ${signature}`]);
  const otherSignature = signFile(module.subarray(1));
  const { length: bytes } = module;
  const refused = { status: 403, body: { error: "signature_invalid" } };
  const installed = { status: 200, body: { name, state: "stopped" } };
  const often = (commands: readonly Command[]) => Array.from({ length: INSTALLS }, () => commands).flat();
  return [
    {
      ...step(`refuse-${size}`, "request", INSTALLS, often(ask("http", request(otherSignature), refused))),
      bytes,
    },
    {
      ...step(
        `install-${size}`,
        "request",
        INSTALLS,
        often(ask("http", request(signFile(module)), installed)),
      ),
      bytes,
    },
  ];
}

/**
 * The home screen takes notice of what was installed. Then its cursor moves to the second app and back; before that, a button
 * is pressed as often that does nothing there, with the same requests in the same time. It is the owner who presses them.
 */
function homeSteps(): Step[] {
  const quiet = usbLine(1, "POST /api/logs/stream", { params: { enabled: false } });
  const set = (pressed: number): Command[] => [
    ...report("usb", usbLine(1, "POST /api/buttons", { params: { pressed } }), {
      status: 200,
      body: { pressed },
    }),
    { does: "wait", milliseconds: PRESS_MILLISECONDS },
  ];
  const press = (name: (typeof BUTTONS)[number]) => [...set(1 << BUTTONS.indexOf(name)), ...set(0)];
  return [
    step("home-plug", "connection", 1, [open("usb", "usb"), ...report("usb", quiet, { status: 200 })]),
    step("home-notice", "second", 2, [{ does: "wait", milliseconds: 2000 }]),
    step("home-still", "press", 2, [...press("x"), ...press("x")]),
    step("home-cursor", "press", 2, [...press("right"), ...press("left")]),
    step("home-unplug", "connection", 1, [close("usb"), { does: "wait", milliseconds: 100 }]),
  ];
}

/** A WebSocket client that follows the log: existing lines, and lines of a running app. */
function logSteps(): Step[] {
  const start = httpRequest(`POST /api/apps/start?name=${TICKER_NAME}`, Buffer.alloc(0));
  const lastOfHistory = `I apps: uninstalled "${LARGE_NAME}"\n`;
  const line = { text: / I app\/ticker: tick\n$/ };
  return [
    step("log-open", "connection", 1, [
      open("log", WS_PORT),
      send("log", upgradeRequest()),
      { does: "await", channel: "log", what: "text", text: "\r\n\r\n" },
      { does: "await", channel: "log", what: "text", text: lastOfHistory },
    ]),
    step("log-start", "app", 1, [
      ...ask("http", start, { status: 200, body: { state: "running" } }),
      frames({ text: / I apps: started "ticker"/ }),
    ]),
    step("log-lines", "line", TICKS, [
      { does: "wait", milliseconds: TICKS * TICK_MILLISECONDS },
      frames(...Array.from({ length: TICKS }, () => line), { text: / I apps: "ticker" ended: / }),
    ]),
    step("log-close", "connection", 1, [
      send("log", closeFrame(NORMAL_CLOSURE)),
      frames({ closeCode: NORMAL_CLOSURE }),
      close("log"),
    ]),
  ];
}

/** An app that scrolls the whole display; and one that computes, interpreted and as a native image. */
function engineSteps({ scroller, sieve, sieveImage }: SessionFiles): Step[] {
  return [
    ...installedAndRun("scroll", scroller, { name: SCROLLER_NAME, engine: "wasm3" }, "frame", FRAMES),
    ...installedAndRun("compute", sieve, { name: SIEVE_NAME, engine: "wasm3" }, "round", SIEVE_ROUNDS),
    ...installedAndRun(
      "compute-image",
      sieveImage,
      { name: SIEVE_IMAGE_NAME, engine: "aot" },
      "round",
      SIEVE_ROUNDS,
    ),
  ];
}

/** The first step leaves the app installed, the second one has it run to its end. */
function installedAndRun(
  what: string,
  file: Uint8Array,
  { name, engine }: { readonly name: string; readonly engine: string },
  unit: string,
  units: number,
): Step[] {
  const install = httpRequest(`POST ${INSTALL}`, file, [`X-Svc-Signature: ${signFile(file)}`]);
  const start = httpRequest(`POST /api/apps/start?name=${name}`, Buffer.alloc(0));
  return [
    step(
      `${what}-install`,
      "app",
      1,
      ask("http", install, { status: 200, body: { name, state: "stopped" } }),
    ),
    step(what, unit, units, [
      ...ask("http", start, { status: 200, body: { state: "running", engine } }),
      { does: "wait", milliseconds: RUN_MILLISECONDS },
    ]),
  ];
}

function step(name: string, unit: string, units: number, commands: readonly Command[]): Step {
  return { name, count: 1, unit, units, commands };
}

function open(channel: string, port: number | "usb"): Command {
  return { does: "open", channel, port };
}

function send(channel: string, bytes: Uint8Array): Command {
  return { does: "send", channel, bytes };
}

function close(channel: string): Command {
  return { does: "close", channel };
}

function ask(channel: string, request: Uint8Array, expected: ExpectedAnswer): Command[] {
  return [send(channel, request), { does: "await", channel, what: "http", expected: [expected] }];
}

function report(channel: string, request: Uint8Array, expected: ExpectedAnswer): Command[] {
  return [send(channel, request), { does: "await", channel, what: "lines", expected: [expected] }];
}

function frames(...expected: ExpectedFrame[]): Command {
  return { does: "await", channel: "log", what: "frames", expected };
}

/** A line for each chunk. */
function chunkLines(path: string, file: Uint8Array): Buffer[] {
  return Array.from({ length: chunksOf(file) }, (_, index) => chunkLine(path, file, index + 1));
}

function lastLine(path: string, file: Uint8Array, params?: Readonly<Record<string, string>>): Buffer {
  return chunkLine(path, file, chunksOf(file), params);
}

function chunksOf(file: Uint8Array): number {
  return Math.ceil(file.length / CHUNK_BYTES);
}

/** @param chunk number, from 1 */
function chunkLine(
  path: string,
  file: Uint8Array,
  chunk: number,
  params: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = file.subarray((chunk - 1) * CHUNK_BYTES, chunk * CHUNK_BYTES);
  const data = Buffer.from(bytes).toString("base64");
  return usbLine(chunk, `POST ${path}`, { params, chunk, total: chunksOf(file), data });
}
