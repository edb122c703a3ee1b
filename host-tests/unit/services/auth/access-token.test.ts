import { beforeEach, expect, test } from "vitest";
import { AccessToken } from "../../../../device/services/auth/access-token.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeBase64, nodeRandom } from "../../../hosts/node-bytes.js";

let settings: Settings;
const accessToken = () => new AccessToken({ settings, random: nodeRandom, base64: nodeBase64 });

beforeEach(() => {
  settings = new Settings(new EmulatedStorage().keyValue);
});

test("AccessToken is 32 bytes in base64url without padding", () => {
  for (let console = 0; console < 50; console += 1) {
    settings = new Settings(new EmulatedStorage().keyValue);
    const { value } = accessToken();
    expect(value).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(value, "base64url")).toHaveLength(32);
  }
});

test("AccessToken is created at first boot and kept", () => {
  const { value } = accessToken();
  expect(accessToken().value).toBe(value);
  expect(settings.read("svc/http/token")).toBe(value);
});

test("AccessToken can be replaced, and the new one is kept", () => {
  const token = accessToken();
  const before = token.value;
  const after = token.replace();
  expect([token.value, accessToken().value]).toEqual([after, after]);
  expect(after).not.toBe(before);
});
