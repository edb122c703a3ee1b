/** Apps that read and write the SD card, which is removed meanwhile (docs/spec/app-abi-and-quotas.md#card-absent). */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AppConsole } from "../../hosts/app-console.js";
import { mustInstall, startHostileConsole, stopApp, stopCleanly, whileProbed } from "./hostile-apps.js";

const directory = mkdtempSync(path.join(tmpdir(), "card-"));
const card = path.join(directory, "sd");
let console: AppConsole;

beforeAll(async () => {
  const own = path.join(card, "apps", "hostile");
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, "file"), "x".repeat(40_000));
  writeFileSync(path.join(own, ".hidden"), "hidden");
  writeFileSync(path.join(own, "größer 日本"), "any name");
  mkdirSync(path.join(own, "maps"));
  writeFileSync(path.join(own, "maps/deep"), "deep");
  writeFileSync(path.join(card, "outside"), "outside");
  symlinkSync(path.join(card, "outside"), path.join(own, "link"));
  symlinkSync(card, path.join(own, "up"));
  console = await startHostileConsole({ flags: ["--sd", card] });
});
afterAll(async () => {
  await stopCleanly(console);
  rmSync(directory, { recursive: true });
});

const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
const SVC = `(import "svc" "card_size" (func $size (param i32 i32) (result i32)))
  (import "svc" "card_read" (func $read (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "card_list" (func $list (param i32 i32 i32 i32) (result i32)))
  (import "svc" "card_write" (func $write (param i32 i32 i32 i32 i32) (result i32)))
  (import "svc" "card_delete" (func $delete (param i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "file link up/outside new/a.txt ${escaped("größer 日本")} maps/deep a${escaped("\n")}b")
  (data (i32.const 60000) "MAPS/Deep New/A.TXT")`;
const LIST_BYTES = Buffer.byteLength("file\ngrößer 日本\nmaps/\n");

