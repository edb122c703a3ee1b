/**
 * What an app may rely on wherever it runs: the same cases on a simulated console and on the player in a browser, as an app sees
 * them, from its package on. (Each function's gates and bounds, for all functions of the table, are in host-tests/device/guest.)
 */
import { ABI } from "../../device/wasm/abi.js";

/** Every app of the cases has this name. */
export const CONTRACT_APP = "contract";

export interface AppCase {
  readonly name: string;
  /** Fields of a module in the text format, with `$say` (i32) and each function of the ABI by its name. */
  readonly fields: string;
  readonly memoryQuota?: number;
  readonly script?: string;
  /** How the app ends, as a console logs it, with each `@OFFSET` as `+BYTES` from the start of its function's body; left out: it logs "shown" and waits, and the picture counts. */
  readonly ends?: string | RegExp;
  /** What it logs. */
  readonly lines?: readonly string[];
  /** CRC-32 of the display's pixels, red, green and blue, when it has logged "shown". */
  readonly screen?: number;
  /** The button A goes down once the app has logged "press". */
  readonly isPressed?: boolean;
  /** How the next run ends, which finds what this one has stored. */
  readonly endsAgain?: string;
}

/** Capabilities of all apps of the cases. */
export const CONTRACT_CAPABILITIES = [
  ...[
    "display.write",
    "gpio.read",
    "gpio.write",
    "storage.read",
    "storage.write",
    "app.control",
    "sound.play",
  ],
] as const;

const FUNCTIONS = ABI.filter(
  ({ capability }) =>
    capability === undefined || (CONTRACT_CAPABILITIES as readonly string[]).includes(capability),
);

/** Logs a number. Uses the memory from 60000 on. */
const SAY = `(func $say (param $value i32) (local $at i32) (local $isNegative i32)
  (local.set $at (i32.const 60020))
  (if (i32.lt_s (local.get $value) (i32.const 0)) (then
    (local.set $isNegative (i32.const 1))
    (local.set $value (i32.sub (i32.const 0) (local.get $value)))))
  (loop
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $value) (i32.const 10))))
    (br_if 0 (local.tee $value (i32.div_u (local.get $value) (i32.const 10)))))
  (if (local.get $isNegative) (then
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.const 45))))
  (drop (call $log (i32.const 1) (local.get $at) (i32.sub (i32.const 60020) (local.get $at)))))`;

