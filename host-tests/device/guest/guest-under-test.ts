/**
 * Runs one app in `svc/guest` on the bare simulator: a small program replaces the console's services, answers requests
 * with a test's statements, and traces each event as a line of JSON.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { GuestExit, GuestLog } from "../../../device/ports/guest.js";
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
  readonly script?: { readonly offset: number; readonly byteLength: number };
  /** Body of `onRequest(guest, request)`; left out: every request is answered 0. */
  readonly onRequest?: string;
  /** Body of `onLog(guest)`; left out: every line is traced. */
  readonly onLog?: string;
  /** Statements before `guest.start`, with the same names as `after` but `ended`. */
  readonly before?: string;
  /** Statements after `guest.start`; `guest`, `say`, `timer` and `system` are there, and `ended` is called. */
  readonly after?: string;
  readonly flags?: readonly string[];
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

/** Starts a console on which one guest runs; the caller stops it. */
export async function startGuest(settings: GuestSettings): Promise<Console> {
  const state = mkdtempSync(path.join(tmpdir(), "guest-"));
  mkdirSync(path.join(state, "lfs"));
  writeFileSync(path.join(state, "lfs/app.wasm"), wasmOf(settings.module));
  const console = await startConsole({
    state,
    image: program(settings),
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

function program(settings: GuestSettings): string {
  const { capabilities = 0, memoryQuotaBytes = 65536, stackBytes = 8192, script } = settings;
  const entries = settings.entries ?? [settings.entry ?? "main"];
  const options = {
    name: "test",
    capabilities,
    memoryQuotaBytes,
    stackBytes,
    nestedBlocks: 32,
    ...(script ? { script } : {}),
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
