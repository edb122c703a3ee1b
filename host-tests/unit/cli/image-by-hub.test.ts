/** What `svc` accepts of a hub that compiles: a container of the module that was sent (docs/spec/cli.md#by-hub). */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageByHub } from "../../../cli/hub/image-by-hub.js";
import { NATIVE_FORMAT } from "../../../protocol/native-image.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { manifestOf, moduleOf } from "../../hosts/app-files.js";

const MANIFEST = { entry: "main", memory_quota: 131_072, capabilities: [] };
const TIMEOUT = { timeout: 120_000 };

let server: Server;
let answer: { readonly status: number; readonly body: Uint8Array | string; readonly isEndless?: boolean };
let url: string;
let module: Uint8Array;
let image: Uint8Array;
beforeAll(async () => {
  module = await moduleOf('(module (func (export "main")) (func (export "other")))');
  image = await buildNativeImage(module, MANIFEST, "native");
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status);
    if (answer.isEndless) Readable.from(endlessly(answer.body)).pipe(response);
    else response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, TIMEOUT.timeout);
afterAll(() => new Promise((resolve) => server.close(resolve)));

function* endlessly(body: Uint8Array | string) {
  for (;;) yield body;
}

const ask = (architecture: "native" | "rv32" = "native") => {
  const manifest = new TextEncoder().encode(JSON.stringify(manifestOf({ ...MANIFEST })));
  return imageByHub({ url, token: "svcp_token" }, { module, manifest }, architecture);
};

describe("The image that a hub has made", TIMEOUT, () => {
  test("is taken as it is", async () => {
    answer = { status: 200, body: image };
    expect(Buffer.from(await ask()).equals(image)).toBe(true);
  });

  const changed = (at: number) => {
    const copy = Uint8Array.from(image);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  const WRONG: readonly {
    readonly what: string;
    readonly body: () => Promise<Uint8Array> | Uint8Array | string;
    readonly says: RegExp;
  }[] = [
    { what: "something else", body: () => "hello", says: /no native image/ },
    { what: "nothing", body: () => "", says: /no native image/ },
    {
      what: "of another module",
      body: async () =>
        buildNativeImage(await moduleOf('(module (func (export "main")))'), MANIFEST, "native"),
      says: /another module/,
    },
    {
      what: "of another entry",
      body: () => buildNativeImage(module, { ...MANIFEST, entry: "other" }, "native"),
      says: /starts at "other"/,
    },
    { what: "for another ABI", body: () => changed(60), says: /another version/ },
    {
      what: "of a form of the module that no console stores",
      body: () => changed(NATIVE_FORMAT.preparedAt),
      says: /another form of the module/,
    },
    { what: "damaged", body: () => changed(image.length - 1), says: /damaged/ },
    { what: "cut off", body: () => image.subarray(0, -1), says: /no native image/ },
    { what: "larger than a console takes", body: () => new Uint8Array(1024 * 1024 + 1), says: /more than/ },
  ];
  for (const { what, body, says } of WRONG)
    test(`is refused if it is ${what}`, async () => {
      answer = { status: 200, body: await body() };
      await expect(ask()).rejects.toMatchObject({
        code: "hub_refused",
        message: expect.stringMatching(says),
      });
    });

  for (const status of [200, 500])
    test(`is refused if an answer of status ${status} has no end`, async () => {
      answer = { status, body: " ".repeat(65_536), isEndless: true };
      await expect(ask()).rejects.toMatchObject({ code: "hub_refused" });
    });

  test("is refused if it is for another architecture", async () => {
    answer = { status: 200, body: image };
    await expect(ask("rv32")).rejects.toMatchObject({ code: "hub_refused" });
  });

  test("is not there where the hub refuses, for the hub's reason", async () => {
    answer = { status: 503, body: JSON.stringify({ error: "busy", message: "The hub is compiling" }) };
    await expect(ask()).rejects.toMatchObject({ code: "busy", message: "The hub is compiling" });
    answer = { status: 502, body: "<html>" };
    await expect(ask()).rejects.toMatchObject({ code: "hub_refused" });
  });
});
