/** The proxies of the environment, on the way to a hub (docs/spec/cli.md#proxy). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchThrough, proxyFor } from "../../../cli/hub/proxy.js";
import { svc, svcFailure, temporaryFolder } from "../../device/cli/svc-process.js";
import { SVC_TIMEOUT_MS } from "./run-svc.js";

const PROXY = "http://proxy.example:3128";

describe("A hub is reached", () => {
  const WAYS = [
    { hub: "http://hub.example", env: { HTTP_PROXY: PROXY }, by: PROXY },
    { hub: "https://hub.example", env: { HTTPS_PROXY: PROXY }, by: PROXY },
    { hub: "https://hub.example", env: { https_proxy: PROXY, HTTPS_PROXY: "http://other" }, by: PROXY },
    { hub: "https://hub.example", env: { ALL_PROXY: "proxy.example:3128" }, by: PROXY },
    { hub: "https://hub.example", env: { HTTP_PROXY: PROXY }, by: undefined },
    { hub: "http://hub.example", env: { HTTPS_PROXY: PROXY, HTTP_PROXY: "" }, by: undefined },
    ...["localhost", "hub.localhost", "127.0.0.1", "127.1.2.3", "[::1]"].map((host) => ({
      hub: `http://${host}:8080`,
      env: { HTTP_PROXY: PROXY },
      by: undefined,
    })),
    { hub: "http://127.example", env: { HTTP_PROXY: PROXY }, by: PROXY },
  ];
  for (const { hub, env, by } of WAYS)
    test(`at ${hub} ${by === undefined ? "directly" : "through the proxy"} with ${JSON.stringify(env)}`, () => {
      expect(proxyFor(new URL(hub), env)?.origin).toBe(by);
    });

  const EXEMPT = [
    "*",
    "hub.example",
    ".hub.example",
    "example",
    "*.example",
    "a b,hub.example",
    "HUB.EXAMPLE:443",
  ];
  for (const NO_PROXY of EXEMPT)
    test(`directly with NO_PROXY=${NO_PROXY}`, () => {
      expect(proxyFor(new URL("https://hub.example"), { HTTPS_PROXY: PROXY, NO_PROXY })).toBeUndefined();
    });

  for (const NO_PROXY of ["", "other", "ub.example", "hub.example:80", "b.hub.example", "10.0.0.0/8", ","])
    test(`through the proxy with NO_PROXY=${NO_PROXY}`, () => {
      expect(proxyFor(new URL("https://hub.example"), { HTTPS_PROXY: PROXY, NO_PROXY })?.origin).toBe(PROXY);
    });

  const ADDRESSES = [
    { hub: "http://10.1.2.3", NO_PROXY: "10.0.0.0/8", isDirect: true },
    { hub: "http://11.1.2.3", NO_PROXY: "10.0.0.0/8,1.2.3.4", isDirect: false },
    { hub: "http://[fd00::7]:8080", NO_PROXY: "fd00::/8", isDirect: true },
    { hub: "http://[fd00::7]:8080", NO_PROXY: "fd00::7", isDirect: true },
    { hub: "http://[fd00::7]:8080", NO_PROXY: "[fd00::7]:80", isDirect: false },
    { hub: "http://10.1.2.3", NO_PROXY: "10.0.0.0/99", isDirect: false },
  ];
  for (const { hub, NO_PROXY, isDirect } of ADDRESSES)
    test(`at ${hub} ${isDirect ? "directly" : "through the proxy"} with NO_PROXY=${NO_PROXY}`, () => {
      expect(proxyFor(new URL(hub), { HTTP_PROXY: PROXY, NO_PROXY }) === undefined).toBe(isDirect);
    });

  test("through no proxy of another kind, which is an error", () => {
    for (const HTTP_PROXY of ["socks5://proxy.example", "http://", "ftp://x"])
      expect(() => proxyFor(new URL("http://hub.example"), { HTTP_PROXY })).toThrow(/no HTTP proxy/);
  });
});

describe("svc sends requests to a hub", { timeout: SVC_TIMEOUT_MS }, () => {
  const CATALOG = JSON.stringify({ apps: [], total: 0, page: 1, per_page: 1 });
  let proxy: Server;
  let address: string;
  let asked: { readonly line: string; readonly authorization: string | undefined; readonly body: string }[];
  let folder: ReturnType<typeof temporaryFolder>;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization } = request.headers;
    asked.push({ line: `${request.method} ${request.url}`, authorization, body: `${Buffer.concat(chunks)}` });
    response.end(CATALOG);
  };
  beforeEach(async () => {
    folder = temporaryFolder();
    asked = [];
    proxy = createServer(answer);
    proxy.on("connect", (request: IncomingMessage, socket: Socket) => {
      asked.push({
        line: `CONNECT ${request.url}`,
        authorization: request.headers["proxy-authorization"],
        body: "",
      });
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    folder.remove();
  });

  test("over HTTP as a whole address, with the token", async () => {
    const environment = {
      HTTP_PROXY: address,
      SVC_HUB_URL: "http://hub.invalid",
      SVC_HUB_TOKEN: "svca_secret",
    };
    const { status, stderr } = await svc(["catalog"], { environment });
    expect([status, stderr]).toEqual([0, ""]);
    expect(asked).toMatchObject([
      {
        line: expect.stringMatching(/^GET http:\/\/hub\.invalid\/api\/v1\/catalog\?/),
        authorization: "Bearer svca_secret",
      },
    ]);
  });

  test("over HTTPS by a tunnel, in which the proxy sees no token", async () => {
    const environment = {
      HTTPS_PROXY: `http://me:pass@${address}`,
      SVC_HUB_URL: "https://hub.invalid",
      SVC_HUB_TOKEN: "svca_secret",
    };
    expect(await svcFailure(["catalog"], { environment })).toMatchObject({ error: "hub_unreachable" });
    expect(asked).toEqual([
      { line: "CONNECT hub.invalid:443", authorization: `Basic ${btoa("me:pass")}`, body: "" },
    ]);
  });

  test("of this computer, and to consoles, directly", async () => {
    const environment = {
      HTTP_PROXY: "http://127.0.0.1:1",
      SVC_HUB_URL: `http://${address}`,
      SVC_HUB_TOKEN: "svca_x",
    };
    expect((await svc(["catalog"], { environment })).status).toBe(0);
    await svc(["status", "--device", `http://${address}`], { environment });
    expect(asked.map(({ line }) => line)).toEqual([
      expect.stringMatching(/^GET \/api\/v1\/catalog/),
      expect.stringMatching(/^GET \/api\//),
    ]);
  });

  test("with the files of a form", async () => {
    const form = new FormData();
    form.set("signature", "abc");
    form.set("package", new Blob(["bytes of it"]), "app.svcpkg");
    await fetchThrough(new URL(`http://${address}`), "http://hub.invalid/x", { method: "POST", body: form });
    expect(asked[0]?.line).toBe("POST http://hub.invalid/x");
    for (const part of ['name="signature"', "abc", 'filename="app.svcpkg"', "bytes of it"])
      expect(asked[0]?.body).toContain(part);
  });

  test("and names a proxy that is none", async () => {
    const environment = {
      HTTP_PROXY: "socks5://x",
      SVC_HUB_URL: "http://hub.invalid",
      SVC_HUB_TOKEN: "svca_x",
    };
    expect(await svcFailure(["catalog"], { environment })).toMatchObject({
      error: "hub_unreachable",
      message: expect.stringContaining("no HTTP proxy"),
    });
  });
});
