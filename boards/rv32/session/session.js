/**
 * What the console is played, step by step, from the moment it is ready. Everything that a step sends was made before,
 * and each step has one thing to tell of: the rest of what it takes is small beside that, or is in the step that it is
 * compared with (budgets.js).
 */
import { APP_NAME, LARGE_NAME, TICK_MILLISECONDS, TICKER_NAME, TICKS } from "./files.js";
import { signFile } from "./publisher.js";
import { closeFrame, httpRequest, upgradeRequest, usbLine } from "./requests.js";

const HTTP_PORT = 8080;
const WS_PORT = 8081;

/** As many as make what happens now and then, like collections, a part of each. */
const STATUS_REQUESTS = 1000;
/** Two clients by turns: the console knows again the head that was the last alone. */
const HEADS_IN_TURN = 50;
/** Raw bytes, of which 2732 characters are on the wire: what clients of the console choose. */
const CHUNK_BYTES = 2048;
const NORMAL_CLOSURE = 1000;

const UPLOAD = "/api/ota/upload";
const INSTALL = "/api/apps/install";

/** @typedef {import("./script.js").Command} Command */
/** @typedef {import("./script.js").ExpectedAnswer} ExpectedAnswer */
/** @typedef {import("./script.js").ExpectedFrame} ExpectedFrame */
/** @typedef {import("./script.js").Step} Step */
/** @typedef {import("./files.js").SessionFiles} SessionFiles */

/** @param {SessionFiles} files @returns {Step[]} */
export function sessionSteps(files) {
  return [
    step("announce", "second", 5, [{ does: "wait", milliseconds: 5000 }]), // itself, by multicast DNS
    step("idle", "second", 1, [{ does: "wait", milliseconds: 1000 }]),
    ...httpSteps(),
    ...plugSteps(),
    ...uploadSteps(files),
    ...appSteps(files),
    ...usbSteps(),
    ...installSteps(files),
    ...logSteps(),
    step("end", "connection", 1, [close("http"), { does: "wait", milliseconds: 100 }]),
  ];
}

/** @returns {Step[]} */
function httpSteps() {
  const status = (/** @type {string[]} */ ...fields) =>
    ask("http", httpRequest("GET /api/status", undefined, fields), { status: 200, body: { bt_mode: "off" } });
  const inTurn = [...status("X-Turn: mine"), ...status("X-Turn: yours")];
  return [
    step("connect", "connection", 1, [open("http", HTTP_PORT), ...status()]),
    { ...step("status-http", "request", 1, status()), count: STATUS_REQUESTS },
    { ...step("status-http-in-turn", "request", 2, inTurn), count: HEADS_IN_TURN },
  ];
}

/** What is sent over the cable before anything asks for the status: such a host gets events among its answers. */
function plugSteps() {
  const quiet = usbLine(1, "POST /api/logs/stream", { params: { enabled: false } });
  return [step("plug", "connection", 1, [open("usb", "usb"), ...tell("usb", quiet, { status: 200 })])];
}

/** @returns {Step[]} */
function usbSteps() {
  const status = tell("usb", usbLine(1, "GET /api/status"), { status: 200, body: { bt_mode: "off" } });
  return [
    step("discover", "request", 1, status),
    { ...step("status-usb", "request", 1, status), count: STATUS_REQUESTS },
    step("unplug", "connection", 1, [close("usb"), { does: "wait", milliseconds: 100 }]),
  ];
}

/** Firmware upload without a restart into it. @param {SessionFiles} files @returns {Step[]} */
function uploadSteps({ firmware }) {
  const lines = chunkLines(UPLOAD, firmware).map((line, index) =>
    tell("usb", line, { status: 206, body: { next: index + 2 } }),
  );
  const [first = [], ...rest] = lines.slice(0, -1);
  const staged = { status: 200, body: { state: "staged", received_bytes: firmware.length } };
  return [
    step("upload-begin", "chunk", 1, first),
    step("upload-chunks", "chunk", rest.length, rest.flat()),
    step("upload-end", "chunk", 1, tell("usb", lastLine(UPLOAD, firmware), staged)),
    step("upload-http", "KiB", firmware.length / 1024, [
      ...ask("http", httpRequest(`POST ${UPLOAD}`, firmware), staged),
    ]),
  ];
}

