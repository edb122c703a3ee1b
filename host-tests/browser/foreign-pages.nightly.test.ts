/**
 * A page of another site drives no console behind its user's back (docs/spec/http.md#foreign-pages):
 * whatever a page can have Chromium send by itself, the console goes on as it was. The page is on this machine, where
 * Chromium lets it send everything, and out in the Internet, where Chromium lets it send little.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { WebSocket as SocketOfPrograms } from "ws";
import { ENDPOINTS } from "../../device/services/api/endpoints.js";
import { writeRevocationList } from "../../protocol/keys/revocation-list.js";
import { installOverHttp } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { firmwareBundle } from "../hosts/firmware-files.js";
import { askHttp, askShell, closedConnectionsNoticed, getJson } from "../hosts/http-client.js";
import { Publisher } from "../hosts/publisher.js";
import { Chromium, missesChromium } from "./hosts/chromium.js";
import { PageServer, type ServedFile } from "./hosts/page-server.js";
import { type Asked, RecordingProxy } from "./hosts/recording-proxy.js";

const publisher = new Publisher();

/** Runs until it is stopped. */
const APP = `(module (import "svc" "sleep_ms" (func $sleep (param i32))) (memory (export "memory") 1)
  (func (export "main") (loop $on (call $sleep (i32.const 1000)) (br $on))))`;
const appPackage = async (name: string) => packageOf(await moduleOf(APP), { name });
const ANOTHER_APP = await appPackage("snake");
const FIRMWARE = await firmwareBundle({ version: "0.2.0", fault: "crash" }, publisher);
const LIST = writeRevocationList({
  number: 1,
  keys: [new Uint8Array(32).fill(7)],
  signer: publisher.publicKey,
  sign: (message) => publisher.signBytes(message),
});

type Query = Readonly<Record<string, string>>;

/** What changes something, for every row of POST that has parameters. */
const QUERIES: Readonly<Record<string, readonly Query[]>> = {
  "/api/apps/start": [{ name: "tetris" }],
  "/api/apps/stop": [{ name: "clock" }],
  "/api/apps/front": [{ name: "dice" }],
  "/api/apps/background": [{ name: "clock", allowed: "true" }],
  "/api/apps/uninstall": [{ name: "tetris" }],
  "/api/apps/install": [{ signature: publisher.sign(ANOTHER_APP) }],
  "/api/ota/upload": [{ reboot: "true" }],
  "/api/buttons": [{ pressed: "16" }],
  "/api/logs/stream": [{ enabled: "true" }],
  "/api/cmd": [
    "reboot",
    "log level debug",
    "app uninstall tetris",
    "hub set http://127.0.0.1:9",
    "ota confirm",
  ].map((c) => ({ c })),
  "/api/keys/revocations": [{}],
  "/api/keys/owner": [{ key: publisher.hex }, { key: publisher.hex, remove: "true" }],
  "/api/hub": [{ url: "http://127.0.0.1:9" }],
  "/api/hub/questions": [{ id: "install-1", accept: "true" }],
  "/api/settings": [
    { start_app: "tetris", brightness_percent: "5", sleep_after_s: "60", updates: "automatic" },
  ],
  "/api/wifi": [{ ssid: "network", password: "password" }],
  "/api/wifi/setup": [{ open: "true" }],
};

/** What is worth sending there, for the ways that send it. */
const FILES: Readonly<Record<string, Uint8Array>> = {
  "/api/apps/install": ANOTHER_APP,
  "/api/ota/upload": FIRMWARE,
  "/upload": FIRMWARE,
  "/api/keys/revocations": LIST,
};

const POSTS = ENDPOINTS.filter(({ method }) => method === "POST");

/** What would be seen on the console afterwards, each as path and query: all of the table of endpoints. */
const CHANGES = POSTS.flatMap(({ path, parameters = [] }) => {
  const queries = QUERIES[path] ?? [{}];
  for (const query of queries)
    for (const { name, isRequired } of parameters)
      assert.ok(
        !isRequired || Object.hasOwn(query, name),
        `${path} takes "${name}", which is to be in QUERIES`,
      );
  assert.ok(parameters.length === 0 || Object.hasOwn(QUERIES, path), `${path} is to be in QUERIES`);
  return queries.map((query) => `${path}?${new URLSearchParams(query)}`.replace(/\?$/, ""));
});

