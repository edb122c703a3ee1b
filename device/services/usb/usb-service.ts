/**
 * The management interface over USB: one request per line in, one answer per line out, and events between the answers
 * (docs/spec/usb.md#framing).
 *
 * The service sends one line at a time. When it is complete, the service chooses the next: the answer to the next
 * request, else the next event. It reads nothing while it sends an answer, so a host that sends without reading fills
 * its own buffers and not the console's.
 */
import type { Json } from "../../../protocol/json.js";
import type { Base64, Clock, Timer } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import type { Serial, SerialPort } from "../../ports/serial.js";
import { abandonAnswer } from "../api/dispatcher.js";
import { Pacer } from "../api/pacer.js";
import type { Answer, Api, Exchange, Request, StreamedAnswer } from "../api/request.js";
import type { LogLines } from "../logs/log-line.js";
import { LogFollower } from "../logs/log-page.js";
import { type Line, LineReader } from "./line-reader.js";
import { answerLine, eventLine, LineWriter, StreamedLine } from "./line-writer.js";
import { type Message, MessageReader } from "./message-reader.js";

// Chooses the next event of the port, if any (docs/spec/usb.md#events-start). Events start with the host's discovery
// request, the buffered log first. There is no queue: log lines are followed by their numbers, and status changes
// coalesce into one event.

class Events {
  readonly #log: LogFollower;
  readonly #status: () => Json;
  #isStarted = false;
  #isLogEnabled = true;
  #hasStatusChanged = false;

  constructor(log: LogFollower, status: () => Json) {
    this.#log = log;
    this.#status = status;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Starts the events after the host's discovery request. No-op if started. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#log.rewind();
  }

  /** Stops the events: the host is gone. */
  reset(): void {
    this.#isStarted = false;
    this.#isLogEnabled = true;
    this.#hasStatusChanged = false;
  }

  /** Switches the log events. Lines overwritten while they were off do not count as lost, so no event reports them. */
  enableLog(isEnabled: boolean): void {
    if (isEnabled && !this.#isLogEnabled) this.#log.skipLost();
    this.#isLogEnabled = isEnabled;
  }

  /** Schedules a status event. No-op before the start: the answer to the discovery request contains the status. */
  changeStatus(): void {
    this.#hasStatusChanged = this.#isStarted;
  }

  /** The line of the next event, `undefined` while there is none. */
  next(): string | undefined {
    if (!this.#isStarted) return undefined;
    if (this.#hasStatusChanged) return this.#nextStatus();
    const line = this.#isLogEnabled ? this.#log.next() : undefined;
    return line === undefined ? undefined : eventLine("log", line);
  }

  #nextStatus(): string {
    this.#hasStatusChanged = false;
    return eventLine("status", this.#status());
  }
}

interface UsbServiceOptions {
  readonly serial: Serial;
  readonly api: Api;
  readonly log: LogLines;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly base64: Base64;
  /** Runs the splitter of lines. */
  readonly sandbox: Sandbox;
  /** Names of the parameters that endpoints declare. */
  readonly parameterNames: readonly string[];
  /** Data of a `status` event: the body of `GET /api/status` at that moment. */
  readonly status: () => Json;
  /** Called when the host closed the port or the cable was pulled, to end operations that span several requests. */
  readonly onDisconnect?: () => void;
  /** Called when {@link UsbService.isConnected} has changed. */
  readonly onChange?: () => void;
}

type RequestMessage = Extract<Message, { readonly kind: "request" }>;

/** Paths whose first successful GET starts the events. */
const DISCOVERY_PATHS: readonly string[] = Object.freeze(["/api/status", "/api/v1/status"]);

export class UsbService {
  readonly #api: Api;
  readonly #base64: Base64;
  readonly #onDisconnect: (() => void) | undefined;
  readonly #onChange: (() => void) | undefined;
  readonly #port: SerialPort;
  readonly #pacer: Pacer;
  readonly #lines: LineReader;
  readonly #fill = (into: Uint8Array): void => void this.#port.read(into);
  readonly #messages: MessageReader;
  readonly #writer: LineWriter;
  readonly #events: Events;
  readonly #unsubscribe: () => void;
  #readableBytes = 0;
  #isAnswering = false;
  #isConnected = false;
  /** Number of the current host, so that a late answer is not sent to the next host. */
  #host = 0;
  #willPump = false;
  #isClosed = false;

  constructor(options: UsbServiceOptions) {
    this.#lines = new LineReader(options.sandbox);
    const { serial, api, log, clock, timer, base64, parameterNames, status } = options;
    this.#api = api;
    this.#base64 = base64;
    this.#onDisconnect = options.onDisconnect;
    this.#onChange = options.onChange;
    this.#messages = new MessageReader(base64, parameterNames);
    this.#events = new Events(new LogFollower(log, clock, "usb"), status);
    this.#pacer = new Pacer({ timer, clock, onResume: () => this.#resume() });
    this.#writer = new LineWriter((bytes) => this.#port.write(bytes), this.#pacer);
    this.#port = new serial({
      onReadable: (byteLength) => this.#read(byteLength),
      onWritable: (byteLength) => this.#write(byteLength),
      onDataTerminalReady: (isReady) => {
        this.#isConnected = isReady;
        if (!isReady) this.#disconnect();
        this.#onChange?.();
      },
    });
    this.#unsubscribe = log.subscribe(() => this.#pump());
  }

  /** Whether a program of the host has the port open. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Switch the `log` events, which are on for each new host. */
  streamLogs(isEnabled: boolean): void {
    this.#events.enableLog(isEnabled);
    this.#pumpSoon();
  }

  /** Notify the host that the status has changed. Calls within one turn cause one event. */
  notifyStatus(): void {
    this.#events.changeStatus();
    this.#pumpSoon();
  }

  /** Close the port. May be called twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host++;
    this.#unsubscribe();
    this.#writer.forget();
    this.#port.close();
    this.#lines.close();
  }

  #read(byteLength: number): void {
    this.#readableBytes = byteLength;
    this.#pump();
  }

  /** If the writer was idle, nothing waits for room, so there is nothing to pump. */
  #write(byteLength: number): void {
    const wasIdle = this.#writer.isIdle;
    this.#writer.makeRoom(byteLength);
    if (!wasIdle) this.#pump();
  }

