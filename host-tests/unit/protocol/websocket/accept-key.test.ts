import { expect, test } from "vitest";
import { acceptKeyOf, KEY_BYTES, VERSION } from "../../../../protocol/websocket/accept-key.js";
import { NodeDigest, nodeBase64 } from "../../../../tools/node-bytes.js";

const ports = { digest: NodeDigest, base64: nodeBase64, encoder: new TextEncoder() };

test("The accept key for the key in RFC 6455 §1.3 is the one given there", () => {
  expect(acceptKeyOf("dGhlIHNhbXBsZSBub25jZQ==", ports)).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});

test("The version and the length of a key are those of RFC 6455 §4.1", () => {
  expect(VERSION).toBe("13");
  expect(KEY_BYTES).toBe(16);
});