/** Ways in which a page has a browser ask for an address; `METHOD` and `TYPE` stand where a form may choose. */
const TRANSPORTS: readonly {
  readonly name: string;
  readonly markup: (address: string) => string;
  /** Whether it posts to all of them. */
  readonly posts?: boolean;
  /** Whether it opens windows, which Chromium lets a page do that is out in the Internet. */
  readonly opens?: boolean;
}[] = [
  { name: "images", markup: (at) => `<img src="${at}">` },
  { name: "style sheets", markup: (at) => `<link rel="stylesheet" href="${at}">` },
  { name: "prefetched links", markup: (at) => `<link rel="prefetch" href="${at}">` },
  { name: "scripts", markup: (at) => `<script src="${at}"></script>` },
  { name: "frames", markup: (at) => `<iframe src="${at}"></iframe>` },
  { name: "media", markup: (at) => `<video src="${at}" preload="auto"></video>` },
  { name: "forms with GET", markup: (at) => submitted(at, "get", "application/x-www-form-urlencoded") },
  {
    name: "forms with POST",
    markup: (at) => submitted(at, "post", "application/x-www-form-urlencoded"),
    posts: true,
  },
  { name: "forms with POST of text", markup: (at) => submitted(at, "post", "text/plain"), posts: true },
  {
    name: "forms with POST of files",
    markup: (at) => submitted(at, "post", "multipart/form-data"),
    posts: true,
  },
  {
    name: "forms without a referrer",
    markup: (at) =>
      `<meta name="referrer" content="no-referrer">${submitted(at, "post", "application/x-www-form-urlencoded")}`,
    posts: true,
  },
  {
    name: "a sandboxed frame",
    markup: (at) =>
      `<iframe sandbox="allow-scripts allow-forms" srcdoc="<script>fetch('${at}', { method: 'POST', mode: 'no-cors' })</script>"></iframe>`,
    posts: true,
  },
  { name: "fetch", markup: (at) => script(`fetch("${at}", { mode: "no-cors" })`) },
  {
    name: "fetch with POST",
    markup: (at) => script(`fetch("${at}", { method: "POST", mode: "no-cors", body: ${fileFor(at)} })`),
    posts: true,
  },
  { name: "fetch with a preflight", markup: (at) => script(`fetch("${at}", { method: "PUT" })`) },
  { name: "beacons", markup: (at) => script(`navigator.sendBeacon("${at}", "x")`), posts: true },
  { name: "pop-ups", markup: (at) => script(`open("${at}")`), opens: true },
  {
    name: "forms with POST into pop-ups",
    markup: (at) => submitted(at, "post", "text/plain", "_blank"),
    posts: true,
    opens: true,
  },
];

const script = (statement: string) => `<script>${statement};</script>`;

/** As an expression of JavaScript. */
function fileFor(address: string): string {
  const text = Buffer.from(FILES[new URL(address).pathname] ?? []).toString("base64");
  return `Uint8Array.from(atob("${text}"), (character) => character.charCodeAt(0))`;
}

