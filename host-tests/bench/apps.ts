/**
 * Benchmark of app installs: uploads alone, validating and preparing on XS, and complete installs of a module of
 * nearly 1 MiB, from the first byte to the answer.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { appendCustomSection } from "../../protocol/custom-section.js";
import { installOverHttp, installOverUsb, type Upload } from "../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../hosts/app-console.js";
import { manifestOf, packageOf } from "../hosts/app-files.js";
import { buildProgram, temporaryDirectory } from "../hosts/simulator-program.js";
import { UsbClient } from "../hosts/usb-client.js";
import { largeModule } from "./large-module.js";
import { inRound } from "./round.js";
import { type AddRow, best, mibPerSecond, timed } from "./row.js";

const ROUNDS = inRound({ full: 5, short: 1 });
const MANIFEST = { name: "large", memory_quota: 4 * 1024 * 1024 };
const UPLOAD_BYTES = 1024 * 1024;
const CHUNK_BYTES = 2048;
/** Pause between two status requests during an install. */
const STATUS_INTERVAL_MS = 5;

export default async function measure(row: AddRow): Promise<void> {
  const module = await largeModule();
  await measurePreparing(module, row);
  const console = await startAppConsole();
  await measureUploads(console, row);
  await measureInstall(console, "a package", packageOf(module, MANIFEST), row);
  await measureInstall(console, "a bare module", withManifest(module), row);
  await console.stop();
}

/** Measures the milliseconds of validating and preparing in the simulator; the best round of each. */
async function measurePreparing(module: Uint8Array, row: AddRow): Promise<void> {
  const directory = temporaryDirectory();
  const storage = path.join(directory.path, "state/lfs");
  mkdirSync(storage, { recursive: true });
  writeFileSync(path.join(storage, "module.wasm"), module);
  writeFileSync(path.join(storage, "rounds"), Uint8Array.of(ROUNDS));
  const program = await buildProgram(
    path.join(process.cwd(), "host-tests/bench/prepare-program.ts"),
    directory.path,
  );
  const { lines } = await program.run({ state: path.join(directory.path, "state") });
  directory.remove();
  const rounds = lines.map((line) => line.split(" ").map(Number));
  const [validating, preparing] = [0, 1].map((at) => Math.min(...rounds.map((times) => times[at] as number)));
  const ms = (validating as number) + (preparing as number);
  row(
    "validate and prepare on XS",
    `${mibPerSecond(module.length, ms)} (${validating} ms and ${preparing} ms)`,
    "≥ 50 MiB/s",
  );
}

/** Uploads a file with a wrong signature: the console stores and hashes it, and then rejects it. */
async function measureUploads(console: AppConsole, row: AddRow): Promise<void> {
  const file = new Uint8Array(UPLOAD_BYTES);
  file.set([0x1f, 0x8b, 8]); // the first bytes of a package
  const upload = { file, signature: console.publisher.sign(Uint8Array.of(0)) };
  const http = await best(ROUNDS, () => timed(() => refused(installOverHttp(console, upload))));
  row("upload of 1 MiB, HTTP, with hash and signature", mibPerSecond(file.length, http));
  const usb = await UsbClient.open(console.usb);
  const ms = await best(ROUNDS, () => timed(() => refused(installOverUsb(usb, upload, CHUNK_BYTES))));
  const onTheWire = usb.sentBytes / ROUNDS / file.length;
  await usb.close();
  const chunks = `chunks of ${CHUNK_BYTES} bytes`;
  row(`upload of 1 MiB, USB, ${chunks}`, mibPerSecond(file.length, ms), "≥ 4 MiB/s");
  row(`bytes on the wire, USB, ${chunks}`, `${onTheWire.toFixed(3)} × the file`, "≤ 1.42 ×");
}

async function refused(answer: ReturnType<typeof installOverHttp>): Promise<void> {
  const { status, body } = await answer;
  if (status !== 403) throw new Error(`The upload was answered ${status} ${JSON.stringify(body)}`);
}

async function measureInstall(
  console: AppConsole,
  what: string,
  file: Uint8Array,
  row: AddRow,
): Promise<void> {
  const upload = { file, signature: console.publisher.sign(file) };
  const waits: number[] = [];
  const ms = await best(ROUNDS, async () => {
    const installing = timed(() => installed(console, upload));
    waits.push(await longestWait(console, installing));
    return installing;
  });
  row(`install of ${what} of 1 MiB, HTTP`, `${(ms / 1000).toFixed(2)} s`, "≤ 0.2 s");
  row(`GET /api/status meanwhile, longest`, `${Math.min(...waits).toFixed(1)} ms`, "≤ 50 ms");
}

/** Adds the manifest to the module as a custom section, for an install without a package. */
function withManifest(module: Uint8Array): Uint8Array {
  return appendCustomSection(module, "svc_manifest", Buffer.from(JSON.stringify(manifestOf(MANIFEST))));
}

async function installed(console: AppConsole, upload: Upload): Promise<void> {
  const { status, body } = await installOverHttp(console, upload);
  if (status !== 200) throw new Error(`The install was answered ${status} ${JSON.stringify(body)}`);
}

/** Returns the milliseconds of the slowest status answer until `work` has settled. */
async function longestWait({ http }: AppConsole, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  work.finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    longest = Math.max(longest, await timed(async () => (await fetch(`${http}/api/status`)).text()));
    await wait(STATUS_INTERVAL_MS);
  }
  return longest;
}
