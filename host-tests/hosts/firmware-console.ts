/** A simulated console that trusts a firmware publisher, with shortcuts to the endpoints for updates. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { filesBelow } from "./app-console.js";
import { askHttp, closedConnectionsNoticed, getJson } from "./http-client.js";
import { Publisher } from "./publisher.js";
import { type Console, type ConsoleOptions, startConsole } from "./simulator.js";
import {
  type FileUpload,
  type Reply,
  sendInHttpChunks,
  sendOverHttp,
  sendOverUsb,
} from "./upload-clients.js";
import { UsbClient } from "./usb-client.js";

export const UPLOAD = "/api/ota/upload";

export interface FirmwareConsole extends Console {
  readonly publisher: Publisher;
  /** Returns the answer of `GET /api/ota/status`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  ota(): Promise<any>;
  /** Returns the answer of `GET /api/system`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  system(): Promise<any>;
  /** Returns the lines of `GET /api/logs`, joined into one text. */
  log(): Promise<string>;
  /**
   * Waits until a run with the reset reason `reason` is ready.
   * @param from index of the first line of standard error to search
   */
  started(reason: string, from: number): Promise<void>;
  /** Returns state that a failed upload must not change. */
  flash(): Flash;
}

/** SHA-256 of the console's stored files by path, settings excluded. */
interface Flash {
  readonly files: Readonly<Record<string, string>>;
  /** The non-empty firmware slots and the boot record. */
  readonly slots: Readonly<Record<string, string>>;
}

export interface FirmwareConsoleOptions extends ConsoleOptions {
  /** The publisher that the console trusts from its first start on. */
  readonly publisher?: Publisher;
  /** Do not register the publisher as trusted: only the firmware itself can trust it. */
  readonly isStranger?: boolean;
}

export async function startFirmwareConsole(options: FirmwareConsoleOptions = {}): Promise<FirmwareConsole> {
  const { publisher = new Publisher(), isStranger = false, ...rest } = options;
  const state = options.state ?? mkdtempSync(path.join(tmpdir(), "console-"));
  if (!isStranger && !existsSync(path.join(state, "lfs/hub"))) publisher.becomeTrusted(state);
  const started = await startConsole({ ...rest, state });
  const { http, stderr, waitForLine } = started;
  return {
    ...started,
    stop: async () => {
      const status = await started.stop();
      if (options.state === undefined) rmSync(state, { recursive: true, force: true });
      return status;
    },
    publisher,
    ota: () => getJson(`${http}/api/ota/status`),
    system: () => getJson(`${http}/api/system`),
    log: async () => (await getJson(`${http}/api/logs`)).lines.join("\n"),
    started: async (reason, from) => {
      const line = await waitForLine(new RegExp(`boot: firmware .*, reset reason is ${reason}$`), from);
      await waitForLine(/ is ready: /, stderr.indexOf(line, from));
      await closedConnectionsNoticed(); // close events of the previous run
    },
    flash: () => flashOf(state),
  };
}

/** @param state directory of a console */
function flashOf(state: string): Flash {
  const slots = Object.entries(filesBelow(state, "slots"));
  const used = slots.filter(([file]) => readFileSync(path.join(state, file)).length > 0);
  return { files: filesBelow(state, "lfs"), slots: Object.fromEntries(used) };
}

/** A client that updates a console over one transport. */
export interface FirmwareClient {
  ask(method: "GET" | "POST", path: string): Promise<Reply>;
  upload(file: Uint8Array, parameters?: FileUpload["parameters"]): Promise<Reply>;
  close(): Promise<void>;
}

const CHUNK_BYTES = 3072;

/** A transport for updates, opened for each console. */
export interface FirmwareRoute {
  readonly over: string;
  open(console: Console): Promise<FirmwareClient>;
}

export const OVER_HTTP: FirmwareRoute = {
  over: "HTTP in one request",
  open: (console) => overHttp(console, sendOverHttp),
};
export const IN_HTTP_CHUNKS: FirmwareRoute = {
  over: "HTTP in chunks",
  open: (console) => overHttp(console, (to, upload) => sendInHttpChunks(to, upload, CHUNK_BYTES)),
};
export const OVER_USB: FirmwareRoute = { over: "USB in chunks", open: overUsb };

type Send = (console: Console, upload: FileUpload) => Promise<Reply>;

async function overHttp(console: Console, send: Send): Promise<FirmwareClient> {
  return {
    ask: (method, at) => askHttp(console.http + at, { method }),
    upload: (file, parameters = {}) => send(console, { path: UPLOAD, file, parameters }),
    close: async () => {},
  };
}

async function overUsb({ usb: port }: Console): Promise<FirmwareClient> {
  const usb = await UsbClient.open(port);
  return {
    ask: (method, at) => usb.request(method, at),
    upload: (file, parameters = {}) => sendOverUsb(usb, { path: UPLOAD, file, parameters }, CHUNK_BYTES),
    close: () => usb.close(),
  };
}
