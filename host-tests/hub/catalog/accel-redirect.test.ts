/** Downloads through nginx, which sends the files itself, with the configuration of docs/hub.md. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing } from "../../hosts/peers.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { ACCELERATED, type Nginx, startNginx } from "../hosts/nginx.js";
import { type Answer, request } from "../hosts/request.js";
import { appPackage, HubPublisher } from "./hub-publisher.js";

// docs/spec/hub-api.md#accel-redirect
describe.skipIf(isMissing("nginx"))("A download that nginx sends", () => {
  let hub: HubUnderTest;
  let nginx: Nginx;
  let publisher: HubPublisher;
  let file: Uint8Array;
  const get = (headers: Readonly<Record<string, string>> = {}, from = nginx.origin): Promise<Answer> =>
    request(from, "GET", "/catalog/game/download", { token: publisher.token, headers });

  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: ACCELERATED });
    nginx = await startNginx(hub);
    publisher = await HubPublisher.register(hub);
    file = await appPackage({ name: "game" }, { noiseBytes: 4096 });
    expect((await publisher.publish(file)).status).toBe(201);
  });
  afterAll(async () => {
    await nginx?.stop();
    await hub?.stop();
  });

  test("is not sent by the hub", async () => {
    const { headers, bytes } = await get({}, hub.origin);
    const sha256 = createHash("sha256").update(file).digest("hex");
    expect([headers.get("x-accel-redirect"), bytes.length]).toEqual([`/svc-hub-files/${sha256}`, 0]);
  });

  test("has the bytes and fields of one that the hub sends", async () => {
    const { status, headers, bytes } = await get({ origin: "http://page.example" });
    expect([status, Buffer.compare(bytes, file)]).toEqual([200, 0]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/gzip",
      "content-length": String(file.length),
      "content-disposition": 'attachment; filename="game-1.0.0.svcpkg"',
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      etag: `"${createHash("sha256").update(file).digest("hex")}"`,
      "x-svc-signature": publisher.key.sign(file),
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": expect.stringContaining("x-svc-signature"),
    });
    expect(headers.has("x-accel-redirect")).toBe(false);
  });

  test("continues where it was cut, if the file is still the same", async () => {
    const etag = (await get()).headers.get("etag") ?? "";
    const rest = await get({ range: "bytes=100-", "if-range": etag });
    expect([rest.status, Buffer.compare(rest.bytes, file.subarray(100))]).toEqual([206, 0]);
    expect(rest.headers.get("content-range")).toBe(`bytes 100-${file.length - 1}/${file.length}`);
    expect(rest.headers.get("x-svc-signature")).toBe(publisher.key.sign(file));
    const other = await get({ range: "bytes=100-", "if-range": '"other"' });
    expect([other.status, other.bytes.length]).toEqual([200, file.length]);
    expect((await get({ "if-none-match": etag })).status).toBe(304);
    const beyond = await get({ range: `bytes=${file.length}-` });
    expect([beyond.status, beyond.body.error]).toEqual([416, "range_not_satisfiable"]);
  });

  test("needs a token, and is counted", async () => {
    // An app of its own: the downloads before are counted in the background.
    expect((await publisher.publish(await appPackage({ name: "counted" }))).status).toBe(201);
    await request(nginx.origin, "GET", "/catalog/counted/download", { token: publisher.token });
    await expect.poll(async () => (await publisher.get("/catalog/counted")).body.downloads).toBe(1);
    expect((await request(nginx.origin, "GET", "/catalog/game/download")).status).toBe(401);
    const sha256 = createHash("sha256").update(file).digest("hex");
    expect((await request(nginx.origin, "GET", `//svc-hub-files/${sha256}`)).status).toBe(404);
  });
});
