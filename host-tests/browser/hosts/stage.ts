/** Environment of a web console suite: Chromium, a simulated console, and the page hosted at its own origin. */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import {
  type FirmwareConsole,
  type FirmwareConsoleOptions,
  startFirmwareConsole,
} from "../../hosts/firmware-console.js";
import { askHttp, getJson } from "../../hosts/http-client.js";
import { Chromium, missesChromium, missesWebSerial, type TestOutcome } from "./chromium.js";
import { ConsolePage, type ConsolePageOptions, REFUSALS } from "./console-page.js";
import type { FakeSerial } from "./fake-serial.js";
import { PageServer } from "./page-server.js";

export class Stage {
  readonly chromium: Chromium;
  readonly console: FirmwareConsole;
  /** Serves the page without being a console, as a project's web site does. */
  readonly host: PageServer;
  readonly #serials: FakeSerial[] = [];

  private constructor(chromium: Chromium, console: FirmwareConsole, host: PageServer) {
    this.chromium = chromium;
    this.console = console;
    this.host = host;
  }

  static async start(options: FirmwareConsoleOptions = {}): Promise<Stage> {
    const host = await PageServer.ofConsole();
    const console = await Stage.startConsole(options);
    return new Stage(await Chromium.launch(serialFor(host)), console, host);
  }

  static startConsole(options: FirmwareConsoleOptions = {}): Promise<FirmwareConsole> {
    return startFirmwareConsole(options);
  }

  /** Cleans up after each test, even a failed one: closes all pages and removes all apps. */
  async clear(task: TestOutcome): Promise<void> {
    await this.chromium.closePages(task);
    for (const serial of this.#serials.splice(0)) await serial.end();
    for (const { name } of await this.apps()) await this.act("uninstall", name);
  }

  async end(): Promise<void> {
    await this.chromium.close();
    await this.console.stop();
    await this.host.close();
  }

  /** Opens the page that the console serves, which connects to that console. */
  async openOverHttp(options: ConsolePageOptions = {}): Promise<ConsolePage> {
    const page = await ConsolePage.open(this.chromium, this.console.http, options);
    await page.isConnected(/^Connected/);
    return page;
  }

  /** Opens the hosted page, and connects it through the browser's serial port. */
  async openOverUsb(options: ConsolePageOptions = {}): Promise<ConsolePage> {
    await this.chromium.plug(this.console.usb);
    const page = await this.openHosted(options);
    await page.button(/^Reconnect/).click();
    await page.isConnected(/^Connected by cable/);
    return page;
  }

  /** Opens the hosted page without connecting it. */
  async openHosted(options: ConsolePageOptions = {}): Promise<ConsolePage> {
    // The page first asks its own origin whether it is a console.
    const tolerates = [REFUSALS, ...(options.tolerates ?? [])];
    const url = `${this.host.origin}/#connect`;
    const page = await ConsolePage.open(this.chromium, url, { ...options, tolerates });
    if (page.serial) this.#serials.push(page.serial);
    return page;
  }

  /** Installs a package without the page, as another program does. */
  async install(file: Uint8Array): Promise<void> {
    const signature = this.console.publisher.sign(file);
    const { status, body } = await installOverHttp(this.console, { file, signature });
    if (status !== 200) throw new Error(`Cannot install it: ${JSON.stringify(body)}`);
  }

  /** Starts, stops or uninstalls an app without the page, as another program does. */
  async act(verb: "start" | "stop" | "uninstall", name: string): Promise<void> {
    const address = `${this.console.http}/api/apps/${verb}?name=${encodeURIComponent(name)}`;
    const { status, body } = await askHttp(address, { method: "POST" });
    if (status !== 200) throw new Error(`Cannot ${verb} "${name}": ${JSON.stringify(body)}`);
  }

  apps(): Promise<readonly AppEntry[]> {
    return getJson(`${this.console.http}/api/apps/list`);
  }
}

function serialFor(host: PageServer) {
  return missesWebSerial ? {} : { serialOrigins: [host.origin] };
}

/** The two transports to a console, which must behave the same. */
export interface PageTransport {
  readonly name: string;
  readonly missing: boolean;
  readonly open: (stage: Stage, options?: ConsolePageOptions) => Promise<ConsolePage>;
}

export const TRANSPORTS: readonly PageTransport[] = [
  { name: "over USB", missing: missesWebSerial, open: (stage, options) => stage.openOverUsb(options) },
  { name: "over HTTP", missing: missesChromium, open: (stage, options) => stage.openOverHttp(options) },
];