  #resume(): void {
    this.#writer.resume();
    this.#pump();
  }

  #disconnect(): void {
    this.#host++;
    this.#isAnswering = false;
    this.#readableBytes = 0;
    this.#lines.reset();
    this.#events.reset();
    this.#writer.forget();
    this.#onDisconnect?.();
  }

  #pumpSoon(): void {
    if (this.#willPump) return;
    this.#willPump = true;
    Promise.resolve().then(() => {
      this.#willPump = false;
      this.#pump();
    });
  }

  /** Sends answers and events while there are any and the port accepts them. */
  #pump(): void {
    while (!this.#isClosed && !this.#isAnswering && this.#writer.isIdle)
      if (!this.#answerNext() && !this.#sendEvent()) return;
  }

  #sendEvent(): boolean {
    const line = this.#events.next();
    if (line !== undefined) this.#writer.send(line);
    return line !== undefined;
  }

  #answerNext(): boolean {
    let line: Line | undefined;
    try {
      line = this.#nextLine();
    } catch (error) {
      // A fault of the reader's program: what it held and what had arrived is lost.
      this.#readableBytes = 0;
      this.#lines.reset();
      this.#send(null, this.#api.answerTo(error));
      return true;
    }
    if (line) this.#answer(this.#messages.read(line));
    return line !== undefined;
  }

  #nextLine(): Line | undefined {
    let line = this.#lines.next();
    while (!line && this.#readableBytes > 0) {
      this.#readableBytes -= this.#lines.feed(this.#readableBytes, this.#fill);
      line = this.#lines.next();
    }
    return line;
  }

  #answer(message: Message): void {
    if (message.kind === "refusal") this.#send(message.id, this.#api.answerTo(message.error));
    else this.#perform(message);
  }

  #perform(message: RequestMessage): void {
    try {
      const answer = complete(this.#api.open(message.request), message.body);
      if (answer instanceof Promise) this.#sendLater(message, answer);
      else this.#sendAnswer(message, answer);
    } catch (error) {
      this.#send(message.id, this.#api.answerTo(error));
    }
  }

  #sendLater(message: RequestMessage, promise: Promise<Answer>): void {
    const host = this.#host;
    this.#isAnswering = true;
    promise
      .catch((error: unknown) => this.#api.answerTo(error))
      .then((answer) => {
        if (host !== this.#host) return abandonAnswer(answer);
        this.#isAnswering = false;
        this.#sendAnswer(message, answer);
        this.#pump();
      });
  }

  #sendAnswer({ id, request }: RequestMessage, answer: Answer): void {
    if (!this.#events.isStarted && answer.status === 200 && isDiscovery(request)) this.#events.start();
    this.#send(id, answer);
  }

  #send(id: number | null, answer: Answer): void {
    if ("stream" in answer) this.#stream(id, answer);
    else this.#writer.send(answerLine(id, answer, this.#base64), answer.onSent);
  }

  /** Sends a long answer. If its stream fails, the line is cut off, and a complete error answer follows. */
  #stream(id: number | null, answer: StreamedAnswer): void {
    const host = this.#host;
    const line = new StreamedLine(id, answer, this.#base64);
    this.#writer.send(line, () => {
      answer.onSent?.();
      if (line.failure !== undefined && host === this.#host) this.#send(id, this.#api.answerTo(line.failure));
    });
  }
}

function isDiscovery({ method, path }: Request): boolean {
  return method === "GET" && DISCOVERY_PATHS.includes(path);
}

function complete(exchange: Exchange, body: Uint8Array | undefined): Answer | Promise<Answer> {
  try {
    if (body) exchange.write(body);
  } catch (error) {
    exchange.abort();
    throw error;
  }
  return exchange.end();
}
