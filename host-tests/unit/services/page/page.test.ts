/** The web console as firmware brings it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type { Request, StreamedAnswer } from "../../../../device/services/api/request.js";
import { decodePage } from "../../../../device/services/page/decode-page.js";
import { showPage } from "../../../../device/services/page/page-endpoint.js";
import { WEB_PAGE, type WebFile, type WebPage } from "../../../../device/services/page/web-page.js";
import { firmwareModules, firmwarePlugin, wordsOf } from "../../../../tools/firmware-modules.js";
import { buildConsole } from "../../../../tools/web-page.js";

const root = path.join(import.meta.dirname, "../../../..");

const asking = (path: string) => ({ request: { path } as Request });

/** What a connection that takes one piece after the other gets. */
function piecesOf({ stream }: StreamedAnswer): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let part = stream.next(); part !== undefined; part = stream.next()) parts.push(part);
  return parts;
}

const ALL_BYTES = Buffer.from(Array.from({ length: 4 * 256 }, (_, index) => (index * 37) & 0xff));

test.each([[0], [1], [3], [4], [5], [1023], [1024]])(
  "a file of %i bytes is read to the byte",
  (byteLength) => {
    const bytes = ALL_BYTES.subarray(0, byteLength);
    const words = wordsOf(bytes);
    const pieces = [words.slice(0, 3), words.slice(3)].map((piece) => JSON.stringify(piece));
    expect(Buffer.from(decodePage(pieces, byteLength))).toEqual(bytes);
  },
);

test("firmware of the sources alone has no page, and reports that", () => {
  expect(() => showPage({ page: WEB_PAGE }, asking("/"))).toThrow(
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
    const { content } = page[path] as WebFile;
    expect(Buffer.from(content)).toEqual(readFileSync(compressed));
    expect(String(gunzipSync(content))).toBe(readFileSync(plain, "utf8"));
    const answer = showPage({ page }, asking(path));
    expect(answer).toMatchObject({ status: 200, mediaType, byteLength: content.length });
    const parts = piecesOf(answer);
    expect(Buffer.concat(parts).equals(content)).toBe(true);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(1460);
    expect(Math.min(...parts.map((part) => part.length))).toBeGreaterThan(0);
  }
});
