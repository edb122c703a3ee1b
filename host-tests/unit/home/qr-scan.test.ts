/** QR codes on the display (docs/spec/home.md#qr), read as a telephone does. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readPalettePng } from "../../hosts/kept-pictures.js";
import { scanQr } from "../../hosts/qr-scanner.js";

const scan = (name: string) =>
  scanQr(readPalettePng(readFileSync(path.join(import.meta.dirname, `pictures/${name}.png`))));

test("The page of the console has its address as a code, and the page of the hub the claim code", () => {
  expect(scan("console")).toBe("http://192.168.1.23:8080/");
  expect(scan("hub-claim")).toBe("K7QX-29MB");
});

test("A screen without a code has none", () => expect(scan("grid")).toBeUndefined());
