/**
 * A page of another site drives no console behind its user's back (docs/spec/http.md#foreign-pages):
 * whatever a page can have Chromium send by itself, the console goes on as it was.
 */
import assert from "node:assert/strict";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { installOverHttp } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { moduleOf, packageOf } from "../hosts/app-files.js";
import { askHttp, askShell, getJson } from "../hosts/http-client.js";
import { Chromium, missesChromium } from "./hosts/chromium.js";
import { PageServer } from "./hosts/page-server.js";

/** What would be seen on the console afterwards, each as method, path and query. */
const CHANGES = [
  "/api/cmd?c=reboot",
  "/api/cmd?c=log+level+debug",
  "/api/cmd?c=app+uninstall+tetris",
  "/api/cmd?c=hub+set+http%3A%2F%2F127.0.0.1%3A9",
  "/api/reboot",
  "/api/apps/uninstall?name=tetris",
  "/api/hub?url=http%3A%2F%2F127.0.0.1%3A9",
  "/api/buttons?pressed=16",
  "/upload",
];

/** Ways in which a page has a browser ask for an address; `METHOD` and `TYPE` stand where a form may choose. */
const WAYS: readonly { readonly name: string; readonly markup: (address: string) => string }[] = [
  { name: "images", markup: (at) => `<img src="${at}">` },
  { name: "style sheets", markup: (at) => `<link rel="stylesheet" href="${at}">` },
  { name: "prefetched links", markup: (at) => `<link rel="prefetch" href="${at}">` },
  { name: "scripts", markup: (at) => `<script src="${at}"></script>` },
  { name: "frames", markup: (at) => `<iframe src="${at}"></iframe>` },
  { name: "media", markup: (at) => `<video src="${at}" preload="auto"></video>` },
  { name: "forms that get", markup: (at) => submitted(at, "get", "application/x-www-form-urlencoded") },
  { name: "forms that post", markup: (at) => submitted(at, "post", "application/x-www-form-urlencoded") },
  { name: "forms that post text", markup: (at) => submitted(at, "post", "text/plain") },
  { name: "forms that post files", markup: (at) => submitted(at, "post", "multipart/form-data") },
  {
    name: "forms that hide where they come from",
    markup: (at) =>
      `<meta name="referrer" content="no-referrer">${submitted(at, "post", "application/x-www-form-urlencoded")}`,
  },
  {
    name: "a sandboxed frame",
    markup: (at) =>
      `<iframe sandbox="allow-scripts allow-forms" srcdoc="<script>fetch('${at}', { method: 'POST', mode: 'no-cors' })</script>"></iframe>`,
  },
  { name: "fetch", markup: (at) => script(`fetch("${at}", { mode: "no-cors" })`) },
  { name: "fetch that posts", markup: (at) => script(`fetch("${at}", { method: "POST", mode: "no-cors" })`) },
  { name: "fetch with a preflight", markup: (at) => script(`fetch("${at}", { method: "PUT" })`) },
  { name: "beacons", markup: (at) => script(`navigator.sendBeacon("${at}", "x")`) },
  { name: "pop-ups", markup: (at) => script(`open("${at}")`) },
];

const script = (statement: string) => `<script>${statement};</script>`;

let forms = 0;
/** A form that submits itself into a frame; a GET form's query is that of its fields. */
function submitted(address: string, method: string, type: string): string {
  const { origin, pathname, search, searchParams } = new URL(address);
  const id = `form${forms++}`;
  const fields = [...searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`).join("");
  const action = method === "get" ? `${origin}${pathname}` : `${origin}${pathname}${search}`;
  return `<iframe name="${id}"></iframe><form id="${id}" target="${id}" method="${method}" enctype="${type}"
    action="${action}">${fields}</form><script>document.getElementById("${id}").submit();</script>`;
}

describe.skipIf(missesChromium)("A page of another site", () => {
  let console: AppConsole;
  let chromium: Chromium;
  beforeAll(async () => {
    console = await startAppConsole();
    const file = packageOf(
      await moduleOf('(module (memory (export "memory") 1) (func (export "main")))'),
      {},
    );
    await installOverHttp(console, { file, signature: console.publisher.sign(file) });
    chromium = await Chromium.launch();
  });
  afterEach(({ task }) => chromium.closePages(task));
  afterAll(async () => {
    await chromium?.close();
    await console?.stop();
  });

  async function seen() {
    const { reset_reason } = await getJson(`${console.http}/api/system`);
    const { url } = await getJson(`${console.http}/api/hub`);
    const { uptime_ms } = await getJson(`${console.http}/api/status`);
    const level = await askShell(console.http, "log level");
    const { state } = await getJson(`${console.http}/api/ota/status`);
    const apps = (await console.apps()).map(({ name }: { name: string }) => name);
    return { kept: { reset_reason, url, level, state, apps }, uptime_ms };
  }

  for (const { name, markup } of WAYS)
    test(`changes nothing by ${name}`, async () => {
      const before = await seen();
      const body = CHANGES.map((change) => markup(`${console.http}${change}`)).join("\n");
      const host = await PageServer.ofPage(`<!doctype html><title>elsewhere</title><body>${body}`);
      try {
        const context = await chromium.browser.newContext();
        const page = await context.newPage();
        const asked = context.waitForEvent("request", (request) => request.url().startsWith(console.http));
        asked.catch(() => undefined); // awaited below
        await page.goto(host.origin, { waitUntil: "load" }).catch(() => undefined); // a frame may never load
        await asked;
        await page.waitForTimeout(300); // no event tells that scripts, forms and pop-ups have sent all of theirs
        await context.close();
      } finally {
        await host.close();
      }
      const after = await seen();
      assert.deepEqual(after.kept, before.kept);
      assert.ok(after.uptime_ms > before.uptime_ms, "the console has not restarted");
    });

  test("cannot even read what a GET answers", async () => {
    const host = await PageServer.ofPage("<!doctype html><title>elsewhere</title>");
    const context = await chromium.browser.newContext();
    const page = await context.newPage();
    await page.goto(host.origin);
    const answer = await page.evaluate(
      (at) =>
        fetch(at).then(
          (response) => response.text(),
          () => "blocked",
        ),
      `${console.http}/api/status`,
    );
    assert.equal(answer, "blocked");
    await context.close();
    await host.close();
  });

  test("is why a POST whose Origin is null or another's is refused", async () => {
    for (const origin of ["null", "https://elsewhere.example"]) {
      const headers = { origin };
      const answer = await askHttp(`${console.http}/api/cmd?c=uptime`, { method: "POST", headers });
      assert.deepEqual([answer.status, answer.body.error], [403, "foreign_origin"]);
    }
  });
});
