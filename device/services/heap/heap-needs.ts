/**
 * The most that each kind of work needs of the management VM's heap, in bytes of a board (slots of 16 bytes). Measured
 * by host-tests/device/heap/worst-cases.test.ts, which fails where one of them needs more; docs/adr/0019 has the table
 * (docs/spec/memory.md#admission).
 */
export const HEAP_NEEDS = Object.freeze({
  /** A connection of HTTP, from accepting it on. */
  httpConnection: 3 * 1024,
  /** A connection to the WebSocket, from accepting it to watching the log. */
  viewer: 6 * 1024,
  /** Each byte of a head of HTTP that is a long one: its text, its target, and what is decoded of that. */
  longHeadByte: 7,
  /** A request of HTTP or USB from its head to its answer: the shell's list of 24 apps, and a head of sixty fields. */
  request: 12 * 1024,
  /** An app from its first byte to being installed: signature, package, module. */
  install: 34 * 1024,
  /** Firmware from its first byte to being staged. */
  firmware: 20 * 1024,
  /** An installed app: what its files are called. Nothing is asked for it, since there are 24 at the most. */
  installedApp: 307,
  /** A running app. What it asks of services is over with its turn, and lives on the reserve. */
  runningApp: 3 * 1024,
  /** A connection of an app, and what one that is waited on holds for what comes. */
  appConnection: 2560,
  /** The connection to the hub, from registering on. */
  hubLink: 16 * 1024,
  /** A message of multicast DNS beside its own bytes, which are there when it is asked for and live on the reserve. */
  datagram: 4 * 1024,
});

/**
 * Never given away: what goes on without asking, one turn of it at a time (a message of the hub, a line of a log, a
 * timer), and whatever a turn of admitted work leaves as garbage before the collector runs
 * (docs/spec/memory.md#admission).
 */
export const HEAP_RESERVE_BYTES = 10 * 1024;

/** Retry delay for a client that is refused for want of memory. */
export const HEAP_RETRY_AFTER_S = 1;
