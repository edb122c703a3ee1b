/**
 * A fake `navigator.serial` for what Chromium's own supports only with a user or real hardware: the chooser, a cable
 * pulled out during an operation, and a cable plugged in again. The page's output goes to a {@link SerialDevice} of
 * the test.
 */
import type { BrowserContext, Page } from "playwright-core";
import { type OpenAnswer, replaceSerial } from "./fake-serial-page.js";
import type { SerialConnection, SerialDevice } from "./serial-devices.js";

/** A user's action in the browser's list of ports. */
export type Choice = "choose" | "cancel";

interface Plugged {
  readonly id: number;
  readonly device: SerialDevice;
  isGranted: boolean;
}

export class FakeSerial {
  choice: Choice = "choose";
  /** Number of times that the page opened the list of ports. */
  choosersShown = 0;
  /** Number of times that the page opened the port. */
  timesOpened = 0;
  /** Called with the bytes that the page writes, before the device gets them. */
  onWritten: (text: string) => void | Promise<void> = () => {};
  #plugged: Plugged | undefined;
  #connection: SerialConnection | undefined;
  #page: Page | undefined;
  #document = 0;
  #told: Promise<void> = Promise.resolve();
  #lastId = 0;
  #wasGranted = false;

  /** Installs the fake in pages that are opened in `context` later, one at a time. */
  static async install(context: BrowserContext): Promise<FakeSerial> {
    const serial = new FakeSerial();
    const bind = <Wanted extends unknown[]>(name: string, work: (...wanted: Wanted) => unknown) =>
      context.exposeBinding(`serial${name}`, ({ page }, document, ...wanted) =>
        serial.#ask(page, document, work, wanted as Wanted),
      );
    await bind("Granted", () => serial.#granted());
    await bind("Choose", () => serial.#choose());
    await bind("Open", (id: number) => serial.#open(id));
    await bind("Write", (text: string) => serial.#write(text));
    await bind("Close", () => serial.#close());
    await context.addInitScript(replaceSerial);
    return serial;
  }

  /** Plugs in the cable; notifies a page that was granted the port before. */
  async plug(device: SerialDevice): Promise<void> {
    this.#plugged = { id: ++this.#lastId, device, isGranted: this.#wasGranted };
    if (this.#wasGranted) await this.#tell("plugged", this.#plugged.id);
  }

  /** Pulls the cable out: reads and writes fail with Chromium's error, then the page gets the event. */
  async unplug(): Promise<void> {
    const plugged = this.#plugged;
    this.#plugged = undefined;
    await this.#close();
    if (plugged?.isGranted) await this.#tell("unplugged", plugged.id);
  }

  /** Settles once no page has the device open, so that another page can open it. */
  async end(): Promise<void> {
    this.#plugged = undefined;
    await this.#close();
  }

  /** @param document id of the page's current document, since a reload closes the port */
  async #ask<Wanted extends unknown[]>(
    page: Page,
    document: number,
    work: (...wanted: Wanted) => unknown,
    wanted: Wanted,
  ): Promise<unknown> {
    this.#page = page;
    if (this.#document !== document) {
      this.#document = document;
      await this.#close();
    }
    return work(...wanted);
  }

  #granted(): readonly number[] {
    return this.#plugged?.isGranted ? [this.#plugged.id] : [];
  }

  #choose(): number | undefined {
    this.choosersShown += 1;
    if (this.choice === "cancel" || !this.#plugged) return undefined;
    this.#plugged.isGranted = true;
    this.#wasGranted = true;
    return this.#plugged.id;
  }

  async #open(id: number): Promise<OpenAnswer> {
    if (this.#plugged?.id !== id) return { isOpen: false };
    try {
      this.#connection = await this.#plugged.device.open((bytes) => {
        void this.#tell("received", Buffer.from(bytes).toString("latin1"));
      });
      this.timesOpened += 1;
      return { isOpen: true };
    } catch {
      return { isOpen: false }; // Chromium reports only that the port could not be opened
    }
  }

  async #write(text: string): Promise<void> {
    await this.onWritten(text);
    await this.#connection?.write(Buffer.from(text, "latin1"));
  }

  async #close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  /** In the order of the calls. A page that was just closed is not notified. */
  #tell(what: string, detail: unknown): Promise<void> {
    const tell = ([name, data]: [string, unknown]) =>
      window.dispatchEvent(new CustomEvent(`fake-serial-${name}`, { detail: data }));
    const page = this.#page;
    this.#told = this.#told.then(async () => {
      await page?.evaluate(tell, [what, detail] as [string, unknown]).catch(() => {});
    });
    return this.#told;
  }
}
