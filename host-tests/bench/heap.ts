/**
 * Peak of the XS heap (chunks, slots and stack) beyond the program, which a board keeps in flash. Measured with slots
 * of 16 bytes, as on the board. The collector runs at every hundredth allocation, and the peak is taken over what
 * survives a collection; between collections the heap can hold some hundred bytes more. The rest of the 128 KiB is
 * for work that coincides.
 */
import { hasMultilib } from "../../tools/system-packages.js";
import { installOverHttp, installOverUsb, type Upload } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { packageOf } from "../hosts/app-files.js";
import { bundleOf, firmwareImage, padded } from "../hosts/firmware-files.js";
import { askHeap } from "../hosts/heap-report.js";
import { holdLongHeads } from "../hosts/long-heads.js";
import { runs32BitPrograms } from "../hosts/peers.js";
import { SmallHub } from "../hosts/small-hub.js";
import { type FileUpload, sendOverHttp, sendOverUsb } from "../hosts/upload-clients.js";
import { overUsb } from "../hosts/usb-client.js";
import { load } from "./http-load.js";
import { largeModule } from "./large-module.js";
import { inRound } from "./round.js";
import { type AddRow, kib } from "./row.js";

const COLLECT_EVERY = "100";
const LOAD_SECONDS = inRound({ full: 2, short: 0.5 });
const CHUNK_BYTES = 2048;

export default async function measure(row: AddRow): Promise<void> {
  if (!hasMultilib()) return row("XS heap", "not measured: the package gcc-multilib is missing");
  if (!runs32BitPrograms()) return row("XS heap", "not measured: this kernel runs no 32-bit programs");
  const module = await largeModule();
  const file = packageOf(module, { memory_quota: 4194304 });
  const rubbish = new Uint8Array(1024 * 1024);
  rubbish.set([0x1f, 0x8b, 8]); // the first bytes of a package
  const budgets = { idle: "≤ 64 KiB", upload: "≤ 80 KiB", install: "≤ 96 KiB", other: "≤ 128 KiB" };

  const measuring = new Measuring(row);
  await measuring.during("idle", budgets.idle, async () => {});
  await measuring.during("8 connections with requests", budgets.upload, ({ http }) =>
    load(`${http}/api/status`, 8, LOAD_SECONDS),
  );
  await measuring.during("an HTTP upload", budgets.upload, (console) =>
    installOverHttp(console, signed(console, rubbish, file)),
  );
  await measuring.during("a USB upload", budgets.upload, (console) =>
    overUsb(console, (usb) => installOverUsb(usb, signed(console, rubbish, file), CHUNK_BYTES)),
  );
  const image = padded(await firmwareImage({ version: "1.0.0" }), 1024 * 1024);
  await measuring.during("an HTTP firmware upload", budgets.upload, (console) =>
    sendOverHttp(console, firmware(console, image)),
  );
  await measuring.during("a USB firmware upload", budgets.upload, (console) =>
    overUsb(console, (usb) => sendOverUsb(usb, firmware(console, image), CHUNK_BYTES)),
  );
  await measuring.during("an HTTP package install", budgets.install, (console) => install(console, file));
  await measuring.during("a USB package install", budgets.install, (console) =>
    overUsb(console, (usb) => installOverUsb(usb, signed(console, file), CHUNK_BYTES)),
  );
  await measuring.during("a USB screenshot", budgets.other, (console) =>
    overUsb(console, (usb) => usb.request("GET", "/api/screen")),
  );
  await measuring.during("an install and 8 connections with requests", budgets.other, (console) => {
    const installing = install(console, file);
    return Promise.all([installing, load(`${console.http}/api/status`, 7, LOAD_SECONDS)]);
  });
  await measuring.during("an install and 6 long heads", budgets.other, async (console) => {
    const heads = await holdLongHeads(console.http, 6);
    await install(console, file);
    heads.close();
  });
  await measureWithHub(measuring, file);
}

/** Measures consoles that are connected to a hub. */
async function measureWithHub(measuring: Measuring, file: Uint8Array): Promise<void> {
  await measuring.withHub("idle with a hub", "≤ 64 KiB", async () => {});
  await measuring.withHub("an install ordered by a hub", "≤ 96 KiB", (console, hub) =>
    installByHub(console, hub, file),
  );
  await measuring.withHub(
    "an install ordered by a hub and 8 connections with requests",
    "≤ 128 KiB",
    (console, hub) =>
      Promise.all([installByHub(console, hub, file), load(`${console.http}/api/status`, 8, LOAD_SECONDS)]),
  );
}

class Measuring {
  readonly #row: AddRow;

  constructor(row: AddRow) {
    this.#row = row;
  }

  /** Measures `work` on a new console. */
  async during(
    what: string,
    budget: string,
    work: (console: AppConsole) => Promise<unknown>,
    flags: readonly string[] = [],
  ): Promise<void> {
    const environment = { SVC_SIM_COLLECT_EVERY: COLLECT_EVERY };
    const console = await startAppConsole({ variant: "m32", environment, flags });
    await work(console);
    const { live_bytes: live, peak_needed_bytes: peak, total_bytes: total } = await askHeap(console);
    const needed = Math.max(live, peak); // an idle console does not collect
    await console.stop();
    this.#row(`XS heap, ${what}`, `${kib(needed)}, ${kib(total - needed)} are left`, budget);
  }

  /** Measures `work` on a new console that has registered with a hub, without the heap that registering took. */
  async withHub(
    what: string,
    budget: string,
    work: (console: AppConsole, hub: SmallHub) => Promise<unknown>,
  ): Promise<void> {
    const hub = await SmallHub.start();
    const connectedWork = async (console: AppConsole) => {
      await hub.receive("device.status");
      await askHeap(console); // resets the peaks, which include startup and registration
      await work(console, hub);
    };
    await this.during(what, budget, connectedWork, ["--hub", hub.url]);
    await hub.close();
  }
}

/** Signs `content`, which differs from `file` where the upload must be rejected. */
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

async function installByHub({ publisher }: AppConsole, hub: SmallHub, bytes: Uint8Array): Promise<void> {
  const app = { app_id: "tetris", version: "1.0.0" };
  const download_url = hub.serve("/api/v1/package", { bytes, signature: publisher.sign(bytes) });
  hub.send({ type: "app.install", command_id: "1", ...app, download_url });
  const { success, error } = await hub.receive("app.install.result");
  if (!success) throw new Error(`The install by the hub came to ${error}`);
}
