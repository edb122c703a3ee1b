/**
 * Sends one command at a time over a serial port, each with its answer or time-out. Unsolicited messages of the console
 * go to the listener.
 *
 *     perform ──> queue ──> in flight ──> answered, timed out, or lost with the port
 *
 * A command whose caller has given up stays in flight until its answer or its time-out: the console is still busy with
 * it. Ids begin at a random number, since the port may still hold an answer to its previous host.
 */
import type { ClientClock } from "./clock.js";
import { DeviceError, deviceErrorOf, isDeviceError } from "./device-error.js";
import { LineSplitter } from "./line-splitter.js";
import type { SerialStream } from "./serial-stream.js";
import type { DeviceAnswer } from "./transport.js";
import { readMessage, type UsbMessage } from "./usb-message.js";
import { requestLine, type UsbRequest } from "./usb-request.js";

export interface UsbSessionOptions {
  readonly stream: SerialStream;
  readonly clock: ClientClock;
  readonly onLog: (line: string) => void;
  readonly onStatus: (status: unknown) => void;
  /** Each answer in its place between the events, which a promise could not keep. */
  readonly onAnswer?: (request: UsbRequest, answer: DeviceAnswer, sentAtMs: number) => void;
}

export interface UsbCommand extends UsbRequest {
  /** From when it is sent, not from when it is queued. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly command: UsbCommand;
  readonly settle: (outcome: DeviceAnswer | DeviceError) => void;
}

interface Flight extends Waiting {
  readonly id: number;
  readonly sentAtMs: number;
  readonly timer: object;
  isWritten: boolean;
}

const FIRST_IDS = 2 ** 30;
const NEW_LINE = Uint8Array.of(0x0a);

export class UsbSession {
  readonly closed: Promise<DeviceError | undefined>;
  readonly #options: UsbSessionOptions;
  readonly #lines = new LineSplitter();
  readonly #queue: Waiting[] = [];
  #inFlight: Flight | undefined;
  #nextId = Math.floor(Math.random() * FIRST_IDS);
  #hasBegun = false;
  #isHeard = false;
  #hasAnswered = false;
  #foreignLines = 0;
  #end: { readonly error: DeviceError | undefined } | undefined;
  #settleClosed: (error: DeviceError | undefined) => void = () => {};

  constructor(options: UsbSessionOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
    options.stream.onBytes = (bytes) => this.#receive(bytes);
    options.stream.onClosed = (error) => this.#finish(this.#lost(error));
  }

  /** Lines that were none of a console's messages. */
  get skippedLines(): number {
    return this.#foreignLines + this.#lines.droppedLines;
  }

  /** @throws {DeviceError} `device_timeout`, `device_lost`, `not_a_console`, `cancelled` */
  perform(command: UsbCommand): Promise<DeviceAnswer> {
    return new Promise((resolve, reject) => {
      const cancel = () => settle(new DeviceError("cancelled", `${titleOf(command)} was cancelled`));
      const settle = (outcome: DeviceAnswer | DeviceError) => {
        command.signal?.removeEventListener("abort", cancel);
        this.#forget(waiting);
        if (isDeviceError(outcome)) reject(outcome);
        else resolve(outcome);
      };
      const waiting: Waiting = { command, settle };
      if (this.#end) settle(this.#end.error ?? this.#lost());
      else if (command.signal?.aborted) cancel();
      else this.#enqueue(waiting, cancel);
    });
  }
  #enqueue(waiting: Waiting, cancel: () => void): void {
    waiting.command.signal?.addEventListener("abort", cancel);
    this.#queue.push(waiting);
    this.#sendNext();
  }

  /** @param error what commands under way end with, and `closed` settles with; left out: nothing went wrong */
  async close(error?: DeviceError): Promise<void> {
    this.#finish(error);
    await this.#options.stream.close();
  }

