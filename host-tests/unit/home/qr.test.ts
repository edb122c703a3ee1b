/** The encoder of QR codes, against a reader that shares nothing with it. */
import { beforeAll, describe, expect, test } from "vitest";
import { COMPILE_TIMEOUT_MS } from "./home-app.js";
import { loadPart, type ModuleExports } from "./home-module.js";
import { type Matrix, type QrCode, readQr } from "./qr-reader.js";

let encoder: ModuleExports;
beforeAll(async () => {
  encoder = await loadPart("qr");
}, COMPILE_TIMEOUT_MS);

function matrixOf(text: string, mask = -1): Matrix | undefined {
  const bytes = new TextEncoder().encode(text);
  new Uint8Array(encoder.memory.buffer, encoder["textAt"]?.()).set(bytes);
  if (!encoder["encode"]?.(bytes.length, mask)) return undefined;
  const size = encoder["size"]?.() ?? 0;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => encoder["dark"]?.(x, y) === 1),
  );
}

function codeOf(text: string, mask?: number): QrCode {
  const matrix = matrixOf(text, mask);
  if (!matrix) throw new Error(`"${text}" is too long`);
  return readQr(matrix);
}

/** The longest text of each version, and the shortest of the next. */
const VERSIONS = [
  { version: 1, least: 0, most: 17 },
  { version: 2, least: 18, most: 32 },
  { version: 3, least: 33, most: 53 },
  { version: 4, least: 54, most: 78 },
  { version: 5, least: 79, most: 106 },
];

describe("a QR code", () => {
  test("of the console's page has its address", () => {
    expect(codeOf("http://192.168.178.123:8080/")).toMatchObject({
      version: 2,
      text: "http://192.168.178.123:8080/",
    });
  });

  test.each(VERSIONS)("of $least to $most bytes has version $version", ({ version, least, most }) => {
    for (const length of [least, most]) {
      const text = "The quick brown fox jumps over the lazy dog, ".repeat(3).slice(0, length);
      expect(codeOf(text)).toMatchObject({ version, text });
    }
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])("has its text with mask %i in each version", (mask) => {
    for (const { most } of VERSIONS) {
      const text = "https://hub.example/claim/K7QX-29MB?".repeat(3).slice(0, most);
      expect(codeOf(text, mask)).toMatchObject({ mask, text });
    }
  });

  test("has any bytes of UTF-8", () => {
    expect(codeOf("Café 語 \u0000\u007f").text).toBe("Café 語 \u0000\u007f");
  });

  test("is not made of a text that is too long", () => {
    expect(matrixOf("x".repeat(107))).toBeUndefined();
  });
});
