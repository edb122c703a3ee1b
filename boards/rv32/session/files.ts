/** Data for the session: firmware, an example app of the SDK, and modules. The same bytes each time. */
import path from "node:path";
import wabt from "wabt";
import { writeBundle } from "../../../protocol/firmware/bundle-writer.js";
import { writePackage } from "../../../protocol/package/package-writer.js";
import { compileApp } from "../../../sdk/builder/build-app.js";
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

export interface SessionFiles {
  /** A signed bundle. */
  readonly firmware: Uint8Array;
  /** A package. */
  readonly app: Uint8Array;
  /** A module. */
  readonly ticker: Uint8Array;
  readonly largeModule: Uint8Array;
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
  };
}

/** A signed bundle. */
export async function makeFirmware(board: string): Promise<Uint8Array> {
  const program = filler(FIRMWARE_BYTES - HEADERS_BYTES);
  const image = writeImage({ board, program, version: FIRMWARE_VERSION });
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
  const parsed = parseWat("module.wat", text);
  try {
    return parsed.toBinary({}).buffer;
  } finally {
    parsed.destroy();
  }
}
