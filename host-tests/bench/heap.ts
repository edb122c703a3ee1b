/**
 * The most of the XS heap that is needed at a time, beside the program that the board keeps in flash: chunks,
 * slots and stack. Measured with slots of 16 bytes, as the board has them, and exactly: every hundredth
 * allocation the collector runs, and what it leaves is what is needed. In between it can be some hundred bytes
 * more. What is left of the 128 KiB is for whatever comes together.
 */
import { existsSync } from "node:fs";
import { installOverHttp, installOverUsb, type Upload } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { packageOf } from "../hosts/app-files.js";
import { bundleOf, firmwareImage, padded } from "../hosts/firmware-files.js";
import { holdLongHeads } from "../hosts/long-heads.js";
import { type FileUpload, sendOverHttp, sendOverUsb } from "../hosts/upload-clients.js";
import { UsbClient } from "../hosts/usb-client.js";
import { load } from "./http-load.js";
import { largeModule } from "./large-module.js";
import { type AddRow, kib } from "./row.js";

const COLLECT_EVERY = "100";
const LOAD_SECONDS = 2;
const CHUNK_BYTES = 2048;

interface Heap {
  /** Of a collection that was made for the question. */
  readonly live_bytes: number;
  /** The most that was needed since this was asked last. */
  readonly peak_needed_bytes: number;
  readonly total_bytes: number;
}

export default async function measure(row: AddRow): Promise<void> {
  if (!existsSync("build/m32")) return row("XS heap", "not measured: gcc-multilib is not there");
  const module = await largeModule();
  const file = packageOf(module, { memory_quota: 4194304 });
  const rubbish = new Uint8Array(1024 * 1024);
  rubbish.set([0x1f, 0x8b, 8]); // a package, by its beginning
  const budgets = { idle: "≤ 64 KiB", upload: "≤ 80 KiB", install: "≤ 96 KiB", other: "≤ 128 KiB" };

  const measuring = new Measuring(row);
  await measuring.during("idle", budgets.idle, async () => {});
  await measuring.during("8 connections asking", budgets.upload, ({ http }) =>
    load(`${http}/api/status`, 8, LOAD_SECONDS),
  );
  await measuring.during("an upload, HTTP", budgets.upload, (console) =>
    installOverHttp(console, signed(console, rubbish, file)),
  );
  await measuring.during("an upload, USB", budgets.upload, (console) =>
    withUsb(console, (usb) => installOverUsb(usb, signed(console, rubbish, file), CHUNK_BYTES)),
  );
  const image = padded(await firmwareImage({ version: "1.0.0" }), 1024 * 1024);
  await measuring.during("an upload of firmware, HTTP", budgets.upload, (console) =>
    sendOverHttp(console, firmware(console, image)),
  );
  await measuring.during("an upload of firmware, USB", budgets.upload, (console) =>
    withUsb(console, (usb) => sendOverUsb(usb, firmware(console, image), CHUNK_BYTES)),
  );
  await measuring.during("an install of a package, HTTP", budgets.install, (console) =>
    install(console, file),
  );
  await measuring.during("an install of a package, USB", budgets.install, (console) =>
    withUsb(console, (usb) => installOverUsb(usb, signed(console, file), CHUNK_BYTES)),
  );
  await measuring.during("a picture of the display, USB", budgets.other, (console) =>
    withUsb(console, (usb) => usb.request("GET", "/api/screen")),
  );
  await measuring.during("an install and 8 connections asking", budgets.other, (console) => {
    const installing = install(console, file);
    return Promise.all([installing, load(`${console.http}/api/status`, 7, LOAD_SECONDS)]);
  });
  await measuring.during("an install and 6 long heads", budgets.other, async (console) => {
    const heads = await holdLongHeads(console.http, 6);
    await install(console, file);
    heads.close();
  });
}

class Measuring {
  readonly #row: AddRow;

  constructor(row: AddRow) {
    this.#row = row;
  }

  /** Does `work` on a console of its own. */
  async during(what: string, budget: string, work: (console: AppConsole) => Promise<unknown>): Promise<void> {
    const environment = { SVC_SIM_COLLECT_EVERY: COLLECT_EVERY };
    const console = await startAppConsole({ variant: "m32", environment });
    await work(console);
    const { live_bytes: live, peak_needed_bytes: peak, total_bytes: total } = await heap(console);
    const needed = Math.max(live, peak); // a console that does nothing does not collect
    await console.stop();
    this.#row(`XS heap, ${what}`, `${kib(needed)}, ${kib(total - needed)} are left`, budget);
  }
}

/** The console says so on standard error when it gets SIGUSR1. */
async function heap(console: AppConsole): Promise<Heap> {
  const from = console.stderr.length;
  process.kill(console.pid, "SIGUSR1");
  const line = await console.waitForLine(/^console: heap \{/, from);
  return JSON.parse(line.slice(line.indexOf("{")));
}

/** The signature is that of `content`. */
function signed({ publisher }: AppConsole, file: Uint8Array, content = file): Upload {
  return { file, signature: publisher.sign(content) };
}

function firmware({ publisher }: AppConsole, image: Uint8Array): FileUpload {
  return { path: "/api/ota/upload", file: bundleOf(image, publisher) };
}

async function install(console: AppConsole, file: Uint8Array): Promise<void> {
  const { status, body } = await installOverHttp(console, signed(console, file));
  if (status !== 200) throw new Error(`The install was answered ${status} ${JSON.stringify(body)}`);
}

async function withUsb(console: AppConsole, use: (usb: UsbClient) => Promise<unknown>): Promise<void> {
  const usb = await UsbClient.open(console.usb);
  try {
    await use(usb);
  } finally {
    await usb.close();
  }
}