test("An app reads its files and sees no links", async () => {
  const tests = [
    "(i32.ne (call $size (i32.const 0) (i32.const 4)) (i32.const 40000))",
    "(i32.ne (call $read (i32.const 0) (i32.const 4) (i32.const 1000) (i32.const 64) (i32.const 50000)) (i32.const 16384))",
    "(i32.ne (call $read (i32.const 0) (i32.const 4) (i32.const 30000) (i32.const 64) (i32.const 16384)) (i32.const 10000))",
    "(i32.ne (call $size (i32.const 5) (i32.const 4)) (i32.const -2))",
    "(i32.ne (call $size (i32.const 10) (i32.const 10)) (i32.const -2))",
    "(i32.ne (call $list (i32.const 10) (i32.const 2) (i32.const 64) (i32.const 100)) (i32.const -2))",
    `(i32.ne (call $list (i32.const 0) (i32.const 0) (i32.const 100) (i32.const 100)) (i32.const ${LIST_BYTES}))`,
    `(i32.ne (call $list (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const ${LIST_BYTES}))`,
    "(i32.ne (call $size (i32.const 31) (i32.const 15)) (i32.const 8))",
    "(i32.ne (call $list (i32.const 47) (i32.const 4) (i32.const 100) (i32.const 100)) (i32.const 5))",
    "(i32.ne (call $size (i32.const 47) (i32.const 9)) (i32.const 4))",
    "(i32.ne (call $read (i32.const 0) (i32.const 4) (i32.const -1) (i32.const 64) (i32.const 9)) (i32.const -22))",
    // Neither through a link nor in place of one.
    "(i32.ne (call $write (i32.const 5) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 4)) (i32.const -5))",
    "(i32.ne (call $write (i32.const 10) (i32.const 10) (i32.const 0) (i32.const 0) (i32.const 4)) (i32.const -5))",
    "(i32.ne (call $delete (i32.const 5) (i32.const 4)) (i32.const -2))",
    "(i32.ne (call $write (i32.const 21) (i32.const 9) (i32.const -1) (i32.const 0) (i32.const 60000)) (i32.const 2048))",
    "(i32.ne (call $write (i32.const 21) (i32.const 9) (i32.const -1) (i32.const 0) (i32.const 4)) (i32.const 4))",
    "(i32.ne (call $write (i32.const 21) (i32.const 9) (i32.const 2053) (i32.const 0) (i32.const 4)) (i32.const -22))",
    "(i32.ne (call $size (i32.const 21) (i32.const 9)) (i32.const 2052))",
    "(i32.ne (call $write (i32.const 21) (i32.const 9) (i32.const 1) (i32.const 4) (i32.const 2)) (i32.const 2))",
    // A name that a list would tell as two.
    "(i32.ne (call $write (i32.const 57) (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 4)) (i32.const -22))",
    // docs/spec/simulated-console.md#drives
    "(i32.ne (call $size (i32.const 60000) (i32.const 9)) (i32.const 4))",
    "(i32.ne (call $list (i32.const 60000) (i32.const 4) (i32.const 100) (i32.const 100)) (i32.const 5))",
    "(i32.ne (call $write (i32.const 60010) (i32.const 9) (i32.const -1) (i32.const 0) (i32.const 1)) (i32.const 1))",
    "(i32.ne (call $size (i32.const 21) (i32.const 9)) (i32.const 2053))",
    "(i32.ne (call $write (i32.const 47) (i32.const 9) (i32.const 0) (i32.const 0) (i32.const 4)) (i32.const 4))",
    "(i32.ne (call $delete (i32.const 47) (i32.const 9)) (i32.const 0))",
    "(i32.ne (call $delete (i32.const 47) (i32.const 9)) (i32.const -2))",
    "(i32.ne (call $delete (i32.const 47) (i32.const 4)) (i32.const -2))",
  ];
  const checks = tests.map((wrong, at) => `(if ${wrong} (then (return (i32.const ${at + 1}))))`);
  await mustInstall(console, {
    module: `${SVC} (func (export "main") (result i32) ${checks.join(" ")} (i32.const 0))`,
  });
  await console.app("start", "hostile");
  const { last_exit } = await console.until((entry) => entry.state === "stopped", "hostile");
  expect(last_exit).toMatchObject({ reason: "exit", code: 0 });
  const written = readFileSync(path.join(card, "apps/hostile/new/a.txt"), "latin1");
  expect([written.slice(0, 9), written.slice(2048)]).toEqual(["f le link", "filef"]);
  expect(readFileSync(path.join(card, "outside"), "utf8")).toBe("outside");
});

test("A card that is removed and inserted again and again ends no app, and others are answered", async () => {
  /** Traps for a result that is none of a card that comes and goes. */
  const allowed = (call: string) => `(local.set $result ${call})
    (if (i32.lt_s (local.get $result) (i32.const 0)) (then
      (if (i32.eqz (i32.or (i32.eq (local.get $result) (i32.const -19))
          (i32.or (i32.eq (local.get $result) (i32.const -5)) (i32.eq (local.get $result) (i32.const -2)))))
        (then unreachable))))`;
  await mustInstall(console, {
    module: `${SVC} (func (export "main") (local $result i32) (loop $again
      ${allowed("(call $size (i32.const 0) (i32.const 4))")}
      ${allowed("(call $read (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 64) (i32.const 50000))")}
      ${allowed("(call $list (i32.const 0) (i32.const 0) (i32.const 64) (i32.const 100))")}
      ${allowed("(call $write (i32.const 21) (i32.const 9) (i32.const 0) (i32.const 64) (i32.const 2048))")}
      ${allowed("(call $delete (i32.const 21) (i32.const 9))")}
      (br $again)))`,
  });
  await whileProbed(console, async (prober) => {
    expect((await console.app("start", "hostile")).status).toBe(200);
    for (let turn = 0; turn < 10; turn++) {
      renameSync(card, `${card}-pulled`);
      await prober.answers(3);
      renameSync(`${card}-pulled`, card);
      await prober.answers(3);
    }
    expect((await stopApp(console)).last_exit).toMatchObject({ reason: "stopped" });
  });
});
