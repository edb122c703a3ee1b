/** What a network's name and password may be (docs/spec/wifi.md#credentials). */
import { beforeEach, describe, expect, test } from "vitest";
import { Settings } from "../../../../device/services/settings/settings.js";
import { Credentials, checkCredentials } from "../../../../device/services/wifi/credentials.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";

const KEY = "0123456789abcdefABCDEF".padEnd(64, "0");

describe("A network is accepted with", () => {
  const TAKEN = [
    { name: "an open network", ssid: "home", password: "" },
    { name: "a name of one byte", ssid: "h", password: "" },
    { name: "a name of 32 bytes", ssid: "ü".repeat(16), password: "" },
    { name: "a name of four-byte characters", ssid: "😀".repeat(8), password: "" },
    { name: "a name with any other characters", ssid: ' "\n\t\\', password: "" },
    { name: "a password of 8 characters", ssid: "home", password: "12345678" },
    { name: "a password of 63 characters", ssid: "home", password: "~ ".padEnd(63, "p") },
    { name: "a key of 64 digits", ssid: "home", password: KEY },
  ];
  for (const { name, ssid, password } of TAKEN)
    test(name, () =>
      expect(checkCredentials(ssid, password)).toEqual(password ? { SSID: ssid, password } : { SSID: ssid }),
    );
});

describe("A network is rejected, naming the parameter, with", () => {
  const REFUSED = [
    { name: "an empty name", ssid: "", password: "", parameter: "ssid" },
    { name: "a name of 33 bytes", ssid: "n".repeat(33), password: "", parameter: "ssid" },
    { name: "a name of 17 characters and 34 bytes", ssid: "ü".repeat(17), password: "", parameter: "ssid" },
    { name: "a name of 11 characters and 33 bytes", ssid: "日".repeat(11), password: "", parameter: "ssid" },
    { name: "a name with U+0000", ssid: "a\0b", password: "", parameter: "ssid" },
    { name: "a name with an unpaired surrogate", ssid: "a\ud83d", password: "", parameter: "ssid" },
    { name: "a password of 7 characters", ssid: "home", password: "1234567", parameter: "password" },
    { name: "64 characters that are no key", ssid: "home", password: "g".repeat(64), parameter: "password" },
    { name: "a key of 65 digits", ssid: "home", password: `${KEY}0`, parameter: "password" },
    { name: "a password that is not ASCII", ssid: "home", password: "pässword", parameter: "password" },
    { name: "a password with a line feed", ssid: "home", password: "12345678\n", parameter: "password" },
  ];
  for (const { name, ssid, password, parameter } of REFUSED)
    test(name, () => {
      const message = expect.stringContaining(`"${parameter}"`);
      expect(() => checkCredentials(ssid, password)).toThrow(
        expect.objectContaining({ code: "bad_parameter", message }),
      );
    });
});

describe("The stored network", () => {
  const builtIn = { SSID: "factory" };
  let storage: EmulatedStorage;
  const credentials = () => new Credentials(new Settings(storage.keyValue), builtIn);

  beforeEach(() => {
    storage = new EmulatedStorage();
  });

  test("is the built-in one until another is set", () => {
    expect(credentials().read()).toEqual(builtIn);
    expect(new Credentials(new Settings(storage.keyValue), undefined).read()).toBeUndefined();
  });

  for (const network of [{ SSID: "home" }, { SSID: "a\nb", password: "12345678" }])
    test(`is "${network.SSID}" as given`, () => {
      credentials().write(network);
      expect(credentials().read()).toEqual(network);
    });

  test("is none once forgotten, and not the built-in one", () => {
    credentials().write({ SSID: "home", password: "12345678" });
    credentials().forget();
    expect(credentials().read()).toBeUndefined();
  });
});
