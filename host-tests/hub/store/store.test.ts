/** The store's pages as a browser without an account gets them (docs/spec/hub-api.md#store). */
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withOperator } from "../../../hub/operator.js";
import { moduleOf } from "../../hosts/app-files.js";
import { bitmap } from "../../hosts/bitmap.js";
import { imageOf, imagePackage } from "../../unit/services/apps/native-images.js";
import { appPackage, HubPublisher, publishForm } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { screenshotsForm, smallPng } from "./screenshots.js";

const text = ({ bytes }: { readonly bytes: Uint8Array }) => new TextDecoder().decode(bytes);
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The store on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: HubPublisher;
    const get = (path: string, headers = {}) =>
      request(hub.origin, "GET", `/${path}`, { headers: { host: "store.example", ...headers } });
    const page = async (path: string) => {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      return text(answer);
    };
    const publish = async (fields: Parameters<typeof appPackage>[0], displayName?: string) => {
      const file = await appPackage(fields, { icon: bitmap({ shade: 7 }) });
      const form = publishForm(file, publisher.key.sign(file));
      if (displayName !== undefined) form.set("name", displayName);
      const { status } = await publisher.request("POST", "/catalog/publish", { form });
      expect(status).toBe(201);
    };
    const put = async (id: string, json: object) =>
      expect((await publisher.request("PUT", `/catalog/${id}/page`, { json })).status).toBe(200);

    beforeAll(async () => {
      hub = await start({
        environment: { SVC_HUB_PUBLIC_CATALOG: "on", SVC_HUB_PUBLIC_URL: "https://store.example/hub" },
      });
      publisher = await HubPublisher.register(hub, "Pixel <Works>");
    });
    afterAll(() => hub.stop());

    test("is there while nothing is published", async () => {
      expect(await page("/store/")).toContain("No app is published yet.");
      for (const [path, type] of [
        ["/store/feed.xml", "application/atom+xml; charset=utf-8"],
        ["/store/sitemap.xml", "application/xml; charset=utf-8"],
        ["/robots.txt", "text/plain; charset=utf-8"],
        ["/store/~/store.css", "text/css; charset=utf-8"],
        ["/store/~/icon.svg", "image/svg+xml"],
      ] as const)
        expect((await get(path)).headers.get("content-type")).toBe(type);
      const moved = await get("/store?q=snake");
      expect([moved.status, moved.headers.get("location")]).toEqual([308, "store/?q=snake"]);
    });

    test("shows an app with all that its publisher gives, on a page without scripts", async () => {
      await publish({ name: "bricks", version: "1.0.0", description: "Old" }, "Falling Bricks");
      await publish({
        name: "bricks",
        version: "1.1.0",
        description: "Break them all",
        author: "Ada",
        capabilities: ["display.write", "network.use"],
      });
      await put("bricks", {
        about: "# Play\n\nwith *one* [hand](https://example.org/hand).",
        category: "games",
        homepage_url: "https://example.org/bricks",
        changelog: "- Faster",
      });
      await publisher.request("PUT", "/catalog/bricks/screenshots", {
        form: screenshotsForm([smallPng(32, 24)]),
      });
      const answer = await get("/store/bricks");
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.headers.get("content-security-policy")).toBe(POLICY);
      const html = text(answer);
      for (const part of [
        "<h1><bdi>Falling Bricks</bdi></h1>",
        "Break them all",
        '<link rel="canonical" href="https://store.example/hub/store/bricks">',
        '<meta property="og:image" content="https://store.example/hub/api/v1/catalog/bricks/screenshots/1">',
        '<img src="../api/v1/catalog/bricks/screenshots/1" width="32" height="24" alt="Screenshot 1 of Falling Bricks"',
        "<h3>Play</h3>",
        '<a href="https://example.org/hand" rel="nofollow noopener ugc">hand</a>',
        "Draw on the display.",
        "Open network connections.",
        "<li>Faster</li>",
        '<a href="./?category=games">Games</a>',
        '<a href="https://example.org/bricks" rel="nofollow noopener ugc">',
        "Pixel &lt;Works&gt;",
        'href="../#store/bricks"',
        'href="../play/#store=bricks"',
        "download?version=1.1.0",
        "download?version=1.0.0",
      ])
        expect(html).toContain(part);
      expect(html).not.toMatch(/<script|style=|javascript:|\son[a-z]+=/i);
    });

    test("plays no app that a browser cannot run, and tells which consoles do", async () => {
      const file = imagePackage(imageOf(await moduleOf('(module (func (export "main")))')), { name: "fast" });
      expect((await publisher.publish(file)).status).toBe(201);
      const html = await page("/store/fast");
      expect(html).not.toContain("../play/");
      expect(html).toContain("<dt>Runs on</dt><dd>consoles of the architecture native alone</dd>");
      await publish({ name: "fast", version: "1.1.0" });
      expect(await page("/store/fast")).toContain('href="../play/#store=fast"');
      expect((await publisher.request("DELETE", "/catalog/fast")).status).toBe(204);
    });

    test("is answered 304 until it changes, and to HEAD without a body", async () => {
      const { headers } = await get("/store/bricks");
      const held = { "if-none-match": headers.get("etag") ?? "" };
      expect((await get("/store/bricks", held)).status).toBe(304);
      const head = await request(hub.origin, "HEAD", "//store/bricks");
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      await put("bricks", { category: "puzzles" });
      expect((await get("/store/bricks", held)).status).toBe(200);
    });

    test("lists apps on its front page, by category, by search and in pages", async () => {
      for (let number = 10; number < 40; number++)
        await publish({ name: `app${number}`, description: `Number ${number}` });
      await put("app11", { category: "music", about: "A xylophone" });
      const front = await page("/store/");
      expect(front).toContain("31 apps for your console.");
      expect(front.match(/class="card store-card"/g)).toHaveLength(24);
      expect(front).toContain('<link rel="canonical" href="https://store.example/hub/store/">');
      const idsOf = (html: string) =>
        [...html.matchAll(/class="store-open" href="([^"]+)"/g)].map(([, id]) => id);
      expect(idsOf(await page("/store/?category=music"))).toEqual(["app11"]);
      const found = await page("/store/?q=xylophone");
      expect(idsOf(found)).toEqual(["app11"]);
      expect(found).toContain('<meta name="robots" content="noindex">');
      expect(found).toContain('value="xylophone"');
      expect(idsOf(await page("/store/?q=app2"))).toHaveLength(10);
      expect(await page("/store/?q=nothing+like+it")).toContain("No app was found.");
      const first = await page("/store/?sort=name");
      expect(idsOf(first)).toHaveLength(24);
      expect(first).toContain('<a href="?sort=name&amp;page=2">Next page</a>');
      expect(idsOf(await page("/store/?sort=name&page=2"))).toHaveLength(7);
    });

    test("has a feed with the newest versions, and a sitemap with all apps", async () => {
      await put("app39", { changelog: "*New* & <good>" });
      const feed = await page("/store/feed.xml");
      expect(feed.match(/<entry>/g)).toHaveLength(32);
      expect(feed.indexOf("<title>app39 1.0.0</title>")).toBeLessThan(
        feed.indexOf("<title>app38 1.0.0</title>"),
      );
      expect(feed).toContain("<title>Falling Bricks 1.0.0</title>");
      expect(feed).toContain("<summary>Old</summary>");
      expect(feed).toContain("<id>https://store.example/hub/store/bricks#1.1.0</id>");
      expect(feed).toContain(
        '<content type="html">&lt;p&gt;&lt;em&gt;New&lt;/em&gt; &amp;amp; &amp;lt;good&amp;gt;&lt;/p&gt;',
      );
      await expect
        .poll(() => page("/store/sitemap.xml")) // may be some seconds old
        .toContain("<loc>https://store.example/hub/store/app39</loc>");
      expect(
        text(await get("/robots.txt"))
          .split("\n")
          .filter(Boolean),
      ).toEqual([
        ...["User-agent: *", "Allow: /hub/store/", "Allow: /hub/api/v1/catalog/", "Disallow: /hub/"],
        "Sitemap: https://store.example/hub/store/sitemap.xml",
      ]);
    });

    test("refuses in a page what is no address of it", async () => {
      for (const [path, status] of [
        ["/store/unknown", 404],
        ["/store/%3Cscript%3Ealert(1)%3C%2Fscript%3E", 404],
        ["/store/?page=0", 400],
        ["/store/?page=1001", 400],
        ["/store/?sort=size", 400],
        ["/store/?category=toys", 400],
        ["/store/?q=a&q=b", 400],
        [`/store/?q=${"x".repeat(129)}`, 400],
        ["/store/?q=%ff", 400],
        ["/store/?q=%00", 400],
      ] as const) {
        const answer = await get(path);
        expect([path, answer.status]).toEqual([path, status]);
        expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(answer.headers.get("content-security-policy")).toBe(POLICY);
        expect(text(answer)).not.toContain("<script");
      }
      const { status, headers } = await request(hub.origin, "POST", "//store/bricks");
      expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    });

    // Each of them would be markup, or leave the place it is shown in, if it were not escaped.
    const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&\u202e\ufffe`;

    test("shows hostile names, texts and links as text", async () => {
      await publish({ name: "evil", description: HOSTILE, author: HOSTILE }, HOSTILE.slice(0, 60));
      await put("evil", {
        about: [
          HOSTILE,
          "[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example) [d](HTTPS://x.example/'\"<>)",
          "![picture](https://evil.example/track.png)",
          "<iframe src=https://evil.example></iframe>",
          "[e]: javascript:alert(1)\n\n[e] <javascript:alert(1)>",
          '`</code><script>`\n\n    </pre><script>\n\n```x" onclick=alert(1)\n</script>\n```',
        ].join("\n\n"),
        changelog: HOSTILE,
        homepage_url: `https://evil.example/"><script>'`,
      });
      for (const path of ["/store/evil", "/store/?q=evil", "/store/", "/store/feed.xml"]) {
        const html = await page(path);
        expect(html).not.toMatch(/<script|<iframe|<img src=x|track\.png|href="(?!https:\/\/|[#.?~a-z0-9])/i);
        expect(html.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son[a-z]+=/i);
        if (path.endsWith(".xml")) expect(html).not.toContain("\ufffe"); // XML does not allow it
        expect(html.match(/<a [^>]*javascript:/i)).toBe(null);
      }
      expect(await page("/store/evil")).toContain("&quot;&gt;&lt;script&gt;");
    });

    test("has nothing of what is retracted, withdrawn or refused, in any way", async () => {
      const gone = async (id: string, status: number) => {
        for (const path of [id, `${id}/download`, `${id}/icon`, `${id}/page`, `${id}/screenshots/1`])
          expect([path, (await request(hub.origin, "GET", `/catalog/${path}`)).status]).toEqual([
            path,
            status,
          ]);
        expect((await get(`/store/${id}`)).status).toBe(status);
        for (const path of ["/store/", `/store/?q=${id}`, "/store/?category=demos", "/store/feed.xml"])
          await expect.poll(() => page(path)).not.toContain(`/${id}`);
        await expect.poll(() => page("/store/sitemap.xml")).not.toContain(`/${id}<`);
      };
      const shown = async (id: string) => {
        await publish({ name: id });
        await put(id, { category: "demos" });
        await publisher.request("PUT", `/catalog/${id}/screenshots`, { form: screenshotsForm([smallPng()]) });
        expect((await get(`/store/${id}`)).status).toBe(200);
      };
      await shown("retracted-one");
      await publisher.request("DELETE", "/catalog/retracted-one");
      await gone("retracted-one", 410);
      const stolen = publisher;
      publisher = await HubPublisher.register(hub);
      await shown("withdrawn-one");
      await withOperator(hub.environment, ({ publishers }) => publishers.revoke(publisher.name));
      publisher = stolen;
      await gone("withdrawn-one", 410);
    });
  });

