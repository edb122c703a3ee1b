/** Signatures of webhooks. */
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeWebhookSecret, signatureFields } from "../../../../hub/webhooks/signature.js";

describe("A signature", () => {
  test("is over id, time and body, by the bytes of the secret", () => {
    const key = Buffer.alloc(32, 7);
    const message = { id: "msg_1", timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
    const signed = 'msg_1.1614265330.{"test": 2432232314}';
    expect(signatureFields([`whsec_${key.toString("base64")}`], message)).toEqual({
      "webhook-id": "msg_1",
      "webhook-timestamp": "1614265330",
      "webhook-signature": `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    });
  });

  test("is that of the example of Standard Webhooks", () => {
    const fields = signatureFields(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    });
    expect(fields["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("is one of each secret, separated by spaces", () => {
    const message = { id: "msg_1", timestamp: 1, body: "{}" };
    const secrets = [makeWebhookSecret(), makeWebhookSecret()];
    const signatures = secrets.map((secret) => signatureFields([secret], message)["webhook-signature"]);
    expect(signatureFields(secrets, message)["webhook-signature"]).toBe(signatures.join(" "));
  });

  test("has a secret of its own", () => {
    const secret = makeWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(makeWebhookSecret()).not.toBe(secret);
  });
});
