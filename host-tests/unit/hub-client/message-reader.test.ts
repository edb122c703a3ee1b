import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MessageReader } from "../../../hub-client/message-reader.js";
import { Fault } from "../../../protocol/fault.js";
import { octets } from "./client-ports.js";

const read = (message: unknown) =>
  new MessageReader().read(octets(typeof message === "string" ? message : JSON.stringify(message)));

const INSTALL = {
  type: "app.install",
  command_id: "c",
  app_id: "tetris",
  version: "1.0.0",
  download_url: "http://hub/x",
};
const MESSAGES = [
  INSTALL,
  { type: "app.uninstall", command_id: "c", app_id: "tetris" },
  {
    type: "firmware.update",
    command_id: "c",
    version: "1.0.0",
    download_url: "http://hub/x",
    signature: "ab",
  },
  { type: "device.claimed", claimed: true },
  { type: "keys.revoke", command_id: "c", list: "AAAA" },
  { type: "keys.revoke", command_id: "c", list: "AAAA".repeat(900) },
];
/** Messages with a command_id. */
const ROTATION = ["token.rotate", "token.accepted"].map((type) => ({ type, command_id: "c" }));

describe("a pushed message", () => {
  test("is read with what it may have besides", () => {
    const message = { ...INSTALL, downgrade: true, size_bytes: 0, publisher: "Example" };
    expect(read(message)).toEqual(message);
  });

  for (const message of [...MESSAGES, ...ROTATION]) {
    test(`${message.type} is read`, () => expect(read(message)).toEqual(message));

    test(`${message.type} may have unknown members`, () =>
      expect(read({ ...message, colour: "red", more: [{}, 1] })).toEqual(message));

    for (const name of Object.keys(message).filter((member) => member !== "command_id"))
      test(`${message.type} requires "${name}"`, () => {
        for (const value of [undefined, null, 1, "", [], {}])
          expect(() => read({ ...message, [name]: value })).toThrow(Fault);
      });
  }

  test("may lack command_id (docs/spec/hub-push.md#command-id-optional), which must be a string", () => {
    const { command_id: _, ...plain } = INSTALL;
    expect(read(plain)).toEqual(plain);
    expect(() => read({ ...INSTALL, command_id: 1 })).toThrow(Fault);
  });

  for (const message of ROTATION)
    test(`${message.type} requires "command_id"`, () => {
      for (const value of [undefined, null, 1, "", [], {}])
        expect(() => read({ ...message, command_id: value })).toThrow(Fault);
    });

  test("may have a signature of its download_url, which must be a string", () => {
    const signed = { ...INSTALL, download_url_signature: "ab" };
    expect(read(signed)).toEqual(signed);
    for (const value of [null, 1, "", {}])
      expect(() => read({ ...INSTALL, download_url_signature: value })).toThrow(Fault);
  });

  test("of an unknown type is ignored", () => expect(read({ type: "app.dance" })).toBeUndefined());

  for (const text of [
    "",
    "null",
    "1",
    "[]",
    '"x"',
    "{",
    "{}",
    '{"type":1}',
    "\ufeff{}",
    "[".repeat(3000),
    `{"type":"x","a":[${"1,".repeat(200)}1]}`,
    `{"type":"${"x".repeat(257)}"}`,
    JSON.stringify({ type: "app.uninstall", app_id: "a".repeat(257) }),
    JSON.stringify({ type: "app.install", app_id: "a", version: "1", download_url: `/${"a".repeat(2048)}` }),
    JSON.stringify({ ...INSTALL, size_bytes: -1 }),
    JSON.stringify({ ...INSTALL, size_bytes: "1" }),
    JSON.stringify({ ...INSTALL, publisher: 1 }),
  ])
    test(`cannot be ${JSON.stringify(text.slice(0, 20))}`, () => expect(() => read(text)).toThrow(Fault));

  test("is read, ignored or rejected with a fault, whatever it is", () => {
    const reader = new MessageReader();
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(...MESSAGES.map((message) => JSON.stringify(message))),
    );
    fc.assert(
      fc.property(fc.oneof(texts.map(octets), fc.uint8Array()), (bytes) => {
        try {
          reader.read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
  });
});