describe("A store with review", () => {
  test("has nothing of an app that waits, in any way", async () => {
    const hub = await EMBEDDED_HUB.start({
      environment: { SVC_HUB_PUBLIC_CATALOG: "on", SVC_HUB_REVIEW: "on" },
    });
    try {
      const publisher = await HubPublisher.register(hub);
      await publisher.publish(await appPackage({ name: "waiting", description: "secret" }));
      await publisher.request("PUT", "/catalog/waiting/page", {
        json: { changelog: "secret", about: "secret" },
      });
      expect((await request(hub.origin, "GET", "//store/waiting")).status).toBe(404);
      for (const path of ["", "?q=secret", "?q=waiting", "?sort=name", "feed.xml", "sitemap.xml"])
        expect(text(await request(hub.origin, "GET", `//store/${path}`))).not.toMatch(
          /href="waiting|<summary>secret|\/waiting</,
        );
    } finally {
      await hub.stop();
    }
  });
});

test("A hub without a public catalogue has no store", async () => {
  const hub = await EMBEDDED_HUB.start();
  try {
    for (const path of ["store/", "store", "store/feed.xml", "store/sitemap.xml", "robots.txt", "store/x"])
      expect((await request(hub.origin, "GET", `//${path}`)).status).toBe(404);
  } finally {
    await hub.stop();
  }
});

