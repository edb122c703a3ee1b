/** Signatures and stored secrets of webhooks. */
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { SecretBox } from "../../../../hub/webhooks/sealed-secret.js";
import { makeWebhookSecret, signatureFields } from "../../../../hub/webhooks/signature.js";

describe("A signature", () => {
  test("is over id, time and body, by the bytes of the secret", () => {
    const key = Buffer.alloc(32, 7);
    const message = { id: "msg_1", timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    const signed = 'msg_1.1614265330.{"test": 2432232314}';
    expect(signatureFields(`whsec_${key.toString("base64")}`, message)).toEqual({
      "webhook-id": "msg_1",
      "webhook-timestamp": "1614265330",
      "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    });
  });

  test("is that of the example of Standard Webhooks", () => {
    const fields = signatureFields("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
      ...{ id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: '{"test": 2432232314}' },
    });
    expect(fields["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("has a secret of its own", () => {
    const secret = makeWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(makeWebhookSecret()).not.toBe(secret);
  });
});

describe("A sealed secret", () => {
  const box = new SecretBox("secret of the hub");

  test("opens for its owner", () => {
    const sealed = box.seal("whsec_abc", "webhook 1");
    expect(sealed).not.toContain("whsec");
    expect(box.seal("whsec_abc", "webhook 1")).not.toBe(sealed);
    expect(new SecretBox("secret of the hub").open(sealed, "webhook 1")).toBe("whsec_abc");
  });

  test("does not open for another owner, in another hub, or after a change", () => {
    const sealed = box.seal("whsec_abc", "webhook 1");
    expect(() => box.open(sealed, "webhook 2")).toThrow();
    expect(() => new SecretBox("another").open(sealed, "webhook 1")).toThrow();
    const bytes = Buffer.from(sealed, "base64");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed.toString("base64"), "webhook 1")).toThrow();
    }
    expect(() => box.open(bytes.subarray(0, 20).toString("base64"), "webhook 1")).toThrow();
  });
});
