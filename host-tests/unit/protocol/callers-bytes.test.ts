/**
 * Code that consoles share with Node leaves its caller's bytes alone, and keeps no view of them where it says that it
 * copies: `slice` of Node's Buffer is a view, that of any other Uint8Array a copy.
 */
import { expect, test } from "vitest";
import { LineSplitter } from "../../../device-client/usb-messages.js";
import { ByteCollector } from "../../../hub-client/answer-head.js";
import { Outbox } from "../../../protocol/http/outbox.js";
import { deviceTokenOf } from "../../../protocol/hub/device-token.js";
import { numberOf, scalarOf } from "../../../protocol/noble/noble-ed25519.js";

const counted = (byteLength: number) => Buffer.from(Array.from({ length: byteLength }, (_, at) => at + 1));

test("readNumber leaves a Buffer unchanged", () => {
  const bytes = Buffer.of(1, 2, 3);
  expect([numberOf(bytes), numberOf(bytes)]).toEqual([0x030201n, 0x030201n]);
  const digest = counted(64);
  scalarOf(digest);
  expect(digest).toEqual(counted(64));
});

test("making a device token leaves a Buffer unchanged", () => {
  const random = counted(16);
  deviceTokenOf(random);
  expect(random).toEqual(counted(16));
});

test("Collected bytes are a copy", () => {
  const collector = new ByteCollector(16);
  const bytes = counted(4);
  collector.push(bytes);
  bytes.fill(0);
  expect([...collector.join()]).toEqual([1, 2, 3, 4]);
});

test("The beginning of a line is a copy", () => {
  const splitter = new LineSplitter(16);
  const bytes = Buffer.from("ab");
  expect(splitter.push(bytes)).toEqual([]);
  bytes.fill(0x78);
  expect(splitter.push(Buffer.from("c\n"))).toEqual(["abc"]);
});

test("Bytes waiting to be sent are a copy", () => {
  const sent: number[] = [];
  const socket = { write: (bytes: Uint8Array) => void sent.push(...bytes) };
  const outbox = new Outbox(socket as unknown as ConstructorParameters<typeof Outbox>[0]);
  const bytes = counted(4);
  outbox.send(bytes);
  bytes.fill(0);
  outbox.onWritable(100);
  expect(sent).toEqual([1, 2, 3, 4]);
});
