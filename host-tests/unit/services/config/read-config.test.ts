import { expect, test } from "vitest";
import { OPTIONS } from "../../../../device/services/config/options.js";
import { readConfig, readOrigins } from "../../../../device/services/config/read-config.js";
import { Fault } from "../../../../protocol/fault.js";

test("readConfig gives every option its default", () => {
  expect(readConfig({})).toEqual(
    Object.fromEntries(Object.entries(OPTIONS).map(([name, option]) => [name, option.default])),
  );
});

test("the defaults are those of docs/reference/options.md", () => {
  expect(readConfig({})).toEqual({
    CONFIG_SVC_APP_MAX_SIZE_KB: 1024,
    CONFIG_SVC_SHELL_WEB_CMD_ENABLE: true,
    CONFIG_SVC_HTTP_AUTH: false,
    CONFIG_SVC_PAIRING: false,
    CONFIG_SVC_WASM_APP_STACK_SIZE: 8192,
    CONFIG_SVC_ALLOW_UNSIGNED_APPS: false,
    CONFIG_SVC_APP_ALLOW_DOWNGRADE: false,
    CONFIG_SVC_HTTP_ALLOWED_ORIGINS: "",
    CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S: 300,
    CONFIG_SVC_OTA_ALLOW_DOWNGRADE: false,
    CONFIG_SVC_HUB_AUTO_UPDATE: false,
    CONFIG_SVC_HOME_SCREEN: true,
    CONFIG_SVC_HOME_CHORD: "select+start",
    CONFIG_SVC_HOME_REMOTE: false,
    CONFIG_SVC_KEPT_PICTURES: 4,
    CONFIG_SVC_SETUP_AP: true,
    CONFIG_SVC_TIME_SERVER: "",
    CONFIG_SVC_SETUP_AP_TIMEOUT_S: 600,
    CONFIG_SVC_MAX_RUNNING_APPS: 4,
  });
});

test("pairing turns auth on, also where a manifest sets auth to its default", () => {
  expect(readConfig({ CONFIG_SVC_PAIRING: "on" }).CONFIG_SVC_HTTP_AUTH).toBe(true);
  expect(readConfig({ CONFIG_SVC_PAIRING: "off" }).CONFIG_SVC_HTTP_AUTH).toBe(false);
  expect(readConfig({ CONFIG_SVC_PAIRING: true, CONFIG_SVC_HTTP_AUTH: false }).CONFIG_SVC_HTTP_AUTH).toBe(
    true,
  );
});

const TAKEN = [
  { name: "CONFIG_SVC_HTTP_AUTH", value: "on", read: true },
  { name: "CONFIG_SVC_HTTP_AUTH", value: "1", read: true },
  { name: "CONFIG_SVC_HTTP_AUTH", value: true, read: true },
  { name: "CONFIG_SVC_SHELL_WEB_CMD_ENABLE", value: "off", read: false },
  { name: "CONFIG_SVC_SHELL_WEB_CMD_ENABLE", value: "n", read: false },
  { name: "CONFIG_SVC_APP_MAX_SIZE_KB", value: "64", read: 64 },
  { name: "CONFIG_SVC_APP_MAX_SIZE_KB", value: 64, read: 64 },
  { name: "CONFIG_SVC_HTTP_ALLOWED_ORIGINS", value: "https://a.example", read: "https://a.example" },
] as const;

for (const { name, value, read } of TAKEN)
  test(`readConfig accepts ${name}=${value}`, () => expect(readConfig({ [name]: value })[name]).toBe(read));

const REFUSED: { values: Record<string, unknown>; code: string; message: RegExp }[] = [
  { values: { CONFIG_SVC_NOPE: "1" }, code: "config_unknown", message: /"CONFIG_SVC_NOPE"/ },
  { values: { toString: "1" }, code: "config_unknown", message: /"toString"/ },
  { values: { CONFIG_SVC_HTTP_AUTH: "maybe" }, code: "config_invalid", message: /"on" or "off"/ },
  { values: { CONFIG_SVC_APP_MAX_SIZE_KB: "0" }, code: "config_invalid", message: /1 to 16384 KiB/ },
  { values: { CONFIG_SVC_APP_MAX_SIZE_KB: "12abc" }, code: "config_invalid", message: /not "12abc"/ },
  { values: { CONFIG_SVC_APP_MAX_SIZE_KB: "" }, code: "config_invalid", message: /not ""/ },
  { values: { CONFIG_SVC_MAX_RUNNING_APPS: -1 }, code: "config_invalid", message: /1 to 16 apps/ },
  { values: { CONFIG_SVC_HTTP_ALLOWED_ORIGINS: 5 }, code: "config_invalid", message: /must be text/ },
];

for (const { values, code, message } of REFUSED)
  test(`readConfig rejects ${JSON.stringify(values)} and names the accepted values`, () => {
    const refusal = (() => {
      try {
        readConfig(values);
      } catch (error) {
        return error as Fault;
      }
      return undefined;
    })();
    expect(refusal).toBeInstanceOf(Fault);
    expect(refusal?.code).toBe(code);
    expect(refusal?.message).toMatch(message);
  });

test("readOrigins splits at commas and ignores blanks and a trailing slash", () => {
  expect(readOrigins(" https://A.example/ ,http://b.example:81,")).toEqual([
    "https://a.example",
    "http://b.example:81",
  ]);
  expect(readOrigins("")).toEqual([]);
});

test("readOrigins accepts 16 origins, and rejects more before it lists them", () => {
  const origins = Array.from({ length: 17 }, (_, at) => `https://${at}.example`);
  expect(readOrigins(origins.slice(1).join(","))).toHaveLength(16);
  for (const list of [origins.join(","), "http://a,".repeat(5000), `https://${"a".repeat(300)}.example`])
    expect(() => readOrigins(list)).toThrow(expect.objectContaining({ code: "config_invalid" }));
  expect(readOrigins(",".repeat(5000))).toEqual([]);
});

for (const list of ["*", "garbage", "https://", "https://a.example/path", "https://a.example,b.example"])
  test(`readOrigins rejects "${list}"`, () =>
    expect(() => readOrigins(list)).toThrow(expect.objectContaining({ code: "config_invalid" })));