let forms = 0;
/** A form that submits itself, into a frame unless it has another target; a GET form's query is that of its fields. */
function submitted(address: string, method: string, type: string, target?: string): string {
  const { origin, pathname, search, searchParams } = new URL(address);
  const id = `form${forms++}`;
  const fields = [...searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`).join("");
  const action = method === "get" ? `${origin}${pathname}` : `${origin}${pathname}${search}`;
  const frame = target === undefined ? `<iframe name="${id}"></iframe>` : "";
  return `${frame}<form id="${id}" target="${target ?? id}" method="${method}" enctype="${type}"
    action="${action}">${fields}</form><script>document.getElementById("${id}").submit();</script>`;
}

/** Where the page's server is, as Chromium sees it. */
const PLACES = [
  { where: "on this machine", isPublic: false },
  { where: "out in the Internet", isPublic: true },
];

for (const { where, isPublic } of PLACES)
  describe.skipIf(missesChromium)(`A page of another site ${where}`, () => {
    let console: AppConsole;
    /** Between Chromium and the console. */
    let proxy: RecordingProxy;
    let chromium: Chromium;
    let host: PageServer;
    const files = new Map<string, ServedFile>();
    beforeAll(async () => {
      console = await startAppConsole({ publisher });
      for (const name of ["tetris", "dice", "clock"]) {
        const file = await appPackage(name);
        await installOverHttp(console, { file, signature: publisher.sign(file) });
      }
      for (const name of ["dice", "clock"]) {
        await console.app("start", name);
        await console.until(({ state }) => state === "running", name);
      }
      host = await PageServer.start(files);
      chromium = await Chromium.launch(isPublic ? { publicServers: [new URL(host.origin).host] } : {});
    });
    // Each test has its own: requests of a page that is closed may still be on their way.
    beforeEach(async () => {
      proxy = await RecordingProxy.start(console.http);
    });
    afterEach(async ({ task }) => {
      await chromium.closePages(task);
      await proxy.close();
    });
    afterAll(async () => {
      await chromium?.close();
      await host?.close();
      await console?.stop();
    });

    async function seen() {
      const ask = (at: string) => getJson(`${console.http}${at}`);
      const { reset_reason } = await ask("/api/system");
      const { url } = await ask("/api/hub");
      const { uptime_ms } = await ask("/api/status");
      const level = await askShell(console.http, "log level");
      const ota = await ask("/api/ota/status");
      const revocations = await ask("/api/keys/revocations");
      const settings = await ask("/api/settings");
      const apps = (await console.apps()).map(({ name, state, foreground }) => [name, state, foreground]);
      return { kept: { reset_reason, url, level, ota, revocations, settings, apps }, uptime_ms };
    }

    /** Opens a page of the host's; the context goes with the test. */
    async function open(body: string) {
      const content = `<!doctype html><title>elsewhere</title><body>${body}`;
      files.set("/", { mediaType: "text/html; charset=utf-8", content });
      const page = await (await chromium.browser.newContext()).newPage();
      await page.goto(host.origin, { waitUntil: "load" }).catch(() => undefined); // a frame may never load
      return page;
    }

    for (const { name, markup, posts = false, opens = false } of TRANSPORTS)
      test(`changes nothing by ${name}`, async () => {
        const before = await seen();
        const page = await open(CHANGES.map((change) => markup(`${proxy.origin}${change}`)).join("\n"));
        const reaches = opens || !isPublic;
        if (reaches) await proxy.until((asked) => (posts ? hasAllPosts(asked) : asked.length > 0));
        await page.waitForTimeout(300); // no event tells that scripts, forms and pop-ups have sent all of theirs
        if (!reaches) assert.deepEqual(proxy.asked, []);
        const changing = proxy.asked.filter(({ method }) => !["GET", "HEAD", "OPTIONS"].includes(method));
        assert.deepEqual(
          changing.filter(({ status }) => status !== 403),
          [],
        );
        // While the page asks for more, the console makes room by closing connections that wait, also ours.
        await page.context().close();
        await proxy.close();
        await closedConnectionsNoticed();
        const after = await seen();
        assert.deepEqual(after.kept, before.kept);
        assert.ok(after.uptime_ms > before.uptime_ms, "the console has not restarted");
      });

    test("cannot read the answer to a GET", async () => {
      const page = await open("");
      const answer = await page.evaluate(
        (at) =>
          fetch(at).then(
            (response) => response.text(),
            () => "blocked",
          ),
        `${console.http}/api/status`,
      );
      assert.equal(answer, "blocked");
    });

    test("cannot follow the log over the WebSocket", async () => {
      const page = await open("");
      const outcome = await page.evaluate(
        (at) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(at);
            socket.onopen = () => resolve("open");
            socket.onmessage = ({ data }) => resolve(data);
            socket.onclose = () => resolve("refused");
          }),
        console.ws,
      );
      assert.equal(outcome, "refused");
      const own = new SocketOfPrograms(console.ws);
      await once(own, "open");
      own.terminate();
    });
  });

/** Whether every row of POST was asked. */
function hasAllPosts(asked: readonly Asked[]): boolean {
  const paths = new Set(
    asked.filter(({ method }) => method === "POST").map(({ url }) => new URL(url, "http://console").pathname),
  );
  return POSTS.every(({ path }) => paths.has(path));
}

describe("A page of another site", () => {
  test("cannot change anything by POST: an Origin of null or of another site is rejected", async () => {
    const console = await startAppConsole();
    for (const origin of ["null", "https://elsewhere.example"])
      for (const change of CHANGES) {
        const headers = { origin };
        const answer = await askHttp(`${console.http}${change}`, { method: "POST", headers });
        assert.deepEqual([change, answer.status, answer.body.error], [change, 403, "foreign_origin"]);
      }
    await console.stop();
  });
});
