/**
 * Runs one app in `svc/guest` on the bare simulator: a small program replaces the console's services, answers requests
 * with a test's statements, and traces each event as a line of JSON.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { GuestExit, GuestLog } from "../../../device/ports/guest.js";
import { CAPABILITIES, type Capability, FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";
import { Fault } from "../../../protocol/fault.js";
import {
  NATIVE_HEAD_BYTES,
  type NativeLayout,
  payloadByteLength,
  readNativeHead,
} from "../../../protocol/native-image.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { type Console, startConsole } from "../../hosts/simulator.js";
import { type Wat, wasmOf } from "./wat.js";

export interface GuestSettings {
  /** Text, which gets the interrupt check and the last global that the preparer would give it; or bytes. */
  readonly module: Wat | Uint8Array;
  readonly capabilities?: number;
  readonly memoryQuotaBytes?: number;
  readonly stackBytes?: number;
  readonly entry?: string;
  /** Runs each of these exports in a guest of its own, one after the other, instead of `entry`. */
  readonly entries?: readonly string[];
  readonly script?: { readonly offset: number; readonly byteLength: number } | undefined;
  /** Body of `onRequest(guest, request)`; left out: every request is answered 0. */
  readonly onRequest?: string;
  /** Body of `onLog(guest)`; left out: every line is traced. */
  readonly onLog?: string;
  /** Statements before `guest.start`, with the same names as `after` but `ended`. */
  readonly before?: string;
  /** Statements after `guest.start`; `guest`, `say`, `timer` and `system` are there, and `ended` is called. */
  readonly after?: string;
  readonly flags?: readonly string[];
  /** Default: that of the test file. */
  readonly engine?: "wasm3" | "aot";
}

export interface GuestRun {
  readonly console: Console;
  /** How the app ended; the first of `exits`. */
  readonly exit: GuestExit;
  /** By the names of `entries`, or of the one entry. */
  readonly exits: ReadonlyMap<string, GuestExit>;
  /** Lines of the app's log and whatever the statements said, in order. */
  readonly said: readonly unknown[];
  logs(): readonly GuestLog[];
}

/**
 * Which engine runs the guests of this test file: the interpreter, or `aot`, the processor
 * (`host-tests/device/native-images`).
 */
export const isNative = process.env["SVC_TEST_ENGINE"] === "aot";

interface LoadedImage {
  readonly bytes: Uint8Array;
  readonly layout: NativeLayout;
  readonly script?: GuestSettings["script"];
}

/** The parts of the module's native image, as a console loads them; none of a module that a console refuses. */
async function nativeImage({
  module,
  memoryQuotaBytes = 65_536,
  entry = "main",
  script,
}: GuestSettings): Promise<LoadedImage | undefined> {
  const capabilities = [...CAPABILITIES.map(({ name }) => name), FIRMWARE_CAPABILITY] as Capability[];
  const manifest = { entry, memory_quota: memoryQuotaBytes, capabilities };
  const file = await buildNativeImage(wasmOf(module), manifest, "native").catch((error) => {
    if (error instanceof Fault) return undefined;
    throw error;
  });
  if (!file) return undefined;
  const { layout } = readNativeHead(file, file.length);
  const bytes = file.subarray(NATIVE_HEAD_BYTES, NATIVE_HEAD_BYTES + payloadByteLength(layout));
  if (!script) return { bytes, layout };
  const text = wasmOf(module).subarray(script.offset, script.offset + script.byteLength);
  return { bytes: Buffer.concat([bytes, text]), layout, script: { ...script, offset: bytes.length } };
}

/** Starts a console on which one guest runs; the caller stops it. */
export async function startGuest(settings: GuestSettings): Promise<Console> {
  const state = mkdtempSync(path.join(tmpdir(), "guest-"));
  mkdirSync(path.join(state, "lfs"));
  const { engine = isNative ? "aot" : "wasm3" } = settings;
  const image = engine === "aot" ? await nativeImage(settings) : undefined;
  writeFileSync(path.join(state, "lfs/app.wasm"), image?.bytes ?? wasmOf(settings.module));
  const console = await startConsole({
    state,
    image: program(image ? { ...settings, script: image.script } : settings, image?.layout),
    ...(settings.flags ? { flags: settings.flags } : {}),
  });
  console.exited.then(() => rmSync(state, { recursive: true, force: true }));
  return console;
}

/** Runs an app to its end, and stops the console, which must exit with 0. */
export async function runGuest(settings: GuestSettings): Promise<GuestRun> {
  const console = await startGuest(settings);
  await console.waitForLine(/^"ended"$/);
  const status = await console.stop();
  if (status !== 0) throw new Error(`The console ended with ${status}: ${console.stderr.join("\n")}`);
  const said = console.stderr.filter((text) => /^[{["\d]/.test(text)).map((text) => JSON.parse(text));
  const exits = said.filter((event) => event?.exit);
  return {
    console,
    exit: exits[0].exit,
    exits: new Map(exits.map(({ entry, exit }) => [entry, exit])),
    said: said.filter((event) => !event?.exit && event !== "ended"),
    logs: () => said.flatMap((event) => (event?.log ? [event.log] : [])),
  };
}

function program(settings: GuestSettings, image?: NativeLayout): string {
  const { capabilities = 0, memoryQuotaBytes = 65536, stackBytes = 8192, script } = settings;
  const entries = settings.entries ?? [settings.entry ?? "main"];
  const options = {
    name: "test",
    capabilities,
    memoryQuotaBytes,
    stackBytes,
    nestedBlocks: 32,
    ...(script ? { script } : {}),
    ...(image ? { image } : {}),
  };
  return `
import files from "embedded:storage/files";
import config from "svc/host";
import Guest from "svc/guest";
import system from "svc/system";
import timer from "timer";

const say = (value) => trace(JSON.stringify(value) + "\\n");

function sayLog(guest) {
  for (let log = guest.takeLog(); log; log = guest.takeLog()) say({ log });
}

/** The module in pieces, as the console hands it over. */
function load(guest, file, size) {
  const piece = new Uint8Array(2048);
  for (let at = 0; at < size; ) {
    const length = file.read(piece, at);
    guest.load(piece.subarray(0, length));
    at += length;
  }
}

export default function main() {
  const entries = ${JSON.stringify(entries)};
  const file = files.openFile({ path: "app.wasm" });
  const moduleByteLength = file.status().size;
  const make = (entry, onEnd) => {
    const guest = new Guest({
      ...${JSON.stringify(options)},
      moduleByteLength,
      onRequest() {
        const request = this.request;
        ((guest, request) => { ${settings.onRequest ?? "guest.answer(0);"} })(this, request);
      },
      onLog() {
        ((guest) => { ${settings.onLog ?? "sayLog(guest);"} })(this);
      },
      onExit(exit) {
        sayLog(this);
        say({ entry, exit });
        ended();
        this.close();
        onEnd();
      },
    });
    load(guest, file, moduleByteLength);
    guest.bringToFront();
    ${settings.before ?? ""}
    guest.start(entry);
    return guest;
  };
  let ended = () => {};
  const next = (index) => {
    const guest = make(entries[index], () => index + 1 < entries.length ? next(index + 1) : say("ended"));
    ${settings.after ?? ""}
  };
  next(0);
  system.ready({ name: "Console-TEST", httpPort: config.httpPort, wsPort: config.wsPort });
}
`;
}