// https://www.rfc-editor.org/rfc/rfc9112#section-3.2: whatever a client writes there, the pages repeat it.
test("A host that is none of ours is text in the pages, and a long one is refused", async () => {
  const hub = await EMBEDDED_HUB.start({
    environment: { SVC_HUB_PUBLIC_CATALOG: "on", SVC_HUB_TRUST_PROXY: "1" },
  });
  try {
    const { hostname, port } = new URL(hub.origin);
    const ask = (path: string, headers: Readonly<Record<string, string>>) =>
      new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
        const sent = get({ hostname, port, path, headers }, (answer) => {
          let body = "";
          answer.on("data", (chunk) => {
            body += chunk;
          });
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
        });
        sent.on("error", reject);
      });
    const hostile = `x"><script>alert(1)</script>&'$&`;
    for (const path of ["/store/", "/store/feed.xml", "/store/sitemap.xml"])
      for (const headers of [{ host: hostile }, { host: "x", "x-forwarded-host": hostile }]) {
        const { status, body } = await ask(path, headers);
        expect([path, status]).toEqual([path, 200]);
        expect(body).toContain(
          "http://x&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;$&amp;/store/",
        );
        expect(body).not.toContain("<script");
      }
    const long = "x".repeat(261);
    for (const headers of [{ host: long }, { host: "x", "x-forwarded-host": long }])
      for (const path of ["/store/sitemap.xml", "/api/v1/catalog", "/api/v1/health/live"])
        expect((await ask(path, headers)).status).toBe(400);
    expect((await ask("/api/v1/health/live", { host: "x".repeat(260) })).status).toBe(200);
  } finally {
    await hub.stop();
  }
});

test("A stranger's searches are limited, and nobody else's", async () => {
  const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_PUBLIC_CATALOG: "on" } });
  try {
    const publisher = await HubPublisher.register(hub);
    const ask = async (path: string) => (await request(hub.origin, "GET", path)).status;
    for (let number = 0; number < 150; number++) {
      expect(await ask(`//store/?q=word${number}`)).toBe(200);
      expect(await ask(`/catalog?sort=relevance&q=term${number}`)).toBe(200);
    }
    await expect
      .poll(async () => {
        const { status, headers } = await request(hub.origin, "GET", "//store/?q=one+more");
        return [status, headers.get("content-type"), Number(headers.get("retry-after")) > 0];
      })
      .toEqual([429, "text/html; charset=utf-8", true]);
    expect(await ask("//store/")).toBe(200);
    expect((await publisher.get("/catalog?q=mine&sort=relevance")).status).toBe(200);
  } finally {
    await hub.stop();
  }
});
