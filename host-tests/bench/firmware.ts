/**
 * Benchmark of firmware uploads with signature and CRC checks, compared with a console that copies the same bytes
 * into the slot unverified.
 */
import { startAppConsole } from "../hosts/app-console.js";
import { bundleOf, firmwareImage, padded } from "../hosts/firmware-files.js";
import { Publisher } from "../hosts/publisher.js";
import { type Console, startConsole } from "../hosts/simulator.js";
import { sendOverHttp, sendOverUsb } from "../hosts/upload-clients.js";
import { UsbClient } from "../hosts/usb-client.js";
import { inRound } from "./round.js";
import { type AddRow, best, mibPerSecond, timed } from "./row.js";

const ROUNDS = inRound({ full: 7, short: 1 });
const PATH = "/api/ota/upload";
const IMAGE_BYTES = 1024 * 1024;
const LARGE_IMAGE_BYTES = 16 * IMAGE_BYTES;
const CHUNK_BYTES = 2048;

export default async function measure(row: AddRow): Promise<void> {
  const publisher = new Publisher();
  const image = await firmwareImage({ version: "1.0.0" });
  const bundle = bundleOf(padded(image, IMAGE_BYTES), publisher);
  const large = bundleOf(padded(image, LARGE_IMAGE_BYTES), publisher);
  const console = await startAppConsole({ publisher });
  const copying = await startConsole({ image: "host-tests/bench/copy-program.ts" });
  const both: Both = { console, copying, row };
  await compare(both, "firmware of 1 MiB, HTTP", "≥ 20 MiB/s", bundle, overHttp);
  await compare(both, "firmware of 16 MiB, HTTP", "≥ 20 MiB/s", large, overHttp);
  await compare(both, `firmware of 1 MiB, USB, chunks of ${CHUNK_BYTES} bytes`, "≥ 4 MiB/s", bundle, overUsb);
  await copying.stop();
  await console.stop();
}

interface Both {
  readonly console: Console;
  readonly copying: Console;
  readonly row: AddRow;
}

/** Uploads once. @returns the milliseconds that it takes */
type Send = (console: Console, file: Uint8Array) => Promise<number>;

/** Alternates the two consoles in each round, so that other load on the machine affects both. */
async function compare(
  { console, copying, row }: Both,
  what: string,
  budget: string,
  file: Uint8Array,
  send: Send,
): Promise<void> {
  let copied = Number.POSITIVE_INFINITY;
  const verified = await best(ROUNDS, async () => {
    copied = Math.min(copied, await send(copying, file));
    return send(console, file);
  });
  const share = (copied / verified).toFixed(2);
  row(`upload of ${what}`, `${mibPerSecond(file.length, verified)}, ${share} × copying it`, budget);
}

function overHttp(console: Console, file: Uint8Array): Promise<number> {
  return timed(() => staged(sendOverHttp(console, { path: PATH, file })));
}

async function overUsb(console: Console, file: Uint8Array): Promise<number> {
  const usb = await UsbClient.open(console.usb);
  try {
    return await timed(() => staged(sendOverUsb(usb, { path: PATH, file }, CHUNK_BYTES)));
  } finally {
    await usb.close();
  }
}

async function staged(answer: ReturnType<typeof sendOverHttp>): Promise<void> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`The upload was answered ${status} ${JSON.stringify(body)}`);
}
