/**
 * The web console of a running hub, and the hub's API for web consoles that others serve
 * (docs/spec/hub-api.md#hub-page).
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

const built = path.join(import.meta.dirname, "../../../build/console");
const ORIGIN = "http://console-1a2b.local:8080";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The web console of a hub on ${name}`, () => {
    let hub: HubUnderTest;
    let page: Buffer;
    beforeAll(async () => {
      hub = await start();
      page = readFileSync(path.join(built, "index.html"));
    });
    afterAll(() => hub?.stop());

    for (const encoding of ["gzip", "identity"])
      test(`is at the root of every process, as ${encoding}, without a token`, async () => {
        for (const origin of hub.origins) {
          const headers = { "accept-encoding": encoding };
          const { status, headers: fields, bytes } = await request(origin, "GET", "//", { headers });
          expect([status, fields.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
          expect(fields.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null);
          expect(Buffer.from(bytes)).toEqual(page);
        }
      });

    for (const name of ["console.js", "panels.js"])
      test(`has ${name} beside it, without a token`, async () => {
        const { status, headers, bytes } = await request(hub.origin, "GET", `//${name}`);
        expect([status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
        expect(Buffer.from(bytes)).toEqual(readFileSync(path.join(built, name)));
      });

    for (const name of ["play", "fleet"])
      test(`has its page ${name} also at an address without a slash, whatever path it is below`, async () => {
        const { status, headers } = await request(hub.origin, "GET", `//${name}?app=pong`);
        expect([status, headers.get("location")]).toEqual([308, `${name}/?app=pong`]);
        expect((await request(hub.origin, "GET", `//${name}/?app=pong`)).status).toBe(200);
        const { headers: allowed } = await request(hub.origin, "POST", `//${name}`);
        expect(allowed.get("allow")).toBe("GET, HEAD, OPTIONS");
      });

    test("is the same with the same tag at every process", async () => {
      const [first] = hub.origins;
      const tag = (await request(`${first}`, "GET", "//")).headers.get("etag") ?? "";
      for (const origin of hub.origins) {
        const { status } = await request(origin, "GET", "//", { headers: { "if-none-match": tag } });
        expect(status).toBe(304);
      }
    });

    test("requires no token, and ignores one", async () => {
      for (const token of [undefined, "garbage"])
        expect((await request(hub.origin, "GET", "//", { token })).status).toBe(200);
    });

    test("can read a rejection from another origin", async () => {
      const headers = { origin: ORIGIN };
      const answer = await request(hub.origin, "GET", "/catalog", { headers });
      expect([answer.status, answer.body.error]).toEqual([401, "unauthorized"]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    });

    test("can send a token and a form from another origin", async () => {
      for (const path of ["/catalog", "/catalog/publish", "/devices/me"]) {
        const { status, headers } = await request(hub.origin, "OPTIONS", path, {
          headers: {
            origin: ORIGIN,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,content-type",
          },
        });
        expect([path, status, headers.get("access-control-allow-origin")]).toEqual([path, 204, "*"]);
        expect(headers.get("access-control-allow-headers")).toContain("authorization, content-type");
      }
    });
  });
