/**
 * Runs all heap worst cases at the same time (docs/adr/0019): running apps with all their connections, more HTTP
 * connections than the limit, long heads, log viewers, mDNS, USB, firmware uploads, installs and a hub. Ends when the
 * slowest client has finished its rounds. Every answer must be correct, or 503 with Retry-After; any other is
 * recorded in `troubles`.
 */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { ConnectionLost, HttpWorker } from "../soak/http-worker.js";
import { installOverUsb } from "./app-clients.js";
import type { AppConsole } from "./app-console.js";
import { MDNS_MESSAGES, MdnsPeer } from "./mdns-peer.js";
import { UsbClient } from "./usb-client.js";

interface SignedFile {
  readonly file: Uint8Array;
  readonly signature: string;
}

export interface CrowdOptions {
  readonly console: AppConsole;
  /** Names of the apps to stop and start: one more than the console can run at once. */
  readonly apps: readonly string[];
  /** The app to install repeatedly. */
  readonly app: SignedFile;
  /** A firmware bundle that the console rejects only after its last byte. */
  readonly firmware: Uint8Array;
  /** Rounds of each slow client (apps, install, firmware, USB). */
  readonly rounds: number;
}

/** The console has eight HTTP connections; further ones get 503. */
const ASKING = 8;
const HELD_HEADS = 3;
const VIEWERS = 4;
const PEERS = 3;
const CHUNK_BYTES = 2048;
const BETWEEN_ROUNDS_MS = 1000;

const TARGETS = [
  "/api/status",
  "/api/apps/list",
  "/api/logs",
  "/api/system",
  "/api/cmd?c=app+list",
  "/api/hub",
  "/api/cmd?c=help",
  "/",
];

/** Statuses other than 200 and 503 that are correct while requests compete. */
const BESIDE_OTHERS = Object.freeze({
  install: [409], // another install is under way
  firmware: [403, 409], // the console does not trust its signature
  start: [409], // the app runs already, or the maximum number of apps runs
});

interface Answered {
  readonly status: number;
  /** From the `Retry-After` header or the body's `retry_after_s`. */
  readonly retryAfterS: number | undefined;
  readonly body: unknown;
}

export class Crowd {
  readonly #options: CrowdOptions;
  /** Incorrect answers and errors, one line each; the first 20. */
  readonly troubles: string[] = [];
  /**
   * Number of answers by status. `lost` counts connections closed without an answer, for example when the console has
   * no memory to refuse one.
   */
  readonly answers: Record<string, number> = {};
  #isOver = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Runs all clients; resolves after the last one has stopped. */
  async use(): Promise<void> {
    const others = [
      ...Array.from({ length: ASKING }, (_, index) => this.#ask(index)),
      ...Array.from({ length: VIEWERS }, () => this.#view()),
      ...Array.from({ length: PEERS }, (_, index) => this.#query(index)),
      this.#holdHeads(),
    ];
    try {
      await Promise.all([this.#startAndStop(), this.#install(), this.#sendFirmware(), this.#useUsb()]);
    } finally {
      this.#isOver = true;
      await Promise.all(others);
    }
  }

  /** Runs `step` once per round, and waits between rounds as long as a client does after a busy answer. */
  async #inRounds(what: string, step: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; round < this.#options.rounds; round++) {
      await this.#try(what, () => step(round));
      await pause(BETWEEN_ROUNDS_MS);
    }
  }

  async #whileOthersDo(what: string, step: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; !this.#isOver; round++) await this.#try(what, () => step(round));
  }

  async #try(what: string, step: () => Promise<unknown>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof ConnectionLost) this.#count("lost");
      else this.#trouble(`${what}: ${String(error)}`);
      await pause(20);
    }
  }