  #forget(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
  }

  #sendNext(): void {
    if (this.#inFlight || this.#end) return;
    const next = this.#queue.shift();
    if (!next) return;
    const { clock } = this.#options;
    const id = this.#nextId++;
    const timer = clock.set(() => this.#timeOut(), next.command.timeoutMs);
    const flight: Flight = { ...next, id, timer, sentAtMs: clock.uptimeMs(), isWritten: false };
    this.#inFlight = flight;
    this.#write(requestLine(id, next.command)).then(
      () => {
        flight.isWritten = true;
      },
      (error) => this.#finish(this.#lost(error)),
    );
  }

  /** Before the first line, an end for the one that an earlier host may have begun. */
  async #write(line: Uint8Array): Promise<void> {
    const { stream } = this.#options;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await stream.write(NEW_LINE);
    }
    if (!this.#end) await stream.write(line);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#isHeard = true;
    for (const line of this.#lines.push(bytes)) {
      if (this.#end) return; // a listener closed the session on the previous line
      this.#take(readMessage(line));
    }
  }

  #take(message: UsbMessage | undefined): void {
    if (message?.kind === "answer") this.#takeAnswer(message);
    else if (message?.kind === "log") this.#options.onLog(message.line);
    else if (message?.kind === "status") this.#options.onStatus(message.status);
    else this.#takeForeign(message?.id);
  }

  // An answer without an id is to the command in flight, whose line has not arrived whole. Before the first answer it
  // may also be to what the port's last host has left.
  #takeAnswer({ id, status, body }: Extract<UsbMessage, { readonly kind: "answer" }>): void {
    const flight = this.#inFlight;
    if (!flight || !(id === flight.id || (id === null && this.#hasAnswered))) return;
    this.#hasAnswered = true;
    this.#options.onAnswer?.(flight.command, { status, body }, flight.sentAtMs);
    this.#land(flight, { status, body });
  }

  /** @param echoId id of a request that the peer echoes, as a port without a listening console does */
  #takeForeign(echoId: number | undefined): void {
    this.#foreignLines++;
    if (this.#inFlight && this.#inFlight.id === echoId) this.#land(this.#inFlight, this.#foreign());
  }

  #timeOut(): void {
    const flight = this.#inFlight;
    if (!flight) return;
    // A port that takes no more will take no other line either.
    const silent = new DeviceError("device_timeout", this.#silence(flight.command));
    if (!flight.isWritten) this.#finish(this.#lost());
    else this.#land(flight, this.#isHeard && !this.#hasAnswered ? this.#foreign() : silent);
  }

  #land(flight: Flight, outcome: DeviceAnswer | DeviceError): void {
    this.#options.clock.clear(flight.timer);
    this.#inFlight = undefined;
    flight.settle(outcome);
    this.#sendNext();
  }

  #finish(error: DeviceError | undefined): void {
    if (this.#end) return;
    this.#end = { error };
    const waiting = [...(this.#inFlight ? [this.#inFlight] : []), ...this.#queue];
    this.#options.clock.clear(this.#inFlight?.timer);
    this.#inFlight = undefined;
    for (const { settle } of waiting) settle(error ?? this.#lost());
    this.#settleClosed(error);
  }

  #lost(cause?: Error): DeviceError {
    const message = `The connection to ${this.#options.stream.address} is lost`;
    return cause ? deviceErrorOf(cause, "device_lost", message) : new DeviceError("device_lost", message);
  }

  #foreign(): DeviceError {
    return new DeviceError("not_a_console", `The device at ${this.#options.stream.address} is not a console`);
  }

  #silence(command: UsbCommand): string {
    const seconds = command.timeoutMs / 1000;
    return `Nothing at ${this.#options.stream.address} has answered ${titleOf(command)} within ${seconds} s`;
  }
}

function titleOf({ method, path, chunk }: UsbRequest): string {
  return chunk ? `chunk ${chunk.number} of ${chunk.total} for ${path}` : `${method} ${path}`;
}
