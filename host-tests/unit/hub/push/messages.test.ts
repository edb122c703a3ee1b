import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDeviceMessage } from "../../../../hub/push/device-message.js";
import { MessageWriter } from "../../../../hub/push/hub-message.js";
import { Fault } from "../../../../protocol/fault.js";

const read = (value: unknown) => readDeviceMessage(Buffer.from(JSON.stringify(value)));
const ID = "00000000-0000-4000-8000-000000000000";

describe("Messages from devices", () => {
  const STATUS = { firmware_version: "1.2.3", free_heap_bytes: 0, running_apps: ["a"], wifi_rssi: -51 };

  test("a status is kept without its type and without unknown members", () =>
    expect(read({ type: "device.status", ...STATUS, more: 1 })).toEqual({ kind: "status", status: STATUS }));

  const STARTED = { boot: 2 ** 32 - 1, reset_reason: "watchdog", uptime_s: 0 };
  test("a start is read", () =>
    expect(read({ type: "device.started", ...STARTED })).toEqual({ kind: "started", started: STARTED }));

  test("a crash is read, its line cleaned and cut to 512 characters", () =>
    expect(
      read({ type: "app.crashed", app_id: "tetris", version: "1.2.3", message: `a\0\n${"b".repeat(600)}` }),
    ).toEqual({
      kind: "crashed",
      crashed: { app_id: "tetris", version: "1.2.3", message: `a ${"b".repeat(509)}…` },
    }));

  test("values that a board does not know are left out of its status", () =>
    expect(read({ type: "device.status", firmware_version: "1.2.3" })).toEqual({
      kind: "status",
      status: { firmware_version: "1.2.3" },
    }));

  const RESULTS = [
    { type: "app.install.result", command_id: ID, app_id: "tetris", success: true, error: null },
    { type: "app.uninstall.result", app_id: "tetris", success: false, error: "busy" },
    { type: "firmware.update.result", version: "1.2.3", state: "staged", success: null, error: null },
  ];
  for (const result of RESULTS)
    test(`${result.type} is read unchanged`, () => expect(read(result)).toEqual({ kind: "result", result }));

  test("an error may be missing from a result", () =>
    expect(read({ type: "app.install.result", app_id: "tetris", success: true })).toMatchObject({
      result: { error: null },
    }));

  const ERRORS: readonly (readonly [string, unknown, string | null])[] = [
    ["is cut", "e".repeat(129), "e".repeat(128)],
    ["is cut between characters", `${"e".repeat(127)}\u{1f642}`, "e".repeat(127)],
    ["loses control characters", "\0a\r\n\tb\x7f", "a b"],
    ["loses unpaired surrogates", "a\ud800b", "a b"],
    ["without other characters becomes null", "\0\n", null],
    ["that is empty becomes null", "", null],
    ["that is a number is written as text", 7, "7"],
    ["that is true is written as text", true, "true"],
    ["that is an object is written as text", { code: "busy" }, '{"code":"busy"}'],
    ["that is nested is written as text", [[[[[["busy"]]]]]], '[[[[[["busy"]]]]]]'],
    [
      "that is a long value other than text is cut",
      Array(300).fill(1),
      JSON.stringify(Array(300).fill(1)).slice(0, 128),
    ],
  ];
  for (const [what, error, kept] of ERRORS)
    for (const failure of RESULTS.slice(1).map((result) => ({ ...result, success: false })))
      test(`an error of ${failure.type} ${what}`, () =>
        expect(read({ ...failure, error })).toEqual({ kind: "result", result: { ...failure, error: kept } }));

  test("a message of unknown type is ignored", () => expect(read({ type: "device.mood" })).toBeUndefined());

  const [install, , firmware] = RESULTS;
  const MALFORMED: readonly unknown[] = [
    ...[1, "text", null, [], {}, { type: 1 }, { type: null }],
    { type: "device.status" },
    ...[undefined, "1", "1.2", "1.2.3.4", 1].map((firmware_version) => ({ ...STATUS, firmware_version })),
    ...[-1, 1.5, 1e300, "1", null].map((free_heap_bytes) => ({ ...STATUS, free_heap_bytes })),
    ...["a", [1], ["../a"], Array(65).fill("a"), null].map((running_apps) => ({ ...STATUS, running_apps })),
    ...[0.5, 1000, "-51", null].map((wifi_rssi) => ({ ...STATUS, wifi_rssi })),
    ...["", "x", ID.toUpperCase().replace("0", "A"), 1, null].map((command_id) => ({
      ...install,
      command_id,
    })),
    ...[undefined, "", ".a", "a/b", 1].map((app_id) => ({ ...install, app_id })),
    ...[undefined, null, 1, "true"].map((success) => ({ ...install, success })),
    ...[undefined, -1, 0.5, 2 ** 32, "1"].map((boot) => ({ type: "device.started", ...STARTED, boot })),
    ...[undefined, "crashed", 1].map((reset_reason) => ({
      type: "device.started",
      ...STARTED,
      reset_reason,
    })),
    ...[undefined, -1, "1"].map((uptime_s) => ({ type: "device.started", ...STARTED, uptime_s })),
    ...[undefined, 1, null].map((message) => ({
      type: "app.crashed",
      app_id: "tetris",
      version: "1.2.3",
      message,
    })),
    ...[undefined, "done", 1].map((state) => ({ ...firmware, state })),
    ...[undefined, "1.0"].map((version) => ({ ...firmware, version })),
  ].map((value) =>
    value && typeof value === "object" && "free_heap_bytes" in value
      ? { type: "device.status", ...value }
      : value,
  );
  for (const value of MALFORMED)
    test(`${JSON.stringify(value).slice(0, 100)} is malformed`, () =>
      expect(() => read(value)).toThrow(Fault));

  test("property: any bytes are read or give a fault", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          try {
            readDeviceMessage(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(Fault);
          }
        },
      ),
    );
  });
});

