/**
 * Sends one command at a time over a serial port and waits for its answer or time-out. Passes unsolicited messages of
 * the console to callbacks.
 *
 *     perform ──> queue ──> in flight ──> answered, timed out, or lost with the port
 *
 * A cancelled command stays in flight until its answer or time-out: the console is still busy with it. Ids start at a
 * random number, since the port may still hold an answer to its previous host.
 */
import type { ClientClock } from "./clock.js";
import { DeviceError, deviceErrorOf, isDeviceError } from "./device-error.js";
import type { SerialStream } from "./host-ports.js";
import type { DeviceAnswer } from "./transport.js";
import { LineSplitter, readMessage, requestLine, type UsbMessage, type UsbRequest } from "./usb-messages.js";

export interface UsbSessionOptions {
  readonly stream: SerialStream;
  readonly clock: ClientClock;
  readonly onLog: (line: string) => void;
  readonly onStatus: (status: unknown) => void;
  /** Called for each answer in order with the events; a promise would resolve later. */
  readonly onAnswer?: (request: UsbRequest, answer: DeviceAnswer, sentAtMs: number) => void;
}

export interface UsbCommand extends UsbRequest {
  /** Measured from sending, not from queueing. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the command leaves the queue. */
  readonly onSent?: (() => void) | undefined;
}

interface Waiting {
  readonly command: UsbCommand;
  readonly settle: (outcome: DeviceAnswer | DeviceError) => void;
}

interface CommandInFlight extends Waiting {
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
  #inFlight: CommandInFlight | undefined;
  #nextId = Math.floor(Math.random() * FIRST_IDS);
  #hasBegun = false;
  #hasReceived = false;
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

  /** Number of lines that were no message of a console. */
  get skippedLines(): number {
    return this.#foreignLines + this.#lines.droppedLines;
  }

  /** @throws {DeviceError} `device_timeout`, `device_lost`, `not_a_console`, `cancelled` */
  perform(command: UsbCommand): Promise<DeviceAnswer> {
    return new Promise((resolve, reject) => {
      const cancel = () => settle(new DeviceError("cancelled", `${titleOf(command)} was cancelled`));
      const settle = (outcome: DeviceAnswer | DeviceError) => {
        command.signal?.removeEventListener("abort", cancel);
        this.#dequeue(waiting);
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

  /** @param error of pending commands and of `closed`; left out for a regular close */
  async close(error?: DeviceError): Promise<void> {
    this.#finish(error);
    await this.#options.stream.close();
  }

  #dequeue(waiting: Waiting): void {
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
    const flight: CommandInFlight = { ...next, id, timer, sentAtMs: clock.uptimeMs(), isWritten: false };
    this.#inFlight = flight;
    next.command.onSent?.();
    this.#write(requestLine(id, next.command)).then(
      () => {
        flight.isWritten = true;
      },
      (error) => this.#finish(this.#lost(error)),
    );
  }

  /** Writes a line end before the first line: an earlier host may have left half a line. */
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
    this.#hasReceived = true;
    for (const line of this.#lines.push(bytes)) {
      if (this.#end) return; // a listener closed the session on the previous line
      this.#handle(readMessage(line));
    }
  }

  #handle(message: UsbMessage | undefined): void {
    if (message?.kind === "answer") this.#handleAnswer(message);
    else if (message?.kind === "log") this.#options.onLog(message.line);
    else if (message?.kind === "status") this.#options.onStatus(message.status);
    else this.#handleForeignLine(message?.id);
  }

  // An answer without an id belongs to the command in flight, whose line arrived damaged. Before the first answer it
  // may also belong to input that the port's previous host has left.
  #handleAnswer({ id, status, body }: Extract<UsbMessage, { readonly kind: "answer" }>): void {
    const flight = this.#inFlight;
    if (!flight || !(id === flight.id || (id === null && this.#hasAnswered))) return;
    this.#hasAnswered = true;
    this.#options.onAnswer?.(flight.command, { status, body }, flight.sentAtMs);
    this.#complete(flight, { status, body });
  }

  /** @param echoId id of an echoed request: a port without a listening console echoes its input */
  #handleForeignLine(echoId: number | undefined): void {
    this.#foreignLines++;
    if (this.#inFlight && this.#inFlight.id === echoId) this.#complete(this.#inFlight, this.#foreign());
  }

  #timeOut(): void {
    const flight = this.#inFlight;
    if (!flight) return;
    // A port that does not accept this line will not accept others.
    const silent = new DeviceError("device_timeout", this.#timeoutMessage(flight.command));
    if (!flight.isWritten) this.#finish(this.#lost());
    else this.#complete(flight, this.#hasReceived && !this.#hasAnswered ? this.#foreign() : silent);
  }

  #complete(flight: CommandInFlight, outcome: DeviceAnswer | DeviceError): void {
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

  #timeoutMessage(command: UsbCommand): string {
    const seconds = command.timeoutMs / 1000;
    return `No answer from ${this.#options.stream.address} to ${titleOf(command)} within ${seconds} s`;
  }
}

function titleOf({ method, path, chunk }: UsbRequest): string {
  return chunk ? `chunk ${chunk.number} of ${chunk.total} for ${path}` : `${method} ${path}`;
}
