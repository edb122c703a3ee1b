/** The web console as firmware brings it: pieces of text, and the bytes that they stand for. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import type { Request } from "../../../../device/services/api/request.js";
import { PageStream, pageByteLength, showPage } from "../../../../device/services/page/page-endpoint.js";
import { WEB_PAGE, type WebFile, type WebPage } from "../../../../device/services/page/web-page.js";
import { firmwareModules, firmwarePlugin } from "../../../../tools/firmware-modules.js";
import { buildConsole } from "../../../../tools/web-page.js";
import { nodeBase64 } from "../../../hosts/node-bytes.js";
import { pieces } from "../api/sample-stream.js";

const root = path.join(import.meta.dirname, "../../../..");

const asking = (path: string) => ({ request: { path } as Request });

function readAll(stream: PageStream): Buffer {
  const parts: Uint8Array[] = [];
  for (let part = stream.next(); part !== undefined; part = stream.next()) parts.push(part);
  return Buffer.concat(parts);
}

for (const lengths of [[], [1], [2], [3], [3, 1], [3, 2], [1458, 1458, 3], [1458, 1458, 700]])
  test(`pieces of ${lengths.join(" and ") || "no"} bytes keep their lengths and content`, () => {
    const bytes = pieces(lengths);
    const texts = bytes.map((piece) => nodeBase64.encode(piece));
    expect(pageByteLength(texts)).toBe(lengths.reduce((sum, length) => sum + length, 0));
    expect(readAll(new PageStream(texts, nodeBase64))).toEqual(Buffer.concat(bytes));
  });

test("a piece is decoded only when requested", () => {
  const decode = vi.fn(nodeBase64.decode);
  const stream = new PageStream(["AAAA", "AQID"], { decode });
  expect(decode).toHaveBeenCalledTimes(0);
  stream.next();
  expect(decode.mock.calls).toEqual([["AAAA"]]);
});

test("firmware of the sources alone has no page, and reports that", () => {
  expect(() => showPage({ page: WEB_PAGE, base64: nodeBase64 }, asking("/"))).toThrow(
    expect.objectContaining({
      code: "not_found",
      message: expect.stringContaining("without the web console"),
    }),
  );
});

/** The module that is put in the place of the sources', as a program gets it. */
async function builtPage(): Promise<WebPage> {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, "device/services/page/web-page.ts")],
    plugins: [firmwarePlugin(await firmwareModules({ version: "1.2.3" }))],
    ...{ bundle: true, write: false, format: "esm" },
  });
  const text = outputFiles[0]?.text ?? "";
  return (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)).WEB_PAGE;
}

test("firmware has every built file, in pieces that fit a segment each", async () => {
  const page = await builtPage();
  const files = await buildConsole();
  expect(Object.keys(page)).toEqual(files.map((file) => file.path));
  for (const { path, mediaType, plain, compressed } of files) {
    const { pieces: texts } = page[path] as WebFile;
    const bytes = readAll(new PageStream(texts, nodeBase64));
    expect(bytes).toEqual(readFileSync(compressed));
    expect(String(gunzipSync(bytes))).toBe(readFileSync(plain, "utf8"));
    expect(Math.max(...texts.map((piece) => nodeBase64.decode(piece).byteLength))).toBeLessThanOrEqual(1460);
    const answer = showPage({ page, base64: nodeBase64 }, asking(path));
    expect(answer).toMatchObject({ status: 200, mediaType, byteLength: bytes.length });
  }
});
