/**
 * A picture of an app, made by the simulated console of this machine, if that has been built (`npm run simulator`, `npm start`):
 * a new console without network names, cards or other apps installs the package, runs it for some seconds, and is removed.
 *
 * It runs modules alone: machine code has no sandbox but the role of its key, and a hub may have made it (`--by-hub`), whose
 * word reaches consoles that trust the publisher, and not the publisher's own computer.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { isSameApp } from "../../protocol/manifest/app-name.js";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { loadClient, openAddress } from "../device/client.js";

const BUILD = path.join(import.meta.dirname, "../../build");
const PROGRAM = path.join(BUILD, "release/console");
const IMAGE = path.join(BUILD, "device.img");

/** For an app to have drawn what it shows at first. */
const RUN_MS = 3000;
/** For a start of the console on a busy machine. */
const START_LIMIT_MS = 30_000;

export function isSimulatorThere(): boolean {
  return existsSync(PROGRAM) && existsSync(IMAGE);
}

/**
 * @param file a package, whoever has signed it: the new console trusts a key that is made for this
 * @returns a PNG of the display; `undefined` if the app has ended by then, and shows nothing
 * @throws {Error} if the console does not start, or refuses the app
 */
export async function simulatedScreenshot(
  file: Uint8Array<ArrayBuffer>,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const state = await mkdtemp(path.join(tmpdir(), "svc-screenshot-"));
  let child: ChildProcess | undefined;
  try {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    await mkdir(path.join(state, "lfs/hub"), { recursive: true });
    const trusted = publicKey.export({ type: "spki", format: "pem" });
    await writeFile(path.join(state, "lfs/hub/trusted_keys.pem"), `# roles: app\n${trusted}`);
    child = spawn(PROGRAM, flagsOf(state), { stdio: ["ignore", "pipe", "ignore"], signal });
    child.on("error", () => {}); // reported as a console that does not start
    const transport = await openAddress(await addressOf(child, signal), {});
    try {
      const { Device } = await loadClient();
      const device = await Device.identify(transport, signal);
      await device.install({ file, signature: signatureOf(file, privateKey), signal }).catch(withReason);
      await device.start(name);
      await setTimeout(RUN_MS, undefined, { signal });
      const app = (await device.apps()).find((entry) => isSameApp(entry.name, name));
      return app?.state === "running" ? await device.screen(signal) : undefined;
    } finally {
      await transport.close();
    }
  } finally {
    if (child) await end(child);
    await rm(state, { recursive: true, force: true });
  }
}

/** The key is trusted with everything but machine code. */
function withReason(error: Error & { readonly code?: string }): never {
  if (error.code !== "signature_invalid") throw error;
  throw new Error("it is machine code alone, which does not run on this computer; --screenshot gives one");
}

function flagsOf(state: string): string[] {
  const network = ["--address", "127.0.0.1", "--http-port", "0", "--ws-port", "0", "--no-mdns"];
  return ["--die-with-parent", "--image", IMAGE, "--state", state, ...network];
}

/** The first line on standard output has the console's address. */
async function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  if (!child.stdout) throw new Error("The simulated console does not start");
  const lines = createInterface(child.stdout);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_LIMIT_MS)]);
  const first = once(lines, "line", { signal: limit }).then(([line]) => JSON.parse(String(line)).http);
  const ended = once(child, "exit", { signal: limit }).then(() => undefined);
  const address: unknown = await Promise.race([first, ended]);
  if (typeof address !== "string") throw new Error("The simulated console does not start");
  return address;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL"); // its state is removed anyway
  await ended;
}
