/**
 * The bus of a hub with several processes: NATS, which stores nothing. Messages within the process bypass it. Without a
 * connection, messages to other processes are dropped, and no caller waits. After a reconnect, listeners are notified
 * of the gap.
 *
 *   connecting --> connected --> (the client reconnects by itself) --> connected, with a gap
 *        ^ after a while |
 *        +---------------+ where the server refuses us
 */
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import {
  type ConnectionOptions,
  connect,
  Events,
  headers,
  JSONCodec,
  type Msg,
  type NatsConnection,
  type PublishOptions,
  type Subscription,
} from "nats";
import {
  type Context,
  carriedContext,
  context,
  receivedContext,
  SpanKind,
  trace,
  tracer,
} from "../tracing/spans.js";
import {
  type Bus,
  type BusMessage,
  type BusSubscription,
  LocalBus,
  readBusMessage,
  type Subject,
} from "./bus.js";

/**
 * Converts `SVC_HUB_NATS_URL` to the options of the NATS client.
 * @param natsUrl `nats://user:password@host:4222`, `nats://token@host`, `tls://…`; several separated by commas
 */
export function natsServers(natsUrl: string): ConnectionOptions {
  const urls = natsUrl.split(",").map((server) => new URL(server.trim()));
  const [first] = urls;
  return {
    servers: urls.map(({ host }) => host),
    ...(first && credentials(first)),
    ...(urls.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
  };
}

function credentials({ username, password }: URL): ConnectionOptions {
  const name = decodeURIComponent(username);
  if (password) return { user: name, pass: decodeURIComponent(password) };
  return name ? { token: name } : {};
}

const RETRY_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;

/** A connection counts as lost after two unanswered pings: a machine that fails does not close it. */
const PING_INTERVAL_MS = 5000;

/** Header fields of a message: they count for the server's limit. */
const CONTEXT_LIMIT_BYTES = 1024;

const codec = JSONCodec<BusMessage>();

interface NatsBusOptions {
  readonly natsUrl: string;
  readonly hubId: string;
  readonly logger: FastifyBaseLogger;
}

interface Listener {
  readonly subject: Subject;
  readonly onMessage: (message: BusMessage) => void;
  remote: Subscription | undefined;
}

export class NatsBus implements Bus {
  readonly #options: NatsBusOptions;
  readonly #local = new LocalBus();
  readonly #listeners = new Set<Listener>();
  readonly #onGap = new Set<() => void>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #connection: NatsConnection | undefined;
  #isConnected = false;

  constructor(options: NatsBusOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  publish(subject: Subject, message: BusMessage): void {
    this.#local.publish(subject, message);
    if (!this.#isConnected) return;
    const span = tracer.startSpan("bus publish", {
      kind: SpanKind.PRODUCER,
      attributes: { "messaging.system": "nats", "svc.message": message.kind },
    });
    try {
      const within = trace.setSpan(context.active(), span);
      this.#connection?.publish(this.#name(subject), this.#encode(message), contextOptions(within));
    } catch (error) {
      this.#options.logger.warn({ err: error }, "a message to the hub's other processes was not sent");
    } finally {
      span.end();
    }
  }

  /** Replaces a list of devices that is too long for a message with a `sweep` of all of them. */
  #encode(message: BusMessage): Uint8Array {
    const bytes = codec.encode(message);
    const limit = this.#connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
    return bytes.length + CONTEXT_LIMIT_BYTES > limit ? codec.encode({ kind: "sweep" }) : bytes;
  }

  subscribe(subject: Subject, onMessage: (message: BusMessage) => void): BusSubscription {
    const local = this.#local.subscribe(subject, onMessage);
    const listener: Listener = { subject, onMessage, remote: undefined };
    this.#listeners.add(listener);
    this.#listen(listener);
    return {
      close: () => {
        local.close();
        this.#listeners.delete(listener);
        if (this.#connection?.isClosed() === false) listener.remote?.unsubscribe();
      },
    };
  }

  onGap(callback: () => void): void {
    this.#onGap.add(callback);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#onGap.clear();
    this.#listeners.clear();
    await this.#local.close();
    if (this.#connection) await this.#running; // an attempt in progress ends by itself
  }

  #name(subject: Subject): string {
    return `svc.hub.${this.#options.hubId}.${subject}`;
  }

  #listen(listener: Listener): void {
    const connection = this.#connection;
    if (!connection || connection.isClosed()) return; // subscribes on the next connection
    listener.remote = connection.subscribe(this.#name(listener.subject), {
      callback: (error, message) => {
        if (!error && this.#listeners.has(listener))
          context.with(contextOf(message), () => this.#deliver(listener, message.data));
      },
    });
  }

  #deliver({ onMessage }: Listener, data: Uint8Array): void {
    let message: BusMessage | undefined;
    try {
      message = readBusMessage(data);
    } catch (error) {
      this.#options.logger.warn({ err: error }, "cannot read a message from the bus");
      return;
    }
    try {
      if (message) onMessage(message);
    } catch (error) {
      // The client ends its connection for an error that leaves the callback.
      this.#options.logger.error({ err: error, kind: message?.kind }, "cannot handle a message from the bus");
    }
  }

  /** Connects again and again until the bus is closed. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let lastError = "";
    while (!signal.aborted) {
      try {
        await this.#connect();
        lastError = "";
      } catch (error) {
        const { message } = error as Error;
        if (message !== lastError && !signal.aborted)
          this.#options.logger.warn({ err: error }, "NATS cannot be reached");
        lastError = message;
      }
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {
        // The bus is being closed: the loop ends.
      });
    }
  }

  /** Resolves when the connection is closed permanently. */
  async #connect(): Promise<void> {
    const connection = await connect(this.#connectionOptions());
    const onClosing = () => void connection.close();
    this.#closing.signal.addEventListener("abort", onClosing);
    try {
      if (this.#closing.signal.aborted) return;
      this.#connection = connection;
      for (const listener of this.#listeners) this.#listen(listener);
      void this.#watchStatus(connection); // its iterator does not end with the connection
      await this.#completeSubscriptions(connection);
      await connection.closed();
    } finally {
      this.#isConnected = false;
      this.#connection = undefined;
      this.#closing.signal.removeEventListener("abort", onClosing);
      await connection.close();
    }
  }

  #connectionOptions(): ConnectionOptions {
    const { natsUrl, hubId } = this.#options;
    return {
      ...natsServers(natsUrl),
      name: `svc-hub ${hubId}`,
      noEcho: true,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RETRY_MS,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: 2,
      ignoreAuthErrorAbort: true,
    };
  }

  async #watchStatus(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) this.#onDisconnected();
      if (type === Events.Reconnect)
        await this.#completeSubscriptions(connection).catch(() => {
          // The connection is lost again; its next event handles that.
        });
    }
  }

  /** Waits until the server has the subscriptions: from then on no message is missed. */
  async #completeSubscriptions(connection: NatsConnection): Promise<void> {
    await connection.flush();
    this.#onConnected();
  }

  #onDisconnected(): void {
    this.#isConnected = false;
    if (!this.#closing.signal.aborted) this.#options.logger.warn("NATS is disconnected");
  }

  #onConnected(): void {
    if (this.#closing.signal.aborted) return;
    this.#isConnected = true;
    this.#options.logger.info("NATS is connected");
    for (const callback of this.#onGap) callback();
  }
}

/** The trace of a message is in its header fields. */
function contextOptions(from: Context): PublishOptions {
  const fields = Object.entries(carriedContext(from));
  if (fields.length === 0) return {};
  const carried = headers();
  for (const [name, value] of fields) carried.set(name, value);
  return { headers: carried };
}

function contextOf({ headers: carried }: Msg): Context {
  return carried ? receivedContext({ traceparent: carried.get("traceparent") }) : context.active();
}

/**
 * Opens the NATS bus if the settings name a server, else the bus within the process.
 * @param hubId separates hubs that share a NATS server
 */
export function openBus(natsUrl: string | undefined, hubId: string, logger: FastifyBaseLogger): Bus {
  return natsUrl === undefined ? new LocalBus() : new NatsBus({ natsUrl, hubId, logger });
}
