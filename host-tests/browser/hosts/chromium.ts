/**
 * Starts and controls Chromium for the browser tests. Its serial stack is the real one: a policy grants the pages
 * under test every port without a chooser, and in its own mount namespace, a simulated console's pseudo-terminal is
 * mounted over the one serial port that the system lists. The machine itself stays unchanged. Without the peer
 * `webserial` (root, and a system with such a port), Chromium starts without this port.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { CHROMIUM, isMissing, SERIAL_PORT } from "../../hosts/peers.js";

const run = promisify(execFile);

const FLAGS = [
  "--no-sandbox", // the sandbox does not work for root
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Mounted while no console is plugged in: opening it fails, as with a port that is gone. */
const NOTHING = "/dev/null";

/** $0: directory of ours; the rest: Chromium and its arguments. Becomes Chromium, so that its process is the namespace's. */
const INTO_NAMESPACE = [
  "mount -t tmpfs none /etc/chromium",
  'cp -r "$0/policies" /etc/chromium/',
  `mount --bind ${NOTHING} ${SERIAL_PORT}`,
  'echo $$ > "$0/pid"',
  'exec "$@"',
].join(" && ");

export interface ChromiumOptions {
  /** Origins of pages that can open any serial port; default: none, and no console can be plugged in. */
  readonly serialOrigins?: readonly string[];
  /** Servers on this machine, such as `127.0.0.1:8443`, that count as public (Local Network Access). */
  readonly publicServers?: readonly string[];
  /** Servers that count as local, whatever this machine's addresses are. */
  readonly localServers?: readonly string[];
}

/** The part of vitest's task that is read after a test. */
export interface TestOutcome {
  readonly name: string;
  readonly result?: { readonly state: string } | undefined;
}

export class Chromium {
  readonly browser: Browser;
  readonly #directory: string;
  readonly #hasPort: boolean;

  private constructor(browser: Browser, directory: string, hasPort: boolean) {
    this.browser = browser;
    this.#directory = directory;
    this.#hasPort = hasPort;
  }

  static async launch(options: ChromiumOptions = {}): Promise<Chromium> {
    const { serialOrigins = [] } = options;
    const directory = mkdtempSync(path.join(tmpdir(), "chromium-"));
    const hasPort = serialOrigins.length > 0;
    if (hasPort) writePolicy(directory, serialOrigins);
    const executablePath = hasPort ? writeLauncher(directory) : CHROMIUM;
    try {
      const args = [...FLAGS, ...placesOf(options)];
      return new Chromium(await chromium.launch({ executablePath, args }), directory, hasPort);
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Puts a console's USB port where the browser finds it. @param usb the link to its pseudo-terminal */
  plug(usb: string): Promise<void> {
    return this.#mount(realpathSync(usb));
  }

  /** Pages that have it open keep it, as long as its console keeps it. */
  unplug(): Promise<void> {
    return this.#mount(NOTHING);
  }

  /**
   * After each test, those included that one which failed has left open: they are kept as pictures in
   * build/screenshots/failed.
   */
  async closePages(task: TestOutcome): Promise<void> {
    for (const context of this.browser.contexts()) {
      if (task.result?.state === "fail") await keepPictures(context, task.name);
      await context.close();
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #mount(file: string): Promise<void> {
    if (!this.#hasPort) throw new Error("This Chromium was started without a serial port");
    const process = readFileSync(path.join(this.#directory, "pid"), "utf8").trim();
    const command = `umount -l ${SERIAL_PORT} && mount --bind "$0" ${SERIAL_PORT}`;
    await run("nsenter", [`--mount=/proc/${process}/ns/mnt`, "sh", "-c", command, file]);
  }
}

async function keepPictures(context: BrowserContext, name: string): Promise<void> {
  for (const page of context.pages()) await page.screenshot({ path: path.join(FAILED, `${name}.png`) });
}

const FAILED = path.join(import.meta.dirname, "../../../build/screenshots/failed");

function placesOf({ publicServers = [], localServers = [] }: ChromiumOptions): readonly string[] {
  const places = [
    ...publicServers.map((server) => `${server}=public`),
    ...localServers.map((server) => `${server}=local`),
  ];
  return places.length > 0 ? [`--ip-address-space-overrides=${places}`] : [];
}

function writePolicy(directory: string, origins: readonly string[]): void {
  mkdirSync(path.join(directory, "policies/managed"), { recursive: true });
  const policy = { SerialAllowAllPortsForUrls: origins };
  writeFileSync(path.join(directory, "policies/managed/serial.json"), JSON.stringify(policy));
}

/** Playwright starts one file. */
function writeLauncher(directory: string): string {
  const file = path.join(directory, "chromium.sh");
  const words = ["exec", "unshare", "-m", "sh", "-c", `'${INTO_NAMESPACE}'`, directory, CHROMIUM, '"$@"'];
  writeFileSync(file, `#!/bin/sh\n${words.join(" ")}\n`, { mode: 0o755 });
  return file;
}

/** What this machine lacks for these tests, for `describe.skipIf`. */
export const missesChromium = isMissing("chromium");
export const missesWebSerial = missesChromium || isMissing("webserial");
