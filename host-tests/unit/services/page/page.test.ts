import { expect, test } from "vitest";
import type { Request } from "../../../../device/services/api/request.js";
import { decodePage } from "../../../../device/services/page/decode-page.js";
import { showPage } from "../../../../device/services/page/page-endpoint.js";
import { WEB_PAGE } from "../../../../device/services/page/web-page.js";
import { wordsOf } from "../../../../engine/program/firmware-modules.js";

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
  expect(() => showPage({ page: WEB_PAGE }, { request: { path: "/" } as Request })).toThrow(
    expect.objectContaining({
      code: "not_found",
      message: expect.stringContaining("without the web console"),
    }),
  );
});
