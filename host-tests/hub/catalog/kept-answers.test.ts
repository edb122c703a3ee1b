/** Answers that the hub has kept are those that it would make, field by field. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addPublisher } from "../../../hub/operator.js";
import { Publisher } from "../../hosts/publisher.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appPackage, HubPublisher } from "./hub-publisher.js";

interface Seen {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Without a body, a length makes the hub take the usual way. */
const USUAL_WAY = { "content-length": "0" };

for (const { name, environment } of [
  { name: "A hub", environment: {} },
  { name: "A hub with a public catalogue", environment: { SVC_HUB_PUBLIC_CATALOG: "on" } },
])
  describe(`${name} answers from what it has kept as it would otherwise`, () => {
    let hub: HubUnderTest;
    let token: string;
    beforeAll(async () => {
      hub = await EMBEDDED_HUB.start({ environment });
      const publisher = await HubPublisher.register(hub, "Pixel Works");
      for (const app of ["bricks", "snake"]) await publisher.publish(await appPackage({ name: app }));
      token = (await request(hub.origin, "POST", "/accounts")).body.account_token;
    });
    afterAll(() => hub.stop());

    function ask(path: string, fields: Readonly<Record<string, string>>): Promise<Seen> {
      return new Promise((resolve, reject) => {
        const outgoing = httpRequest(`${hub.origin}/api/v1${path}`, { headers: fields }, async (answer) =>
          resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) }),
        );
        outgoing.on("error", reject).end();
      });
    }

    const comparable = ({ status, headers: { date: _, ...others }, body }: Seen) => ({
      status,
      others,
      body,
    });

    const REQUESTS = [
      "",
      "?per_page=1",
      "?per_page=1&page=2",
      "?sort=-name",
      "?q=bri",
      "?q=bri&sort=relevance",
    ];
    test.each(REQUESTS)("/catalog%s, whole and unchanged", async (query) => {
      const bearer = { authorization: `Bearer ${token}` };
      const first = await ask(`/catalog${query}`, bearer);
      expect(first.status).toBe(200);
      for (const held of [{}, { "if-none-match": `${first.headers.etag}` }, { "if-none-match": "W/x, *" }]) {
        const usual = await ask(`/catalog${query}`, { ...bearer, ...held, ...USUAL_WAY });
        const kept = await ask(`/catalog${query}`, { ...bearer, ...held });
        expect(comparable(kept)).toEqual(comparable(usual));
      }
    });

    test.each(["/catalog?per_page=0", "/catalog?x=1", "/catalog?downloads", "/catalogue", "/catalog/none"])(
      "%s, which is refused each time",
      async (path) => {
        const bearer = { authorization: `Bearer ${token}` };
        const usual = await ask(path, { ...bearer, ...USUAL_WAY });
        for (let times = 0; times < 2; times++)
          expect(comparable(await ask(path, bearer))).toEqual(comparable(usual));
      },
    );

    test("a stranger, and a wrong token", async () => {
      for (const fields of [{}, { authorization: "Bearer svca_wrong" }, { authorization: "Basic x" }])
        expect(comparable(await ask("/catalog", fields))).toEqual(
          comparable(await ask("/catalog", { ...fields, ...USUAL_WAY })),
        );
    });
  });

describe("A kept answer", () => {
  let hub: HubUnderTest;
  beforeAll(async () => {
    hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_REQUESTS_PER_MINUTE: "20" } });
  });
  afterAll(() => hub.stop());

  test("counts towards the budget of its reader, and tells what is left of it", async () => {
    const { account_token: token } = (await request(hub.origin, "POST", "/accounts")).body;
    const answers = [];
    for (let times = 0; times < 21; times++)
      answers.push(await request(hub.origin, "GET", "/catalog", { token }));
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
    expect(answers[5]?.headers.get("ratelimit-limit")).toBeNull();
    expect(answers[15]?.headers.get("ratelimit-limit")).toBe("20");
    expect(Number(answers[15]?.headers.get("ratelimit-remaining"))).toBeLessThan(10);
  });

  test("ends with a new app, and with the token of its reader; each request is counted", async () => {
    const pem = new Publisher();
    const publisherToken = (await addPublisher(hub.environment, "Works", pem.pem)).token;
    const { body: account } = await request(hub.origin, "POST", "/accounts");
    const list = () => request(hub.origin, "GET", "/catalog", { token: account.account_token });
    const counted = async () => {
      const metrics = new TextDecoder().decode((await request(hub.origin, "GET", "//metrics")).bytes);
      const line = /^svc_hub_\S*requests?\S*_count\{[^}]*route="\/api\/v1\/catalog"[^}]*\} (\d+)$/m.exec(
        metrics,
      );
      return Number(line?.[1] ?? 0);
    };
    const before = await counted();
    for (let times = 1; times <= 3; times++) {
      expect((await list()).body.total).toBe(0);
      expect(await counted()).toBe(before + times);
    }
    const file = await appPackage({ name: "bricks" });
    const form = new FormData();
    form.set("package", new Blob([Buffer.from(file)]), "app.svcpkg");
    form.set("signature", pem.sign(file));
    expect(
      (await request(hub.origin, "POST", "/catalog/publish", { token: publisherToken, form })).status,
    ).toBe(201);
    expect((await list()).body.total).toBe(1);
    expect((await list()).body.total).toBe(1);
    expect((await request(hub.origin, "DELETE", "/account", { token: account.account_token })).status).toBe(
      204,
    );
    expect((await list()).status).toBe(401);
  });
});
