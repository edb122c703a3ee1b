/** The settings of the sign-in by OpenID Connect. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../../hub/config/read-config.js";
import { ConfigError } from "../../../../hub/config/variables.js";

const OIDC = {
  SVC_HUB_SECRET: "secret of the hub",
  SVC_HUB_PUBLIC_URL: "https://hub.example/fleet-hub/",
  SVC_HUB_OIDC_ISSUER: "https://id.example/realms/all",
  SVC_HUB_OIDC_CLIENT_ID: "svc-hub",
  SVC_HUB_OIDC_CLIENT_SECRET: "very secret",
};

describe("A server of OpenID Connect", () => {
  test("is named by its host, or by what the operator says", async () => {
    const oidc = {
      issuer: OIDC.SVC_HUB_OIDC_ISSUER,
      clientId: "svc-hub",
      clientSecret: "very secret",
      name: "id.example",
      hubUrl: "https://hub.example/fleet-hub",
    };
    expect((await readConfig(OIDC)).oidc).toEqual(oidc);
    const named = await readConfig({ ...OIDC, SVC_HUB_OIDC_NAME: "Example Staff" });
    expect(named.oidc).toEqual({ ...oidc, name: "Example Staff" });
  });

  test("is none without an issuer", async () => {
    expect((await readConfig({ ...OIDC, SVC_HUB_OIDC_ISSUER: "" })).oidc).toBeUndefined();
  });

  for (const issuer of ["http://localhost:9000", "http://127.0.0.1:9000/a", "http://[::1]:9000"])
    test(`may be on this machine without TLS: ${issuer}`, async () => {
      expect((await readConfig({ ...OIDC, SVC_HUB_OIDC_ISSUER: issuer })).oidc?.issuer).toBe(issuer);
    });

  const REFUSED = [
    ["SVC_HUB_OIDC_ISSUER", "http://id.example"],
    ["SVC_HUB_OIDC_ISSUER", "http://127.0.0.1.example"],
    ["SVC_HUB_OIDC_ISSUER", "http://localhost.example"],
    ["SVC_HUB_OIDC_ISSUER", "id.example"],
    ["SVC_HUB_OIDC_ISSUER", "https://id.example?tenant=1"],
    ["SVC_HUB_OIDC_ISSUER", "https://me:secret@id.example"],
    ["SVC_HUB_OIDC_ISSUER", "https://id.example/.well-known/openid-configuration"],
    ["SVC_HUB_OIDC_NAME", "two\nlines"],
    ["SVC_HUB_OIDC_NAME", "n".repeat(65)],
    ["SVC_HUB_OIDC_CLIENT_ID", ""],
    ["SVC_HUB_OIDC_CLIENT_SECRET", ""],
    ["SVC_HUB_PUBLIC_URL", ""],
  ] as const;
  for (const [name, value] of REFUSED)
    test(`is refused with ${name}=${JSON.stringify(value.slice(0, 60))}, without a secret`, async () => {
      const error = await readConfig({ ...OIDC, [name]: value }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).toContain(name);
      expect(String(error)).not.toContain("secret");
    });
});