/** The module of a case in the text format. Its memory is not exported: a host finds it all the same. */
export function contractModule({ fields }: AppCase): string {
  const imports = FUNCTIONS.map(({ name, parameters, result }) => {
    const taken = parameters.length > 0 ? `(param ${parameters.map(() => "i32").join(" ")})` : "";
    return `(import "svc" "${name}" (func $${name} ${taken} (result ${result})))`;
  });
  const memory = /\(memory /.test(fields) ? "" : "(memory 1)";
  return `(module ${imports.join("\n")} ${memory} ${SAY} ${fields})`;
}

/** Calls a function of the ABI with numbers. */
const call = (name: string, ...numbers: readonly number[]) =>
  `(call $${name} ${numbers.map((number) => `(i32.const ${number})`).join(" ")})`;

/** A case whose app logs what each expression gives. */
function values(
  name: string,
  expected: readonly (readonly [expression: string, value: number])[],
  more = "",
  options: Partial<AppCase> = {},
): AppCase {
  const said = expected.map(([expression]) => `(call $say ${expression})`);
  return {
    name,
    fields: `${more} (func (export "main") ${said.join("\n")})`,
    ends: "exit 0",
    lines: expected.map(([, value]) => String(value)),
    ...options,
  };
}

/** A case whose app ends by itself. */
const ending = (
  name: string,
  fields: string,
  ends: string | RegExp,
  options: Partial<AppCase> = {},
): AppCase => ({
  name,
  fields,
  ends,
  ...options,
});

/** A case whose app draws. @param data from address 0 on, in the text format */
function drawing(name: string, screen: number, calls: readonly string[], data = ""): AppCase {
  return {
    name,
    screen,
    fields: `(data (i32.const 0) "${data}") (data (i32.const 50000) "shown")
      (func (export "main")
        ${calls.map((each) => `(drop ${each})`).join("\n")}
        (drop (call $display_flush))
        (drop (call $log (i32.const 1) (i32.const 50000) (i32.const 5)))
        (loop (drop (call $sleep_ms (i32.const 1000))) (br 0)))`,
  };
}

const hex = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");

const LATIN = "Größe, ça va? Žluťoučký kůň, ŁÓDŹ; ïîìí «œuvre» – „Straße“ €5 ½ § ☃ ő ģ ţ";
const SHEET = Array.from({ length: 32 * 16 }, (_, pixel) => {
  const colour = (pixel * 2654435761) >>> 16;
  return `\\${(colour & 0xff).toString(16).padStart(2, "0")}\\${(colour >> 8).toString(16).padStart(2, "0")}`;
}).join("");

const LIST = JSON.stringify([{ name: CONTRACT_APP, version: "1.0.0", state: "running" }]);

const key = (text: string) => [0, text.length] as const;
const KEYS = (text: string) => `(data (i32.const 0) "${text}")`;

export const APP_CASES: readonly AppCase[] = [
  values("main returns nothing", []),
  ending("main returns a code", `(func (export "main") (result i32) (i32.const -7))`, "exit -7"),
  ending(
    "main gets no arguments",
    `(func (export "main") (param i32 i32) (result i32)
      (i32.add (i32.const 3) (i32.add (local.get 0) (local.get 1))))`,
    "exit 3",
  ),
  ending(
    "exit ends the app at any depth",
    `(func $deep (param i32) (if (local.get 0) (then (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (drop (call $exit (i32.const 41))))
      (func (export "main") (call $deep (i32.const 20)) unreachable)`,
    "exit 41",
  ),
  ending(
    "the start function runs first, with the console's functions",
    `(func $begin (call $say (i32.load (i32.const 16)))) (start $begin) (data (i32.const 16) "\\05")
      (func (export "main") (call $say (i32.const 6)))`,
    "exit 0",
    { lines: ["5", "6"] },
  ),
  ending(
    "a trap names the functions on the stack",
    `(func $inner unreachable) (func $outer (call $inner)) (func $main (export "main") (call $outer))`,
    "trap: unreachable executed in inner+1 < outer+1 < main+1",
  ),
  ...(
    [
      ["a load beyond memory", "(i32.load (i32.const 65533))", "out of bounds memory access", 5],
      ["a division by zero", "(i32.div_s (i32.const 1) (i32.const 0))", "integer divide by zero", 5],
      ["a remainder by zero", "(i32.rem_u (i32.const 1) (i32.const 0))", "integer divide by zero", 5],
      [
        "a quotient that is too large",
        "(i32.div_s (i32.const 0x80000000) (i32.const -1))",
        "integer overflow",
        9,
      ],
      [
        "a call of an element that is not there",
        "(call_indirect (result i32) (i32.const 9))",
        "undefined element",
        3,
      ],
      [
        "a call of a function of another type",
        "(call_indirect (result i32) (i32.const 0))",
        "indirect call type mismatch",
        3,
      ],
      ["a range beyond memory", call("random", 65_530, 7), "out of bounds memory access", 7],
      ["a range with a negative length", call("random", 8, -1), "out of bounds memory access", 5],
      ["a range with a negative address", call("log", 1, -8, 4), "out of bounds memory access", 7],
      [
        "a picture larger than memory",
        call("display_blit", 0, 0, 0x7fffffff, 0x7fffffff, 0),
        "out of bounds memory access",
        19,
      ],
    ] as const
  ).map(([name, expression, message, at]) =>
    ending(
      `${name} traps`,
      `(table funcref (elem $main)) (func $main (export "main") (drop ${expression}))`,
      `trap: ${message} in main+${at}`,
    ),
  ),
  ending(
    "recursion without end traps",
    `(func $main (export "main") (call $main))`,
    /^trap: stack overflow in main\+\d+ < main\+/,
  ),
  ending(
    "stack_left lets an app end its recursion",
    `(func $deeper (param i32) (result i32)
        (if (i32.lt_s (call $stack_left) (i32.const 1024)) (then (return (local.get 0))))
        (i32.add (call $deeper (i32.add (local.get 0) (i32.const 1))) (i32.const 0)))
      (func (export "main") (result i32) (i32.gt_s (call $deeper (i32.const 0)) (i32.const 10)))`,
    "exit 1",
  ),
  ending(
    "memory grows to the quota",
    `(memory 1) (func (export "main") (result i32)
      (if (i32.ne (memory.grow (i32.const 2)) (i32.const 1)) (then unreachable))
      (i32.store (i32.const 196604) (i32.const 5))
      (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then unreachable))
      (i32.add (i32.load (i32.const 196604)) (call $random (i32.const 131072) (i32.const 60000))))`,
    "exit 5",
    { memoryQuota: 3 * 65_536 },
  ),
  ending(
    "functions of the console can be called through a table",
    `(table funcref (elem $display_width)) (func (export "main") (result i32) (call_indirect (result i32) (i32.const 0)))`,
    "exit 240",
  ),
  values(
    "times",
    [
      [call("sleep_ms", -1), -22],
      [call("sleep_ms", 0), 0],
      ["(call $slept)", 1],
    ],
    `(func $slept (result i32) (local $began i64)
      (local.set $began (call $uptime_ms))
      (drop ${call("sleep_ms", 60)})
      (i64.ge_s (i64.sub (call $uptime_ms) (local.get $began)) (i64.const 59)))`,
  ),
  values("random bytes fill their range alone", [
    [call("random", 8, 16), 0],
    ["(i64.eqz (i64.load (i32.const 0)))", 1],
    ["(i64.eqz (i64.load (i32.const 24)))", 1],
    ["(i64.eqz (i64.load (i32.const 8)))", 0],
    ["(i64.eq (i64.load (i32.const 8)) (i64.load (i32.const 16)))", 0],
  ]),
  {
    name: "lines of the log",
    fields: `(data (i32.const 0) "${hex("ä")}\\ff${hex("€")}\\00b") (data (i32.const 16) "\\e2\\82")
      (func (export "main") (result i32)
        (drop ${call("log", 1, 0, 8)}) (drop ${call("log", 3, 16, 2)}) (drop ${call("log", 2, 0, 0)})
        (i32.add ${call("log", 4, 0, 1)} ${call("log", -1, 0, 1)}))`,
    ends: "exit -44",
    lines: ["ä\ufffd€\\x00b", "\ufffd", ""],
  },
  values("without a script", [
    [call("script_size"), -2],
    [call("script_read", 0, 0, 1), -2],
  ]),
  values(
    "a script is read in parts",
    [
      [call("script_size"), 14],
      [call("script_read", 0, 5, 4), 4],
      ["(i32.load (i32.const 0))", Buffer.from("('he").readInt32LE()],
      [call("script_read", 0, 10, 1000), 4],
      [call("script_read", 0, 0x7fffffff, 10), 0],
      [call("script_read", 0, -1, 10), -22],
    ],
    "",
    { script: "print('hello')", memoryQuota: 262_144 },
  ),
  values(
    "stored values",
    [
      [call("storage_size", ...key("one")), -2],
      [call("storage_read", 0, 3, 0, 100, 10), -2],
      [call("storage_write", 0, 3, 0, 8), 0],
      [call("storage_size", ...key("one")), 8],
      [call("storage_read", 0, 3, 2, 100, 10), 6],
      ["(i32.load8_u (i32.const 100))", "e".charCodeAt(0)],
      [call("storage_read", 0, 3, 9, 100, 10), 0],
      [call("storage_read", 0, 3, -1, 100, 10), -22],
      [call("storage_write_at", 0, 3, -1, 0, 2), 0],
      [call("storage_write_at", 0, 3, 4, 0, 1), 0],
      [call("storage_write_at", 0, 3, 11, 0, 1), -22],
      [call("storage_write_at", 0, 3, -2, 0, 1), -22],
      [call("storage_size", 0, 3), 10],
      [call("storage_write", 3, 3, 0, 0), 0],
      [call("storage_size", 3, 3), 0],
      [call("storage_write_at", 3, 3, 0, 0, 5), 0],
      [call("storage_list", 200, 100), 8],
      ["(i32.load8_u (i32.const 203))", 10],
      [call("storage_list", 200, 3), 8],
      [call("storage_delete", 3, 3), 0],
      [call("storage_delete", 3, 3), -2],
    ],
    KEYS("onetwo......"),
  ),
  values(
    "keys that are none",
    [
      [call("storage_size", 0, 0), -22],
      [call("storage_size", 0, 33), -22],
      [call("storage_size", 0, 256), -22],
      [call("storage_write", 300, 2, 0, 1), -22],
      [call("storage_delete", 302, 3), -22],
      [call("storage_size", 305, 2), -22],
      [call("storage_size", 307, 3), -22],
      [call("storage_size", 310, 2), -22],
      [call("storage_size", 312, 2), -22],
    ],
    `(data (i32.const 0) "${"k".repeat(256)}") (data (i32.const 300) ".xa/b\\ff\\fea bäa\\00")`,
  ),
  values(
    "limits of stored values",
    [
      [call("storage_write", 0, 1, 0, 65_536), 0],
      [call("storage_write", 1, 1, 0, 1), -28],
      [call("storage_write_at", 0, 1, -1, 0, 1), -28],
      [call("storage_write", 0, 1, 0, 65_535), 0],
      [call("storage_write", 1, 1, 0, 1), 0],
      [call("storage_size", 0, 1), 65_535],
    ],
    KEYS("ab"),
  ),
  ending(
    "an app has 32 keys",
    `(data (i32.const 0) "k?") (func (export "main") (result i32) (local $i i32)
      (loop
        (i32.store8 (i32.const 0) (i32.add (i32.const 97) (i32.div_u (local.get $i) (i32.const 26))))
        (i32.store8 (i32.const 1) (i32.add (i32.const 65) (i32.rem_u (local.get $i) (i32.const 26))))
        (br_if 0 (i32.and
          (i32.eqz ${call("storage_write", 0, 2, 0, 1)})
          (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 57)))))
      (local.get $i))`,
    "exit 33", // the one that is too many
  ),
  ending(
    "the next run finds what is stored",
    `(data (i32.const 0) "runs") (func (export "main") (result i32)
      (drop ${call("storage_read", 0, 4, 0, 16, 1)})
      (i32.store8 (i32.const 16) (i32.add (i32.load8_u (i32.const 16)) (i32.const 1)))
      (drop ${call("storage_write", 0, 4, 16, 1)})
      (i32.load8_u (i32.const 16)))`,
    "exit 1",
    { endsAgain: "exit 2" },
  ),
  values("pins without wires", [
    [call("gpio_read", 0), 0],
    [call("gpio_write", 0, 1), -1],
    [call("gpio_mode", 0, 3), 0],
    [call("gpio_write", 0, 1), 0],
    [call("gpio_read", 0), 1],
    [call("gpio_write", 0, 2), -22],
    [call("gpio_mode", 0, 1), 0],
    [call("gpio_read", 0), 1],
    [call("gpio_mode", 0, 2), 0],
    [call("gpio_read", 0), 0],
    [call("gpio_mode", 0, 4), -22],
    [call("gpio_read", 49), -22],
    [call("gpio_read", -1), -22],
  ]),
  {
    name: "a press and a release are told once each",
    fields: `(data (i32.const 0) "press") (func (export "main") (result i32) (local $down i32) (local $up i32)
      (drop ${call("log", 1, 0, 5)})
      (loop
        (drop ${call("sleep_ms", 5)})
        (local.set $down (i32.add (local.get $down) (call $buttons_pressed)))
        (br_if 0 (i32.eqz (local.tee $up (call $buttons_released)))))
      (drop ${call("sleep_ms", 30)})
      (i32.add (i32.mul (local.get $down) (i32.const 1000)) (i32.add (local.get $up)
        (i32.add (call $buttons_pressed) (call $buttons_released)))))`,
    ends: "exit 16016",
    isPressed: true,
  },
  {
    name: "a button is read while it is down",
    fields: `(data (i32.const 0) "press") (func (export "main") (result i32) (local $bits i32)
      (drop ${call("log", 1, 0, 5)})
      (loop (drop ${call("sleep_ms", 5)}) (br_if 0 (i32.eqz (local.tee $bits (call $buttons)))))
      (loop (drop ${call("sleep_ms", 5)}) (br_if 0 (call $buttons)))
      (local.get $bits))`,
    ends: "exit 16",
    isPressed: true,
  },
  values(
    "apps of the console",
    [
      [call("app_start", 0, 8), -16],
      [call("app_start", 0, 3), -2],
      [call("app_stop", 0, 3), -2],
      [call("app_start", 20, 1), -22],
      [call("app_list", 100, 2), LIST.length],
      ["(i32.load8_u (i32.const 100))", "[".charCodeAt(0)],
      ["(i32.load8_u (i32.const 102))", 0],
    ],
    `(data (i32.const 0) "${CONTRACT_APP}") (data (i32.const 20) "\\ff")`,
  ),
  ending(
    "an app may stop itself",
    `(data (i32.const 0) "${CONTRACT_APP}") (func (export "main") (drop ${call("app_stop", 0, 8)})
      (loop (drop ${call("sleep_ms", 1000)}) (br 0)))`,
    "stopped",
  ),
  values("sound", [
    [call("sound_tone", 0, 440, 880, 100, 100, 0), 0],
    [call("sound_tone", 3, 20, 8000, 0, 0, 3), 0],
    [call("sound_tone", 4, 440, 440, 100, 100, 0), -22],
    [call("sound_tone", 0, 19, 440, 100, 100, 0), -22],
    [call("sound_tone", 0, 440, 8001, 100, 100, 0), -22],
    [call("sound_tone", 0, 440, 440, 60_001, 100, 0), -22],
    [call("sound_tone", 0, 440, 440, -1, 100, 0), -22],
    [call("sound_tone", 0, 440, 440, 100, 101, 0), -22],
    [call("sound_tone", 0, 440, 440, 100, 100, 4), -22],
    [call("sound_stop"), 0],
    [call("sound_play", 0, 5000), 4096],
    [call("sound_stop"), 0],
    [call("sound_play", 0, 100), 100],
    [call("sound_stop"), 0],
  ]),
  values("what cannot be drawn", [
    [call("display_width"), 240],
    [call("display_height"), 320],
    [call("display_large_text", 0, 0, 0, 0, 0, 0), -22],
    [call("display_large_text", 0, 0, 5, 0, 0, 0), -22],
    [call("display_large_text", 0, 0, 4, 0, 0, 0), 0],
    [call("display_sprite", 0, 0, 0, 33, 16, 8, 8, 8, -1, 0), -22],
    [call("display_sprite", 0, 0, 0, 33, 16, 8, 8, 7, -1, 3), 0],
    [call("display_sprite", 0, 0, 0, 33, 16, 8, 8, 0, -1, 4), -22],
    [call("display_sprite", 0, 0, 0, 8, 8, 0, 8, 0, -1, 0), -22],
    [call("display_line", 0, 0, 0, 32_768, 0), -22],
    [call("display_line", -32_767, 32_767, 32_767, -32_767, 0), 0],
    [call("display_triangle", 0, 0, 0, 0, -32_768, 0, 0), -22],
    [call("display_circle", 0, 0, -1, 0, 0), -22],
    [call("display_circle", -32_767, 32_767, 32_767, 0, 1), 0],
    [call("display_clip", -0x80000000, 0x7fffffff, -1, 0), 0],
    [call("display_scroll", -0x80000000, 0x7fffffff), 0],
    [call("display_flush"), 0],
  ]),
  drawing("rectangles", 3_915_438_755, [
    call("display_fill", -10, -10, 60, 40, 0xf800),
    call("display_fill", 200, 300, 0x7fffffff, 0x7fffffff, 0x07e0),
    call("display_fill", 100, 100, 0, 50, 0xffff),
    call("display_fill", 120, 100, -5, 50, 0xffff),
    call("display_fill", 30, 10, 100, 5, 0x1001f),
  ]),
  drawing(
    "text",
    3_558_364_092,
    [
      call("display_text", 3, 5, 0xffff, 0, Buffer.byteLength(LATIN)),
      call("display_text", -12, 40, 0x07e0, 0, Buffer.byteLength(LATIN)),
      call("display_text", 8, 60, 0x001f, 200, 12),
      call("display_large_text", 5, 120, 3, 0xf81f, 0, 8),
      call("display_large_text", -7, 300, 4, 0xffe0, 0, 20),
    ],
    `${hex(LATIN).padEnd(600, "\\00")}${hex("one\ntwo")}\\ff\\c3\\e2\\82z`,
  ),
  drawing(
    "pictures and sprites",
    1_632_405_370,
    [
      call("display_fill", 0, 0, 240, 320, 0x39e7),
      call("display_blit", 4, 4, 32, 16, 0),
      call("display_blit", -8, 30, 31, 16, 1),
      call("display_blit", 230, 310, 16, 16, 0),
      ...[0, 1, 2, 3].map((flip) =>
        call("display_sprite", 20 + 20 * flip, 60, 0, 32, 16, 8, 8, 5, 0x79b9, flip),
      ),
      call("display_sprite", 235, 100, 0, 32, 16, 10, 5, 3, -1, 1),
      call("display_sprite", -3, 120, 0, 32, 16, 10, 5, 8, -1, 2),
    ],
    SHEET,
  ),
  drawing("shapes", 1_883_408_202, [
    ...(
      [
        ...[[230, 87] as const, [190, 140] as const, [129, 170] as const, [70, 165] as const],
        ...[[-10, 84] as const, [60, 10] as const, [123, -19] as const, [200, 40] as const],
      ] as const
    ).map(([x, y]) => call("display_line", 120, 80, x, y, 0xffff - x)),
    call("display_line", -300, 170, 500, 219, 0x07ff),
    ...[0, 1, 2, 7, 30].map((radius) => call("display_circle", 30 + 4 * radius, 200, radius, 0xf800, 0)),
    call("display_circle", 200, 200, 25, 0x07e0, 1),
    call("display_circle", 0, 320, 60, 0x001f, 1),
    call("display_triangle", 10, 250, 100, 240, 60, 310, 0xffe0),
    call("display_triangle", 150, 250, 260, 250, 200, 250, 0xf81f),
    call("display_triangle", 120, 260, 121, 318, 140, 333, 0x8410),
  ]),
  drawing("clip and scroll", 1_730_486_928, [
    call("display_circle", 120, 160, 100, 0xf800, 1),
    call("display_clip", 40, 60, 100, 120),
    call("display_fill", 0, 0, 240, 320, 0x07e0),
    call("display_triangle", 30, 50, 160, 100, 60, 190, 0x001f),
    call("display_scroll", 13, -7),
    call("display_scroll", -4, 11),
    call("display_clip", -5, -5, 300, 400),
    call("display_scroll", 0, 25),
    call("display_scroll", 500, 0),
    call("display_line", 0, 0, 239, 319, 0xffff),
  ]),
];
