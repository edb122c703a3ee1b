/** A security version in an image of ESP-IDF: checksum and hash are those of the image with it (esp_image_format). */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { readImageHeader } from "../../../protocol/firmware/image-header.js";
import { withSecurityVersion } from "../../../sdk/security-version.js";

/** Two segments, the first with the description; the checksum is the XOR of their bytes and 0xEF. */
function espImage(securityVersion: number): Buffer {
  const first = Buffer.alloc(256, 0x11);
  first.writeUInt32LE(0xabcd5432, 0);
  first.writeUInt32LE(securityVersion, 4);
  first.write("1.2.3\0", 16);
  first.write("svc-console\0", 48);
  const second = Buffer.alloc(36, 0x77);
  const header = Buffer.alloc(24);
  header.set([0xe9, 2], 0);
  header.writeUInt16LE(9, 12);
  header[23] = 1;
  const segments = [first, second].flatMap((data) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 4);
    return [head, data];
  });
  const body = Buffer.concat([header, ...segments]);
  const filled = Buffer.concat([body, Buffer.alloc(16 - (body.length % 16))]);
  filled[filled.length - 1] = [...first, ...second].reduce((sum, byte) => sum ^ byte, 0xef);
  return Buffer.concat([filled, createHash("sha256").update(filled).digest()]);
}

test("An image with an added security version equals one built with it", () => {
  const image = withSecurityVersion(espImage(3), 0x01020304);
  expect(image).toEqual(espImage(0x01020304));
  expect(readImageHeader(image)).toMatchObject({ securityVersion: 0x01020304, version: "1.2.3" });
});

test("An image that is signed, truncated or of another kind stays unchanged", () => {
  const image = espImage(0);
  for (const other of [Buffer.concat([image, Buffer.alloc(4096)]), image.subarray(0, -1), Buffer.alloc(300)])
    expect(() => withSecurityVersion(other, 1)).toThrow(expect.objectContaining({ code: "image_invalid" }));
});
