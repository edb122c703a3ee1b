/** What talks to the simulator in its own tests: a TCP client that collects, and a host with a USB cable. */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import net from "node:net";
import { ReadStream } from "node:tty";

/** Collects what arrives and lets a test wait for some of it. */
class Collector {
  #text = "";
  #look = () => {};

  add(bytes: Buffer): void {
    this.#text += bytes.toString("latin1");
    this.#look();
  }

  get text(): string {
    return this.#text;
  }

  /** Resolves with everything so far once `isEnough`. */
  until(isEnough: (text: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (isEnough(this.#text)) resolve(this.#text);
      };
      this.#look();
    });
  }
}

export interface Client {
  readonly socket: net.Socket;
  readonly received: Collector;
  /** Settles with everything received once the console has ended its side. */
  readonly ended: Promise<string>;
}

export async function connect(url: string): Promise<Client> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const received = new Collector();
  socket.on("data", (bytes) => received.add(bytes));
  const ended = new Promise<string>((resolve, reject) => {
    socket.once("end", () => resolve(received.text));
    socket.once("error", reject);
  });
  ended.catch(() => {}); // callers that wait for it get the error; others connect for the side effects
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return { socket, received, ended };
}

export interface UsbHost {
  readonly received: Collector;
  write(text: string): void;
  /** Stops reading, and goes on. */
  stop(): void;
  go(): void;
  /** Pulls the cable; settles when the terminal is closed. */
  unplug(): Promise<void>;
}

/** Opens the terminal as a serial program does. */
export function plugIn(path: string): UsbHost {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  const stream = new ReadStream(fd);
  const received = new Collector();
  stream.on("data", (bytes) => received.add(bytes as Buffer));
  stream.on("error", () => {}); // EIO when the console goes first
  // The stream has opened the terminal for itself, so that both are to be closed.
  const closed = new Promise<void>((resolve) => stream.once("close", () => resolve(closeSync(fd))));
  return {
    received,
    write: (text) => void writeSync(fd, text),
    stop: () => void stream.pause(),
    go: () => void stream.resume(),
    unplug() {
      stream.destroy();
      return closed;
    },
  };
}
