import { expect, test } from "vitest";
import { ALL_CAPABILITIES } from "./abi-calls.js";
import { runGuest } from "./guest-under-test.js";

const WRITE = `(import "svc" "storage_write" (func $write (param i32 i32 i32 i32) (result i32)))`;
const READ = `(import "svc" "storage_read" (func $read (param i32 i32 i32 i32 i32) (result i32)))`;

const writing = `${WRITE} (memory 1) (data (i32.const 16) "key") (data (i32.const 32) "0123456789")
  (func (export "main") (result i32)
    (call $write (i32.const 16) (i32.const 3) (i32.const 32) (i32.const 10)))`;

/** Reads into 32 with room for 10 and gives what stands there at 40. */
const reading = `${READ} (memory 1) (data (i32.const 16) "key")
  (func (export "main") (result i32)
    (drop (call $read (i32.const 16) (i32.const 3) (i32.const 5) (i32.const 32) (i32.const 10)))
    (i32.load16_u (i32.const 40)))`;

const TEXT = "const text = (bytes) => String.fromCharCode(...bytes);";

test("a request has a function, parameters, input lengths and room for output", async () => {
  const write = await runGuest({
    module: writing,
    capabilities: ALL_CAPABILITIES,
    onRequest: `
      say([request.function, request.parameters, request.inputByteLengths, request.room]);
      guest.answer(-5);`,
  });
  expect(write.said).toEqual([["storage_write", [16, 3, 32, 10], [3, 10], 0]]);
  expect(write.exit).toEqual({ reason: "exit", code: -5 });
  const read = await runGuest({
    module: reading,
    capabilities: ALL_CAPABILITIES,
    onRequest: `
      say([request.function, request.parameters, request.inputByteLengths, request.room]);
      guest.answer(0);`,
  });
  expect(read.said).toEqual([["storage_read", [16, 3, 5, 32, 10], [3], 10]]);
});

test("readInput() reads a piece of any input from any offset", async () => {
  const { said } = await runGuest({
    module: writing,
    capabilities: ALL_CAPABILITIES,
    onRequest: `${TEXT}
      const into = new Uint8Array(4);
      const piece = (index, offset) => { const count = request.readInput(index, into, offset); return text(into.subarray(0, count)); };
      say([piece(0, 0), piece(1, 0), piece(1, 3), piece(1, 8), piece(1, 10)]);
      guest.answer(0);`,
  });
  expect(said).toEqual([["key", "0123", "3456", "89", ""]]);
});

test("writeAnswer() writes pieces to the app's memory", async () => {
  const { exit } = await runGuest({
    module: reading,
    capabilities: ALL_CAPABILITIES,
    onRequest: `
      guest.writeAnswer(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 0);
      guest.writeAnswer(Uint8Array.of(0x34, 0x12), 8);
      guest.answer(10);`,
  });
  expect(exit.code).toBe(0x1234);
});

const MISUSES = [
  {
    name: "writing past the room",
    statement: "guest.writeAnswer(new Uint8Array(11), 0)",
    error: "RangeError",
  },
  {
    name: "writing past the room by an offset",
    statement: "guest.writeAnswer(new Uint8Array(1), 10)",
    error: "RangeError",
  },
  {
    name: "writing before the room",
    statement: "guest.writeAnswer(new Uint8Array(1), -1)",
    error: "RangeError",
  },
  {
    name: "writing at NaN",
    statement: "guest.writeAnswer(new Uint8Array(1), NaN)",
    error: "RangeError",
  },
  {
    name: "reading past an input",
    statement: "request.readInput(0, new Uint8Array(1), 4)",
    error: "RangeError",
  },
  {
    name: "reading before an input",
    statement: "request.readInput(0, new Uint8Array(1), -1)",
    error: "RangeError",
  },
  {
    name: "reading a missing input",
    statement: "request.readInput(1, new Uint8Array(1), 0)",
    error: "RangeError",
  },
  { name: "an answer that is not an i32", statement: "guest.answer(2 ** 31)", error: "RangeError" },
  { name: "a second answer", statement: "guest.answer(0); guest.answer(0)", error: "Error" },
  {
    name: "reading after the answer",
    statement: "guest.answer(0); request.readInput(0, new Uint8Array(1), 0)",
    error: "Error",
  },
  {
    name: "writing after the answer",
    statement: "guest.answer(0); guest.writeAnswer(new Uint8Array(1), 0)",
    error: "Error",
  },
];
for (const { name, statement, error } of MISUSES)
  test(`${name} throws and leaves the app running`, async () => {
    const { said, exit } = await runGuest({
      module: reading,
      capabilities: ALL_CAPABILITIES,
      onRequest: `
        try { ${statement}; } catch (error) { say([error.constructor.name]); }
        if (guest.request) guest.answer(0);`,
    });
    expect(said).toEqual([[error]]);
    expect(exit).toEqual({ reason: "exit", code: 0 });
  });

test("guest.request is the same object until the answer, and then undefined", async () => {
  const { said } = await runGuest({
    module: writing,
    capabilities: ALL_CAPABILITIES,
    onRequest: `
      const isSame = request === guest.request;
      guest.answer(0);
      say([isSame, guest.request === undefined]);`,
  });
  expect(said).toEqual([[true, true]]);
});

test("an answer may be given later", async () => {
  const { exit } = await runGuest({
    module: writing,
    capabilities: ALL_CAPABILITIES,
    onRequest: "timer.set(() => guest.answer(17), 50);",
  });
  expect(exit.code).toBe(17);
});

test("a stopped app has no request, and answer() throws", async () => {
  const { said, exit } = await runGuest({
    module: writing,
    capabilities: ALL_CAPABILITIES,
    onRequest: `
      guest.stop();
      say([guest.request === undefined]);
      try { guest.answer(0); } catch (error) { say([error.message]); }`,
  });
  expect(said).toEqual([[true], ["no request waits"]]);
  expect(exit).toEqual({ reason: "stopped" });
});

test("an input of more than 64 KiB can be read in pieces", async () => {
  const { said } = await runGuest({
    memoryQuotaBytes: 131_072,
    capabilities: ALL_CAPABILITIES,
    module: `${WRITE} (memory 2) (data (i32.const 65545) "!")
      (func (export "main") (result i32)
        (call $write (i32.const 0) (i32.const 1) (i32.const 10) (i32.const 65537)))`,
    onRequest: `
      const piece = new Uint8Array(2048);
      let read = 0, sum = 0;
      for (let at = 0; at < request.inputByteLengths[1]; at += 2048) {
        const count = request.readInput(1, piece, at);
        read += count;
        sum += piece[count - 1];
      }
      say([read, sum]);
      guest.answer(0);`,
  });
  expect(said).toEqual([[65_537, 33]]);
});