describe("Messages to devices", () => {
  const FACTS = { apiUrl: "https://hub.example/api/v1", arch: "xtensa", file: {} };
  const command = { id: ID, subject: "tetris", version: "1.2.3", allows_downgrade: 0 };
  const messageOf = (...given: Parameters<MessageWriter["write"]>) =>
    JSON.parse(new MessageWriter().write(...given));

  test("messages in a row have nothing of each other, whatever they differ in", () => {
    const sign = (address: string) => `signed ${address}`;
    const commands = (["install", "uninstall", "firmware"] as const).flatMap((kind) =>
      [{}, { subject: "chess" }, { version: "2.0.0" }, { allows_downgrade: 1 }, { id: "another" }].map(
        (change) => ({ ...command, kind, ...change }),
      ),
    );
    const facts = [
      ...[FACTS, { ...FACTS, arch: "rv32" }, { ...FACTS, apiUrl: "http://other/api/v1" }],
      ...[
        { ...FACTS, file: { sizeBytes: 7, signature: "ab" } },
        { ...FACTS, signAddress: sign },
      ],
    ];
    const all = commands.flatMap((one) => facts.map((each) => [one, each] as const));
    const writer = new MessageWriter();
    for (const before of all)
      for (const after of all) {
        writer.write(...before);
        expect(JSON.parse(writer.write(...after))).toEqual(messageOf(...after));
      }
  });

  test("an address elsewhere has the hub's signature, and a downgrade is marked as such", () => {
    const facts = { ...FACTS, signAddress: (address: string) => `signed ${address}` };
    const download_url = "https://hub.example/api/v1/catalog/tetris/download?version=1.2.3";
    expect(messageOf({ ...command, kind: "install", allows_downgrade: 1 }, facts)).toEqual({
      type: "app.install",
      command_id: ID,
      app_id: "tetris",
      version: "1.2.3",
      downgrade: true,
      download_url,
      download_url_signature: `signed ${download_url}`,
    });
    expect(messageOf({ ...command, kind: "firmware", subject: "" }, facts)).toHaveProperty(
      "download_url_signature",
      "signed https://hub.example/api/v1/firmware/1.2.3/download?arch=xtensa",
    );
  });

  test("an install names app, version and download address", () =>
    expect(messageOf({ ...command, kind: "install" }, FACTS)).toEqual({
      type: "app.install",
      command_id: ID,
      app_id: "tetris",
      version: "1.2.3",
      download_url: "https://hub.example/api/v1/catalog/tetris/download?version=1.2.3",
    }));

  test("an install tells size and publisher where the catalogue has the app", () => {
    const file = { sizeBytes: 70_000, publisher: "Example" };
    expect(messageOf({ ...command, kind: "install" }, { ...FACTS, file })).toMatchObject({
      size_bytes: 70_000,
      publisher: "Example",
    });
  });

  test("an uninstall names the app alone", () =>
    expect(messageOf({ ...command, kind: "uninstall" }, FACTS)).toEqual({
      type: "app.uninstall",
      command_id: ID,
      app_id: "tetris",
    }));

  test("a firmware message describes the firmware of the device's architecture, with its signature", () => {
    const file = { signature: "ab".repeat(64), sizeBytes: 1_500_000 };
    expect(messageOf({ ...command, kind: "firmware", subject: "" }, { ...FACTS, file })).toEqual({
      type: "firmware.update",
      command_id: ID,
      version: "1.2.3",
      download_url: "https://hub.example/api/v1/firmware/1.2.3/download?arch=xtensa",
      signature: file.signature,
      size_bytes: 1_500_000,
    });
  });
});
