/** The player in Chromium, with apps of the tests: served as `svc app dev --browser` serves it. */

import { crc32 } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { PlayerReport } from "../../../cli/apps/player-report.js";
import { PlayerServer } from "../../../cli/apps/player-server.js";
import { playerFiles } from "../../../tools/player-page.js";
import { countDifferences } from "../../hosts/kept-pictures.js";
import type { Picture } from "../../hosts/read-png.js";

export class PlayerPage {
  readonly page: Page;
  readonly server: PlayerServer;
  readonly #reports: PlayerReport[];

  private constructor(page: Page, server: PlayerServer, reports: PlayerReport[]) {
    this.page = page;
    this.server = server;
    this.#reports = reports;
  }

  /** @param change runs in the page before all of its scripts */
  static async open(browser: Browser, change?: () => void): Promise<PlayerPage> {
    const reports: PlayerReport[] = [];
    const server = await PlayerServer.start({
      files: await playerFiles(),
      port: 0,
      onReport: (report) => reports.push(report),
    });
    const page = await (await browser.newContext()).newPage();
    if (change) await page.addInitScript(change);
    await page.goto(server.address);
    return new PlayerPage(page, server, reports);
  }

  async close(): Promise<void> {
    await this.page.context().close();
    await this.server.close();
  }

  /** Empties the database of what apps have stored. */
  async forgetValues(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open("svc-play", 1);
          request.onupgradeneeded = () => request.result.createObjectStore("values");
          request.onsuccess = () => {
            const cleared = request.result.transaction("values", "readwrite").objectStore("values").clear();
            cleared.onsuccess = () => {
              request.result.close();
              resolve(undefined);
            };
          };
        }),
    );
  }

  /** @returns what apps have stored: names of entries, and their bytes */
  keptValues(): Promise<readonly (readonly [string, number])[]> {
    return this.page.evaluate(
      () =>
        new Promise<[string, number][]>((resolve) => {
          const request = indexedDB.open("svc-play", 1);
          request.onsuccess = () => {
            const entries: [string, number][] = [];
            const cursors = request.result.transaction("values").objectStore("values").openCursor();
            cursors.onsuccess = () => {
              const { result } = cursors;
              if (result) {
                entries.push([String(result.key), (result.value as Uint8Array).length]);
                result.continue();
                return;
              }
              request.result.close();
              resolve(entries);
            };
          };
        }),
    );
  }

  /** Has the page run this app. */
  play(file: Uint8Array): void {
    this.#reports.length = 0;
    this.server.show(file);
  }

  /** Runs an app to its end. */
  async run(file: Uint8Array): Promise<PlayedRun> {
    this.play(file);
    const message = await this.ending();
    return { message, lines: this.lines, screen: await this.screen() };
  }

  get lines() {
    return this.#reports.flatMap((report) => (report.kind === "log" ? report.lines : []));
  }

  /** How often an app has ended since {@link play}, as far as the page has told. */
  get endings(): number {
    return this.#reports.filter(({ kind }) => kind === "ended").length;
  }

  /** How the app has ended, as a console logs it. */
  ending(): Promise<string> {
    return this.#until(() => {
      const ended = this.#reports.find(({ kind }) => kind === "ended");
      return ended?.kind === "ended" ? ended.message : undefined;
    });
  }

  /** Waits until the app runs. */
  async started(): Promise<void> {
    await this.#until(() => this.#reports.find(({ kind }) => kind === "started"));
  }

  /** @returns how many pixels of the display differ from a kept picture */
  async differencesFrom(file: string): Promise<number> {
    return countDifferences(file, await this.picture());
  }

  /** Waits for a line of the app's log. */
  async logged(text: string): Promise<void> {
    await this.#until(() => this.lines.find((line) => line.text === text));
  }

  /** The pixels of the page's display. */
  async picture(): Promise<Picture> {
    const base64 = await this.page.evaluate(() => {
      const canvas = document.querySelector("canvas") as HTMLCanvasElement;
      const { data } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, 240, 320);
      let text = "";
      for (let at = 0; at < data.length; at += 4)
        text += String.fromCharCode(data[at] as number, data[at + 1] as number, data[at + 2] as number);
      return btoa(text);
    });
    return { width: 240, height: 320, rgb: Buffer.from(base64, "base64") };
  }

  /** CRC-32 of the display's pixels, red, green and blue. */
  async screen(): Promise<number> {
    return crc32((await this.picture()).rgb);
  }

  async #until<Value>(look: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

export interface PlayedRun {
  readonly message: string;
  readonly lines: readonly { readonly level: number; readonly text: string; readonly lost: number }[];
  readonly screen: number;
}
