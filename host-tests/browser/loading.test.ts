/** What it takes to load the web console from a console, and that loading it does nothing else. */
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { missesChromium } from "./hosts/chromium.js";
import { ConsolePage } from "./hosts/console-page.js";
import { Stage } from "./hosts/stage.js";
import type { Watched } from "./hosts/watch-page.js";

/** docs/spec/web-console.md#page-size. */
const PAGE_LIMIT_BYTES = 60_000;

/** Bytes that a server sends for a path to a browser, which takes gzip; Node's `fetch` would unpack it. */
async function compressedBytes(address: URL): Promise<number> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(address, { headers: { "accept-encoding": "gzip" }, agent: false }, resolve).once("error", reject);
  });
  assert.equal(answer.headers["content-encoding"], "gzip");
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  return bytes;
}

/** The scripts and style sheets that the page names: all that is loaded before it is shown. */
function namedBy(html: string): readonly string[] {
  return [...html.matchAll(/(?:src|href)="(\.?\/[^"]*)"/g)].map(([, path]) => `${path}`);
}

describe.skipIf(missesChromium)("The web console of a console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.start();
  });
  afterEach(({ task }) => stage.clear(task));
  afterAll(() => stage?.end());

  test(`loads at most ${PAGE_LIMIT_BYTES} bytes in gzip at first`, async () => {
    const { http } = stage.console;
    const paths = ["/", ...namedBy(await (await fetch(http)).text())];
    const sizes = await Promise.all(paths.map((path) => compressedBytes(new URL(path, http))));
    const bytes = sizes.reduce((sum, size) => sum + size);
    assert.ok(
      bytes <= PAGE_LIMIT_BYTES,
      `It takes ${bytes} bytes: ${paths.map((at, i) => `${at} ${sizes[i]}`)}`,
    );
    assert.ok(paths.length > 1, "No script was found in the page");
  });

  test("connects to its console, and sends no request elsewhere", async () => {
    const page = await stage.openOverHttp();
    const { http, ws } = stage.console;
    const own = [http, ws].map((address) => new URL(address).host);
    const foreign = page.requests.filter((address) => !own.includes(new URL(address).host));
    assert.deepEqual(foreign, []);
    await page.close();
  });

  test("requests only the status of its own origin, if that is not a console", async () => {
    const page = await stage.openHosted();
    await (await page.panel("Connect")).waitFor();
    await page.page.waitForLoadState("networkidle");
    const { origin } = stage.host;
    const allowed = ["/", "/console.js", "/panels.js", "/api/status"].map((path) => origin + path);
    const others = page.requests.filter((address) => !allowed.includes(address.replace(/[?#].*/, "")));
    assert.deepEqual(others, []);
    await page.close();
  });

  for (const width of [1280, 390])
    test(`has no layout shift while it connects, ${width} pixels wide`, async () => {
      const page = await ConsolePage.open(stage.chromium, `${stage.console.http}/#device`, { width });
      await page.isConnected(/^Connected/);
      await page.page.waitForLoadState("networkidle");
      const { layoutShift, shifted } = await page.page.evaluate(
        () => (window as unknown as { watched: Watched }).watched,
      );
      assert.equal(layoutShift, 0, `Moved: ${shifted.join(", ")}`);
      await page.close();
    });
});
