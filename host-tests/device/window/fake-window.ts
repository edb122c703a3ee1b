/**
 * A window without SDL, for tests: a program that the console starts in place of the real one, and that passes messages
 * (simulator/native/window-messages.h) between the console and the test.
 */
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const WIDTH = 240;
const HEIGHT = 320;
const HEAD_BYTES = 4;
const PICTURE_BYTES = HEAD_BYTES + WIDTH * HEIGHT * 2;
const BUTTONS = 0;
const CLOSED = 1;

/** Reads the console's socket until it ends, and writes what the test sends to it. */
const program = (socket: string) => `#!${process.execPath}
const { read, writeSync } = require("node:fs");
const test = require("node:net").connect(${JSON.stringify(socket)});
const bytes = Buffer.alloc(${PICTURE_BYTES});
const next = () => read(3, bytes, 0, bytes.length, null, (error, length) => {
  if (error || length === 0) return test.end();
  test.write(Buffer.from(bytes.subarray(0, length)), next);
});
test.on("data", (data) => {
  for (let at = 0; at < data.length; at += 4) writeSync(3, data, at, 4);
});
test.on("close", () => process.exit());
next();
`;

export interface WindowPicture {
  readonly brightnessPercent: number;
  /** Eight bits a colour, as in `GET /api/screen`. */
  readonly rgb: Buffer;
}

export class FakeWindow {
  readonly #directory = mkdtempSync(path.join(tmpdir(), "window-"));
  readonly #server = createServer((socket) => this.#take(socket));
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  /** Number of windows that were started. */
  started = 0;
  /** The first picture, and the last one so far. */
  first: WindowPicture | undefined;
  last: WindowPicture | undefined;

  private constructor() {}

  static async open(): Promise<FakeWindow> {
    const window = new FakeWindow();
    const socket = path.join(window.#directory, "socket");
    window.#server.listen(socket);
    await once(window.#server, "listening");
    writeFileSync(window.program, program(socket));
    chmodSync(window.program, 0o700);
    return window;
  }

  /** For `--window-program`. */
  get program(): string {
    return path.join(this.#directory, "window");
  }

  press(buttons: number): void {
    this.#send(BUTTONS, buttons);
  }

  /** The user closes it. */
  switchOff(): void {
    this.#send(CLOSED, 0);
  }

  /** Ends it without a word to the console. */
  crash(): void {
    this.#socket?.destroy();
  }

  close(): void {
    this.#socket?.destroy();
    this.#server.close();
    rmSync(this.#directory, { recursive: true });
  }

  #send(kind: number, buttons: number): void {
    if (!this.#socket) throw new Error("The console has not started the window");
    const event = Buffer.alloc(4);
    event.writeUInt16LE(kind, 0);
    event.writeUInt16LE(buttons, 2);
    this.#socket.write(event);
  }

  #take(socket: Socket): void {
    this.#socket = socket;
    this.started++;
    socket.on("error", () => {}); // the console may end first
    socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      for (; this.#received.length >= PICTURE_BYTES; this.#received = this.#received.subarray(PICTURE_BYTES))
        this.#show(this.#received);
    });
  }

  #show(message: Buffer): void {
    const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      const rgb565 = message.readUInt16LE(HEAD_BYTES + 2 * pixel);
      const [red, green, blue] = [rgb565 >> 11, (rgb565 >> 5) & 0x3f, rgb565 & 0x1f];
      rgb[3 * pixel] = (red << 3) | (red >> 2);
      rgb[3 * pixel + 1] = (green << 2) | (green >> 4);
      rgb[3 * pixel + 2] = (blue << 3) | (blue >> 2);
    }
    this.last = { brightnessPercent: message.readUInt32LE(0), rgb };
    this.first ??= this.last;
  }
}
