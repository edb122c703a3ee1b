/** The cookies of a sign-in under way. */
import { describe, expect, test } from "vitest";
import { type SignInContext, signInCookies } from "../../../../hub/oidc/sign-in-cookies.js";

const PENDING = { state: "state", nonce: "nonce", codeVerifier: "verifier" };
const IDENTITY = { id: "1", issuer: "https://id.example", subject: "ada", email: undefined };
const TEN_MINUTES_MS = 600_000;

describe("A cookie of a sign-in", () => {
  let now = 0;
  const cookiesOf = (hubUrl: string, secret = "secret of the hub") =>
    signInCookies({ now: () => now, config: { secret, oidc: { hubUrl } } } as unknown as SignInContext);
  const { pending, identity } = cookiesOf("https://hub.example");
  const sent = (field: string) => field.split(";")[0];

  test("has what was put into it for ten minutes", () => {
    now = 5;
    const cookie = sent(pending.set(PENDING));
    now += TEN_MINUTES_MS - 1;
    expect(pending.read(cookie)).toEqual(PENDING);
    now += 1;
    expect(pending.read(cookie)).toBeUndefined();
  });

  test("is found among others, also of its name", () => {
    const cookie = sent(pending.set(PENDING));
    expect(pending.read(`a=1; __Host-svc_sign_in=of another hub; ${cookie}; b=2`)).toEqual(PENDING);
    for (const field of [undefined, "", "a=1", "__Host-svc_sign_in", "__Host-svc_sign_in=", ";;"])
      expect(pending.read(field)).toBeUndefined();
  });

  test("reveals nothing", () => {
    expect(Buffer.from(`${sent(pending.set(PENDING))}`.split("=")[1] ?? "", "base64").toString()).not.toMatch(
      /state|nonce|verifier/,
    );
  });

  test("is not read as the other one, by another hub, or after a change", () => {
    const cookie = `${sent(identity.set(IDENTITY))}`;
    expect(identity.read(cookie)).toEqual({ id: "1", issuer: "https://id.example", subject: "ada" });
    expect(pending.read(cookie.replace("svc_identity", "svc_sign_in"))).toBeUndefined();
    expect(cookiesOf("https://hub.example", "another secret").identity.read(cookie)).toBeUndefined();
    const [name, ...sealed] = cookie.split(/(?<==)(?=[^=])/);
    const bytes = Buffer.from(sealed.join(""), "base64");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(identity.read(name + changed.toString("base64"))).toBeUndefined();
    }
  });

  test("is for TLS alone where the hub has TLS", () => {
    expect(pending.set(PENDING)).toMatch(/^__Host-svc_sign_in=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(cookiesOf("http://127.0.0.1:8080").pending.set(PENDING)).toMatch(
      /^svc_sign_in=.*; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });
});