  #trouble(text: string): void {
    if (this.troubles.length < 20) this.troubles.push(text);
  }

  #count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1;
  }

  #note(what: string, { status, retryAfterS, body }: Answered, besides: readonly number[] = []): void {
    this.#count(`${status}`);
    const isBusy = status === 503 && retryAfterS !== undefined;
    if (status !== 200 && !isBusy && !besides.includes(status))
      this.#trouble(`${what}: ${status} ${JSON.stringify(body)}`);
  }

  async #ask(index: number): Promise<void> {
    const worker = new HttpWorker(this.#options.console.http);
    const padding = `X-Padding: ${"p".repeat(index * 450)}\r\n`;
    await this.#whileOthersDo("HTTP", async (round) => {
      const target = TARGETS[(index + round) % TARGETS.length] as string;
      this.#note(target, await worker.ask("GET", target, undefined, padding));
    });
    worker.close();
  }

  /** Sends a POST over a new connection and closes it. */
  async #send(target: string, body?: Uint8Array, fields = ""): Promise<Answered> {
    const worker = new HttpWorker(this.#options.console.http);
    try {
      return await worker.ask("POST", target, body, `Connection: close\r\n${fields}`);
    } finally {
      worker.close();
    }
  }

  /** Opens requests whose heads are nearly at the size limit, and never completes them. */
  async #holdHeads(): Promise<void> {
    const { hostname, port, host } = new URL(this.#options.console.http);
    const head = `GET /api/status HTTP/1.1\r\nHost: ${host}\r\n${`A: ${"b".repeat(900)}\r\n`.repeat(4)}`;
    await this.#whileOthersDo("long heads", async () => {
      const sockets = Array.from({ length: HELD_HEADS }, () => connect(Number(port), hostname));
      for (const socket of sockets) {
        socket.on("error", () => {}); // the console refuses it
        socket.write(head);
      }
      await pause(200);
      for (const socket of sockets) socket.destroy();
    });
  }

  async #view(): Promise<void> {
    await this.#whileOthersDo("viewer", async () => {
      const viewer = new WebSocket(this.#options.console.ws);
      const ended = new Promise<void>((resolve) => {
        viewer.on("error", () => resolve());
        viewer.on("close", () => resolve());
        viewer.on("unexpected-response", (_, { statusCode = 0, headers }) => {
          const retryAfterS =
            headers["retry-after"] === undefined ? undefined : Number(headers["retry-after"]);
          this.#note("viewer", { status: statusCode, retryAfterS, body: undefined });
          resolve();
        });
      });
      await Promise.race([ended, pause(500)]);
      viewer.terminate();
      await pause(50);
    });
  }

  async #query(index: number): Promise<void> {
    const peer = await MdnsPeer.open();
    await this.#whileOthersDo("mDNS", async (round) => {
      const { bytes } = MDNS_MESSAGES[
        (index + round) % MDNS_MESSAGES.length
      ] as (typeof MDNS_MESSAGES)[number];
      peer.send(bytes);
      await pause(30);
    });
    peer.close();
  }

  async #startAndStop(): Promise<void> {
    const { apps } = this.#options;
    const target = (verb: string, app: number) => `/api/apps/${verb}?name=${apps[app % apps.length]}`;
    await this.#inRounds("apps", async (round) => {
      this.#note("stop", await this.#send(target("stop", round)), BESIDE_OTHERS.start);
      for (let app = 0; app < apps.length; app++)
        this.#note("start", await this.#send(target("start", app)), BESIDE_OTHERS.start);
    });
  }

  async #install(): Promise<void> {
    const { file, signature } = this.#options.app;
    await this.#inRounds("install", async () => {
      const answer = await this.#send("/api/apps/install", file, `X-Svc-Signature: ${signature}\r\n`);
      this.#note("install", answer, BESIDE_OTHERS.install);
    });
  }

  async #sendFirmware(): Promise<void> {
    const { firmware } = this.#options;
    await this.#inRounds("firmware", async () => {
      this.#note("firmware", await this.#send("/api/ota/upload", firmware), BESIDE_OTHERS.firmware);
    });
  }

  async #useUsb(): Promise<void> {
    const { app, console } = this.#options;
    const usb = await UsbClient.open(console.usb);
    await this.#inRounds("USB", async () => {
      for (const path of ["/api/status", "/api/apps/list", "/api/screen", "/api/system"])
        this.#noteUsb(`USB ${path}`, await usb.request("GET", path));
      this.#noteUsb("USB install", await installOverUsb(usb, app, CHUNK_BYTES), BESIDE_OTHERS.install);
    });
    await usb.close();
  }

  #noteUsb(what: string, answer: { status: number; body: unknown }, besides: readonly number[] = []): void {
    const { retry_after_s } = answer.body as { readonly retry_after_s?: number };
    this.#note(what, { ...answer, retryAfterS: retry_after_s }, besides);
  }
}
