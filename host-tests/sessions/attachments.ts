/** The bytes that a session sends under a name, and their place in what is sent. */
import { moduleOf, packageOf } from "../hosts/app-files.js";
import type { Publisher } from "../hosts/publisher.js";
import type { Attachments } from "./scene.js";

/** An app that logs a line, and then sleeps until it is stopped. */
const APP = `(module
  (import "svc" "log" (func $log (param i32 i32 i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "I am here")
  (func $main (export "main")
    (call $log (i32.const 1) (i32.const 16) (i32.const 9))
    (loop $again (call $sleep (i32.const 1000)) (br $again))))`;

/** @param publisher whom the console trusts */
export async function sessionAttachments(publisher: Publisher): Promise<Attachments> {
  const file = packageOf(await moduleOf(APP), { name: "tetris", description: "Falling blocks" });
  const middle = file.length >> 1;
  const base64 = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString("base64"));
  return {
    package: file,
    "package length": Buffer.from(String(file.length)),
    signature: Buffer.from(publisher.sign(file)),
    "half 1": file.subarray(0, middle),
    "half 1 length": Buffer.from(String(middle)),
    "half 2": file.subarray(middle),
    "half 2 length": Buffer.from(String(file.length - middle)),
    "half 1 in base64": base64(file.subarray(0, middle)),
    "half 2 in base64": base64(file.subarray(middle)),
    "2000 spaces": Buffer.alloc(2000, " "),
    "9000 letters": Buffer.alloc(9000, "x"),
  };
}

/** What is sent for a text with names in it. */
export function attach(text: string, attachments: Attachments): Uint8Array {
  const pieces = text.split(/«([^»]*)»/);
  return Buffer.concat(
    pieces.map((piece, index) => (index % 2 === 0 ? Buffer.from(piece) : named(piece, attachments))),
  );
}

function named(name: string, attachments: Attachments): Uint8Array {
  const bytes = attachments[name];
  if (bytes === undefined) throw new Error(`There is no attachment "${name}"`);
  return bytes;
}
