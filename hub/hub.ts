/** One process of a hub: creates its parts, starts them in order, and closes them. */
import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { createServer } from "./api/server.js";
import { TokenHasher } from "./auth/tokens.js";
import { openBus } from "./bus/nats-bus.js";
import type { HubConfig } from "./config/read-config.js";
import { ConfigError } from "./config/variables.js";
import type { HubContext } from "./context.js";
import { DatabaseClock } from "./database/database-clock.js";
import { openDatabase, waitForDatabase } from "./database/open-database.js";
import { openFileStore } from "./files/file-store.js";
import { deleteOrphans } from "./files/file-transaction.js";
import { DescriptorWatch } from "./operations/descriptor-watch.js";
import type { WebFile } from "./page/web-page.js";
import { Processes } from "./processes.js";
import { hubServices } from "./services.js";
import { openTracing } from "./tracing/open-tracing.js";

/** Connections that wait to be accepted: all consoles reconnect at once after a restart. */
const BACKLOG = 4096;

/** Time for pending requests to complete once the hub is stopping. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface Hub {
  /** The hub's address on this machine. */
  readonly url: string;
  /** Reports that this process is not ready, and serves until load balancers have noticed. */
  drain(): Promise<void>;
  /** Stops accepting connections, finishes pending work, closes the consoles' channels. May be called twice. */
  close(): Promise<void>;
}

type StartOptions = Required<Pick<HubContext, "config" | "ending" | "logger" | "page">>;

/** Functions that close the open parts, last opened first. */
type Cleanups = (() => Promise<unknown>)[];

/**
 * Starts a process of the hub. The process accepts requests when this resolves.
 * @throws {Error} if a part cannot be opened; then nothing stays open
 */
export async function startHub(
  config: HubConfig,
  logger: FastifyBaseLogger,
  page: readonly WebFile[],
): Promise<Hub> {
  const cleanups: Cleanups = [];
  const ending = new AbortController();
  try {
    const url = await start({ config, ending: ending.signal, logger, page }, cleanups);
    let closed: Promise<void> | undefined;
    return {
      url,
      drain: async () => {
        ending.abort();
        await setTimeout(config.drainMs);
      },
      close: () => {
        ending.abort();
        closed ??= closeAll(cleanups);
        return closed;
      },
    };
  } catch (error) {
    await closeAll(cleanups).catch(() => {
      // The error that prevented the start matters more.
    });
    throw error;
  }
}

async function start(options: StartOptions, cleanups: Cleanups): Promise<string> {
  const { config, logger } = options;
  if (config.traces) cleanups.unshift(await openTracing({ traces: config.traces, logger }));
  const { context, clock } = await openContext(options, cleanups);
  const processes = new Processes(context, clock);
  await processes.start();
  cleanups.unshift(() => processes.close());
  const services = hubServices(context);
  const server = await createServer(services);
  cleanups.unshift(() => services.audit.close()); // after the server, whose last answers it records
  cleanups.unshift(() => services.history.close());
  cleanups.unshift(() => services.catalog.close());
  cleanups.unshift(() => closeServer(server, () => services.push.close()));
  // Before the server, so that who waits for an image is told, and need not wait for it.
  cleanups.unshift(() => services.images.close());
  services.push.attach(server.server);
  services.rollouts.start();
  cleanups.unshift(() => services.rollouts.close());
  services.retention.start();
  cleanups.unshift(() => services.retention.close());
  services.webhookDispatcher.start();
  cleanups.unshift(() => services.webhookDispatcher.close());
  const descriptors = new DescriptorWatch(options.logger);
  descriptors.start();
  cleanups.unshift(() => descriptors.close());
  await listen(server, config);
  return urlOf(config, server.server.address() as AddressInfo);
}

async function openContext(
  { config, ending, logger, page }: StartOptions,
  cleanups: Cleanups,
): Promise<{ readonly context: HubContext; readonly clock: DatabaseClock }> {
  const onLost = (error: Error) => logger.warn({ err: error }, "a connection to the database was lost");
  const { database, dialect, otherWriters, hubId } = await waitForDatabase(
    () => openDatabase(config, onLost),
    logger,
  );
  cleanups.unshift(() => database.destroy());
  const files = await openFileStore(config);
  const bus = openBus(config.natsUrl, hubId, logger);
  cleanups.unshift(() => bus.close());
  const hasher = new TokenHasher(config.secret);
  const processId = randomUUID();
  await deleteOrphans({ database, files, dialect, logger }, hubId);
  const clock = new DatabaseClock(database, dialect);
  return {
    context: {
      config,
      database,
      dialect,
      ending,
      otherWriters,
      files,
      bus,
      hasher,
      logger,
      page,
      processId,
      now: clock.now,
    },
    clock,
  };
}

/** Closes the parts one after the other. A failure does not prevent the rest from closing. */
async function closeAll(cleanups: Cleanups): Promise<void> {
  const errors: unknown[] = [];
  for (const close of cleanups.splice(0)) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, "Cannot stop cleanly");
}

/** The server closes only once its upgraded connections, the push channels, are closed. */
async function closeServer(server: FastifyInstance, closePush: () => Promise<void>): Promise<void> {
  const timer = globalThis.setTimeout(() => server.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  const closed = server.close();
  try {
    await Promise.all([closePush(), closed]);
  } finally {
    clearTimeout(timer);
  }
}

function urlOf({ tls, host }: HubConfig, { address, family, port }: AddressInfo): string {
  const isEvery = address === "::" || address === "0.0.0.0";
  const literal = family === "IPv6" ? `[${address}]` : address;
  const name = isEvery ? "127.0.0.1" : /^[0-9a-f.:]+$/i.test(host) ? literal : host;
  return `${tls ? "https" : "http"}://${name}:${port}`;
}

/**
 * Listens at the address in the settings.
 * @throws {ConfigError} unless the host is an address of this machine
 * @throws {Error} for a port that is in use
 */
async function listen(server: FastifyInstance, { host, port }: HubConfig): Promise<void> {
  try {
    await server.listen({ host, port, backlog: BACKLOG, listenTextResolver: () => "listening" });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EAFNOSUPPORT" && host === "::")
      return listen(server, { host: "0.0.0.0", port } as HubConfig);
    throw listenError(code, host, port, error);
  }
}

function listenError(code: string | undefined, host: string, port: number, cause: unknown): unknown {
  if (code === "EADDRINUSE")
    return new Error(`Cannot listen on port ${port} (SVC_HUB_PORT): it is in use`, { cause });
  if (code === "EACCES")
    return new Error(`Cannot listen on port ${port} (SVC_HUB_PORT): it is not allowed`, { cause });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new ConfigError(`Cannot use SVC_HUB_HOST="${host}": it is not an address of this machine`, {
      cause,
    });
  return cause;
}
