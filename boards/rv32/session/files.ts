/** Data for the session: firmware, an example app of the SDK, and modules. The same bytes each time. */
import path from "node:path";
import wabt from "wabt";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { writeBundle } from "../../../protocol/firmware/bundle-writer.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { compileApp } from "../../../sdk/builder/build-app.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { writeImage } from "../../../tools/image.js";
import { NodeCrc32 } from "../../../tools/node-bytes.js";
import { signBytes } from "./publisher.js";

const examples = path.join(import.meta.dirname, "../../../sdk/examples");

/** The console's board name (boards/rv32/native/boot.c). */
const BOARD = "rv32";
const FIRMWARE_BYTES = 256 * 1024;
/** Newer than any version built from these sources. */
const FIRMWARE_VERSION = "1000.0.0";
/** Of the bundle and of its image. */
const HEADERS_BYTES = 78 + 128;

/** The example that is installed and run. */
export const APP_NAME = "clock";
/** Large enough that validation dominates its installation, and compiled as usual. */
const LARGE_EXAMPLE = "bricks";
/** From its own manifest, which no request can override. */
export const LARGE_NAME = LARGE_EXAMPLE;
export const TICKER_NAME = "ticker";
export const TICKS = 10;
export const TICK_MILLISECONDS = 100;

/** Logs a line from time to time, and ends. */
const TICKER = `(module
  (import "svc" "log" (func $log (param i32 i32 i32)))
  (import "svc" "sleep_ms" (func $sleep (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "tick")
  (func $main (export "main") (local $left i32)
    (local.set $left (i32.const ${TICKS}))
    (loop $again
      (call $sleep (i32.const ${TICK_MILLISECONDS}))
      (call $log (i32.const 1) (i32.const 16) (i32.const 4))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $again (local.get $left)))))`;

export const SCROLLER_NAME = "scroller";
export const FRAMES = 32;

/** Scrolls the whole display by a pixel, draws what comes into view, and shows it, FRAMES times. */
const SCROLLER = `(module
  (import "svc" "display_scroll" (func $scroll (param i32 i32)))
  (import "svc" "display_fill" (func $fill (param i32 i32 i32 i32 i32)))
  (import "svc" "display_flush" (func $flush))
  (memory 1 1)
  (func (export "main") (local $left i32)
    (local.set $left (i32.const ${FRAMES}))
    (loop $again
      (call $scroll (i32.const -1) (i32.const 0))
      (call $fill (i32.const 319) (i32.const 0) (i32.const 1) (i32.const 240) (local.get $left))
      (call $flush)
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $again (local.get $left)))))`;

export const SIEVE_NAME = "sieve";
export const SIEVE_IMAGE_NAME = "sieve-image";
export const SIEVE_ROUNDS = 4;
/** Counts primes in memory, again and again. */
const SIEVE = `(module
  (memory 1 1)
  (func (export "main") (result i32)
    (local $rounds i32) (local $i i32) (local $j i32) (local $count i32)
    (local.set $rounds (i32.const ${SIEVE_ROUNDS}))
    (loop $again
      (memory.fill (i32.const 0) (i32.const 1) (i32.const 32768))
      (local.set $count (i32.const 0))
      (local.set $i (i32.const 2))
      (loop $next
        (if (i32.load8_u (local.get $i)) (then
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $j (i32.shl (local.get $i) (i32.const 1)))
          (if (i32.lt_u (local.get $j) (i32.const 32768)) (then
            (loop $strike
              (i32.store8 (local.get $j) (i32.const 0))
              (br_if $strike
                (i32.lt_u (local.tee $j (i32.add (local.get $j) (local.get $i))) (i32.const 32768))))))))
        (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 32768))))
      (br_if $again (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
    (local.get $count)))`;

export interface SessionFiles {
  /** A signed bundle. */
  readonly firmware: Uint8Array;
  /** A package. */
  readonly app: Uint8Array;
  /** A module. */
  readonly ticker: Uint8Array;
  readonly largeModule: Uint8Array;
  /** Packages. */
  readonly scroller: Uint8Array;
  readonly sieve: Uint8Array;
  /** The same program, with a native image for each console that plays the session. */
  readonly sieveImage: Uint8Array;
}

/** @param board of the firmware */
export async function makeSessionFiles(board: string = BOARD): Promise<SessionFiles> {
  // In sequence: both share one compiler.
  const app = await compileApp(path.join(examples, APP_NAME));
  const { module: largeModule } = await compileApp(path.join(examples, LARGE_EXAMPLE));
  return {
    firmware: await makeFirmware(board),
    app: writePackage(app),
    ticker: await assemble(TICKER),
    largeModule,
    scroller: await packed(SCROLLER_NAME, SCROLLER, []),
    sieve: await packed(SIEVE_NAME, SIEVE, []),
    sieveImage: await packed(SIEVE_IMAGE_NAME, SIEVE, ["native", "rv32"]),
  };
}

/** A package of a module in the text format, with native images for these architectures. */
async function packed(
  name: string,
  text: string,
  architectures: readonly VariantArchitecture[],
): Promise<Uint8Array> {
  const module = await assemble(text);
  const fields = { name, version: "1.0.0", capabilities: ["display.write"], memory_quota: 65536 };
  const manifest = new TextEncoder().encode(JSON.stringify(fields));
  const variants: Partial<Record<VariantArchitecture, Uint8Array>> = {};
  for (const architecture of architectures)
    variants[architecture] = await buildNativeImage(module, readManifest(manifest), architecture);
  return writePackage({ module, manifest, variants });
}

/** A signed bundle. */
export async function makeFirmware(board: string): Promise<Uint8Array> {
  const program = filler(FIRMWARE_BYTES - HEADERS_BYTES);
  const architecture = board === BOARD ? "rv32" : "native";
  const image = writeImage({ board, architecture, program, version: FIRMWARE_VERSION });
  return writeBundle({ image, Crc32: NodeCrc32, sign: signBytes });
}

/** Bytes that look like code to a counter: Marsaglia's xorshift. */
function filler(byteLength: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length: byteLength }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

async function assemble(text: string): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const parsed = parseWat("module.wat", text, { bulk_memory: true });
  try {
    return parsed.toBinary({}).buffer;
  } finally {
    parsed.destroy();
  }
}
