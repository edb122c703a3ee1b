/** What a board on RV32 is played is the same each time, and all of it is awaited. */
import { createHash, createPublicKey, verify } from "node:crypto";
import { expect, test } from "vitest";
import { makeFirmware } from "../../../../boards/rv32/session/files.js";
import { signFile, TRUSTED_KEYS } from "../../../../boards/rv32/session/publisher.js";
import { writeScript } from "../../../../boards/rv32/session/script.js";
import { sessionSteps } from "../../../../boards/rv32/session/session.js";

const FILES = {
  firmware: new Uint8Array(256 * 1024),
  app: new Uint8Array(5000),
  ticker: new Uint8Array(100),
  largeModule: new Uint8Array(10_000),
  scroller: new Uint8Array(1000),
  sieve: new Uint8Array(1000),
  sieveImage: new Uint8Array(9000),
};
const steps = sessionSteps(FILES);
const named = (name: string) => steps.find((step) => step.name === name);

test("the firmware has 256 KiB and is the same each time", async () => {
  const firmware = await makeFirmware("rv32");
  expect(firmware.length).toBe(256 * 1024);
  expect(await makeFirmware("rv32")).toEqual(firmware);
});

test("its signatures are valid under the key that the board trusts", () => {
  const file = Buffer.from("a file");
  const digest = createHash("sha256").update(file).digest();
  expect(verify(null, digest, createPublicKey(TRUSTED_KEYS), Buffer.from(signFile(file), "hex"))).toBe(true);
});

test("each step has a name of its own", () =>
  expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length));

test("each request is sent after the answer to the previous one", () => {
  for (const { name, commands } of steps) {
    const open = new Set<string>();
    for (const command of commands) {
      if (command.does === "send") {
        expect(open.has(command.channel), name).toBe(false);
        open.add(command.channel);
      } else if (command.does === "await") open.delete(command.channel);
    }
    expect([...open], name).toEqual([]);
  }
});

test("firmware comes in chunks of 2048 bytes, with the first and the last as steps of their own", () => {
  expect(named("upload-begin")?.units).toBe(1);
  expect(named("upload-chunks")?.units).toBe(126);
  const sent = ["upload-begin", "upload-chunks", "upload-end"]
    .flatMap((name) => named(name)?.commands ?? [])
    .flatMap((command) => (command.does === "send" ? [JSON.parse(String(command.bytes))] : []));
  expect(sent.map(({ chunk }) => chunk)).toEqual(Array.from({ length: 128 }, (_, index) => index + 1));
  const bytes = Buffer.concat(sent.map(({ data }) => Buffer.from(data, "base64")));
  expect(bytes.equals(FILES.firmware)).toBe(true);
  expect(sent.every(({ data }) => Buffer.from(data, "base64").length === 2048)).toBe(true);
});

test("no step restarts the console", () =>
  expect(String(writeScript(steps))).not.toMatch(/reboot|"\/upload"/));
