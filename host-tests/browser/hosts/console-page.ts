/**
 * The web console in a page of Chromium: actions for tests, which find the page's parts by their accessible names.
 * Collects the page's errors from the first moment on; `close` fails if there were any.
 */
import assert from "node:assert/strict";
import type { BrowserContext, ConsoleMessage, Locator, Page } from "playwright-core";
import type { ChosenFile } from "./app-files.js";
import type { Chromium } from "./chromium.js";
import { FakeSerial } from "./fake-serial.js";
import { watchPage } from "./watch-page.js";

export type PanelName = "Connect" | "Device" | "Apps" | "Store" | "Firmware" | "Logs" | "Shell" | "Screen";

export interface ConsolePageOptions {
  /** Width of the viewport in pixels; default: 1280 by 800. */
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  /** Replace `navigator.serial` by a fake that the test controls. */
  readonly hasFakeSerial?: boolean;
  readonly ignoresCertificates?: boolean;
  /** Runs before any script of the page. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
  /** Browser messages to ignore, such as those about connections that a test cuts; default: none. */
  readonly tolerates?: readonly RegExp[];
}

/** Chromium's console messages for failed requests, logged even if the page handles the error. */
export const LOST_CONNECTIONS = /^Failed to load resource: net::ERR_|^WebSocket connection to .* failed/;

/** Chromium's console messages for error statuses. */
export const REFUSALS = /^Failed to load resource: the server responded with a status of/;

export class ConsolePage {
  readonly page: Page;
  /** The fake serial port, if `hasFakeSerial` is set. */
  readonly serial: FakeSerial | undefined;
  /** URLs requested so far, in order. */
  readonly requests: string[] = [];
  readonly #complaints: string[] = [];
  readonly #tolerates: readonly RegExp[];

  private constructor(page: Page, serial: FakeSerial | undefined, tolerates: readonly RegExp[]) {
    this.page = page;
    this.serial = serial;
    this.#tolerates = tolerates;
    page.on("console", (message) => this.#onConsoleMessage(message));
    page.on("pageerror", (error) => this.#complaints.push(`${error.stack ?? error}`));
    page.on("request", (request) => this.requests.push(request.url()));
  }

  /** Opens the page in a new browser context, without stored data of earlier pages. */
  static async open(chromium: Chromium, url: string, options: ConsolePageOptions = {}): Promise<ConsolePage> {
    const { width = 1280, height = 800, colorScheme = "light" } = options;
    const context = await chromium.browser.newContext({
      viewport: { width, height },
      colorScheme,
      ignoreHTTPSErrors: options.ignoresCertificates ?? false,
    });
    const serial = options.hasFakeSerial ? await FakeSerial.install(context) : undefined;
    await context.addInitScript(watchPage);
    await options.prepare?.(context);
    const opened = new ConsolePage(await context.newPage(), serial, options.tolerates ?? []);
    await opened.page.goto(url);
    return opened;
  }

  /** Closes the page. @throws {Error} with the page's errors, if there were any */
  async close(): Promise<void> {
    await this.page.context().close();
    await this.serial?.end();
    assert.deepEqual(this.#complaints, [], "The page has complained");
  }

  /** Opens a panel by the navigation. @returns the panel */
  async go(name: PanelName): Promise<Locator> {
    await this.page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    return this.panel(name);
  }

  /** Waits until the panel is shown. @returns it */
  async panel(name: PanelName): Promise<Locator> {
    const panel = this.page.getByRole("main").getByRole("region", { name, exact: true });
    await panel.waitFor();
    return panel;
  }

  /** Chooses the port of the plugged-in console, and waits until it is connected. */
  async connectUsb(): Promise<void> {
    await this.button("Connect by USB…").click();
    await this.isConnected(/^Connected by cable/);
  }

  /** Enters a console's address and connects; does not wait for the result. */
  async connectTo(address: string, token = ""): Promise<void> {
    const panel = await this.go("Connect");
    await panel.getByLabel("Address").fill(address);
    await panel.getByLabel("Access token").fill(token);
    await panel.getByRole("button", { name: "Connect", exact: true }).click();
  }

  /** Moves the pointer off the page and the focus off its controls, for a picture. */
  async rest(): Promise<void> {
    await this.page.mouse.move(0, 0);
    await this.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Presses a button that opens the browser's file chooser, and chooses these files. */
  async choose(button: string | RegExp, files: string[] | ChosenFile[]): Promise<void> {
    const chooser = this.page.waitForEvent("filechooser");
    await this.button(button).click();
    await (await chooser).setFiles(files);
  }

  /** Waits until the page shows this text, in a live region, an alert or anywhere else. */
  async says(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Waits until the header shows this connection. */
  async isConnected(how: RegExp): Promise<void> {
    await this.page.getByRole("banner").getByText(how).waitFor();
  }

  #onConsoleMessage(message: ConsoleMessage): void {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (this.#tolerates.some((pattern) => pattern.test(message.text()))) return;
    this.#complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  }
}