/** An example, over the same cable. @param {SessionFiles} files @returns {Step[]} */
function appSteps({ app }) {
  const lines = chunkLines(INSTALL, app).slice(0, -1);
  const chunks = lines.flatMap((line, index) =>
    tell("usb", line, { status: 206, body: { next: index + 2 } }),
  );
  const last = lastLine(INSTALL, app, { signature: signFile(app) });
  const installed = tell("usb", last, { status: 200, body: { name: APP_NAME, state: "stopped" } });
  const named = { params: { name: APP_NAME } };
  const ended = { state: "stopped", last_exit: { reason: "stopped" } };
  return [
    step("app-install", "KiB", app.length / 1024, [...chunks, ...installed]),
    step("app-start", "app", 1, [
      ...tell("usb", usbLine(1, "POST /api/apps/start", named), {
        status: 200,
        body: { state: "running" },
      }),
    ]),
    step("app-run", "second", 1, [{ does: "wait", milliseconds: 1000 }]),
    step("app-stop", "app", 1, [
      ...tell("usb", usbLine(2, "POST /api/apps/stop", named), { status: 200, body: ended }),
    ]),
  ];
}

/**
 * Two modules, each first with the signature of other bytes: what that takes, one that is installed has taken, too,
 * before it is validated. And one without any signature, for which nothing is verified.
 *
 * @param {SessionFiles} files
 * @returns {Step[]}
 */
function installSteps({ ticker, largeModule }) {
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

/** @param {string} name of the app @param {"small" | "large"} size @param {Uint8Array} module @returns {Step[]} */
function refusedAndInstalled(name, size, module) {
  const request = (/** @type {string} */ signature) =>
    httpRequest(`POST ${INSTALL}?name=${name}`, module, [`X-Svc-Signature: ${signature}`]);
  const otherSignature = signFile(module.subarray(1));
  const { length: bytes } = module;
  const refused = { status: 403, body: { error: "signature_invalid" } };
  const installed = { status: 200, body: { name, state: "stopped" } };
  return [
    { ...step(`refuse-${size}`, "request", 1, ask("http", request(otherSignature), refused)), bytes },
    { ...step(`install-${size}`, "request", 1, ask("http", request(signFile(module)), installed)), bytes },
  ];
}

/** A WebSocket client that follows the log: what was there, and what an app says while it looks. @returns {Step[]} */
function logSteps() {
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

/** @param {string} name @param {string} unit @param {number} units @param {readonly Command[]} commands @returns {Step} */
function step(name, unit, units, commands) {
  return { name, count: 1, unit, units, commands };
}

/** @param {string} channel @param {number | "usb"} port @returns {Command} */
function open(channel, port) {
  return { does: "open", channel, port };
}

/** @param {string} channel @param {Uint8Array} bytes @returns {Command} */
function send(channel, bytes) {
  return { does: "send", channel, bytes };
}

/** @param {string} channel @returns {Command} */
function close(channel) {
  return { does: "close", channel };
}

/** @param {string} channel @param {Uint8Array} request @param {ExpectedAnswer} expected @returns {Command[]} */
function ask(channel, request, expected) {
  return [send(channel, request), { does: "await", channel, what: "http", expected: [expected] }];
}

/** @param {string} channel @param {Uint8Array} request @param {ExpectedAnswer} expected @returns {Command[]} */
function tell(channel, request, expected) {
  return [send(channel, request), { does: "await", channel, what: "lines", expected: [expected] }];
}

/** @param {...ExpectedFrame} expected @returns {Command} */
function frames(...expected) {
  return { does: "await", channel: "log", what: "frames", expected };
}

/** A line for each chunk. @param {string} path @param {Uint8Array} file @returns {Buffer[]} */
function chunkLines(path, file) {
  return Array.from({ length: chunksOf(file) }, (_, index) => chunkLine(path, file, index + 1));
}

/** @param {string} path @param {Uint8Array} file @param {Readonly<Record<string, string>>} [params] */
function lastLine(path, file, params) {
  return chunkLine(path, file, chunksOf(file), params);
}

/** @param {Uint8Array} file */
function chunksOf(file) {
  return Math.ceil(file.length / CHUNK_BYTES);
}

/**
 * @param {string} path
 * @param {Uint8Array} file
 * @param {number} chunk from 1 on
 * @param {Readonly<Record<string, string>>} [params]
 */
function chunkLine(path, file, chunk, params = {}) {
  const bytes = file.subarray((chunk - 1) * CHUNK_BYTES, chunk * CHUNK_BYTES);
  const data = Buffer.from(bytes).toString("base64");
  return usbLine(chunk, `POST ${path}`, { params, chunk, total: chunksOf(file), data });
}
