/** Texts that the hub seals with a key of its own. */
import { describe, expect, test } from "vitest";
import { SecretBox, SIGN_IN_COOKIES, WEBHOOK_SECRETS } from "../../../../hub/auth/secret-box.js";

describe("A sealed secret", () => {
  const box = new SecretBox("secret of the hub", WEBHOOK_SECRETS);

  test("opens for its owner", () => {
    const sealed = box.seal("whsec_abc", "webhook 1");
    expect(sealed).not.toContain("whsec");
    expect(box.seal("whsec_abc", "webhook 1")).not.toBe(sealed);
    expect(new SecretBox("secret of the hub", WEBHOOK_SECRETS).open(sealed, "webhook 1")).toBe("whsec_abc");
  });

  test("does not open for another owner or purpose, in another hub, or after a change", () => {
    const sealed = box.seal("whsec_abc", "webhook 1");
    expect(() => box.open(sealed, "webhook 2")).toThrow();
    expect(() => new SecretBox("another", WEBHOOK_SECRETS).open(sealed, "webhook 1")).toThrow();
    expect(() => new SecretBox("secret of the hub", SIGN_IN_COOKIES).open(sealed, "webhook 1")).toThrow();
    const bytes = Buffer.from(sealed, "base64");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed.toString("base64"), "webhook 1")).toThrow();
    }
    expect(() => box.open(bytes.subarray(0, 20).toString("base64"), "webhook 1")).toThrow();
  });
});
