/**
 * The time of day, which a console has from others (docs/spec/clock.md): its host, a time server, or a web server.
 *
 *   no network --joined--> time server --answer--> known --a day later--+
 *        ^                   |  ^   3 times, no answer                  |
 *        |                   v  |                                       |
 *       left             web server --answer--> known                   |
 *                            |                                          |
 *                         waiting, up to an hour --> time server <------+
 */
import type { HeadRequest } from "../../../hub-client/head-request.js";
import type { HubClientPorts } from "../../../hub-client/ports.js";
import type { Fields } from "../../../protocol/http/fields.js";
import type { TimerHandle } from "../../../protocol/ports/runtime.js";
import type { NetworkInterface } from "../../ports/network.js";
import type { Udp, UdpSocket } from "../../ports/udp.js";
import { HEAP_NEEDS } from "../heap/heap-admission.js";
import type { LogService } from "../logs/log-service.js";
import type { Preferences } from "../preferences/preferences.js";
import { HUB_URL_SETTING, type Settings } from "../settings/settings.js";
import { EARLIEST_TIME_MS } from "./host-time.js";
import { readHttpDate } from "./http-date.js";
import { NONCE_BYTES, readSntpAnswer, SNTP_PORT, sntpRequest } from "./sntp.js";

/** How long a server has to answer. */
const ANSWER_LIMIT_MS = 3000;
/** Requests to the time server before a web server is asked. */
const TRIES = 3;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;
/** Until the time is asked for again: crystals of boards are wrong by some seconds a day. */
const KEPT_MS = 24 * 3_600_000;
/** An HTTP date has whole seconds. */
const HALF_SECOND_MS = 500;
/** As the name of the server: the time is only what the host's own clock says. */
const NO_SERVER = "off";
/** Where neither the host nor its configuration has anything to say. */
const SERVER_FOR_EVERYBODY = "pool.ntp.org";
const WEB_SERVER_FOR_EVERYBODY = "www.pool.ntp.org";

export type TimeSource = "host" | "sntp" | "http";

export interface WallClockOptions {
  /** Of the console as a client. */
  readonly ports: HubClientPorts;
  readonly Udp: Udp;
  readonly network: Pick<NetworkInterface, "address">;
  readonly log: Pick<LogService, "write">;
  /** Where the address of the hub is, which is asked where no time server answers. */
  readonly settings: Pick<Settings, "read">;
  readonly preferences: Pick<Preferences, "utcOffsetMin">;
  /**
   * `CONFIG_SVC_TIME_SERVER`: a name or an address, with `:` and a port if it is not the usual one; empty: the host's own clock,
   * or a server for everybody where the host has none; {@link NO_SERVER}: none is asked.
   */
  readonly server: string;
  /** The time of the host's own clock; `undefined` if it has none. */
  hostTimeMs(): number | undefined;
  readonly Head: new (
    ports: HubClientPorts,
    url: string,
    onFields: (fields: Fields | undefined) => void,
  ) => Pick<HeadRequest, "close">;
}

interface Known {
  /** Milliseconds since 1970 at the console's start. */
  readonly startMs: number;
  readonly source: TimeSource;
}

export class WallClock {
  readonly #options: WallClockOptions;
  #known: Known | undefined;
  #tries = 0;
  #waitMs = FIRST_WAIT_MS;
  /** Set whenever there is a network: of a question, or until the next one. */
  #timeout: TimerHandle | undefined;
  /** What waits for an answer. */
  #question: { close(): void } | undefined;

  constructor(options: WallClockOptions) {
    this.#options = options;
  }

  /** Milliseconds since 1970, UTC; `undefined` until a server has told. */
  get nowMs(): number | undefined {
    const { ports, hostTimeMs, server } = this.#options;
    if (this.#known) return this.#known.startMs + ports.clock.uptimeMs();
    return server === "" ? hostTimeMs() : undefined;
  }

  /** Minutes by which local time is ahead of UTC. */
  get utcOffsetMin(): number {
    return this.#options.preferences.utcOffsetMin;
  }

  get source(): TimeSource | undefined {
    return this.#known?.source ?? (this.nowMs === undefined ? undefined : "host");
  }

  /** To be called at the start, and whenever the console has joined or left a network. */
  networkChanged(): void {
    const { network, server } = this.#options;
    if (server === NO_SERVER || this.source === "host") return;
    if (network.address === "") this.#end();
    else if (this.#timeout === undefined) this.#begin();
  }

  close(): void {
    this.#end();
  }

  #end(): void {
    this.#options.ports.timer.clear(this.#timeout);
    this.#timeout = undefined;
    this.#question?.close();
    this.#question = undefined;
  }

  #after(milliseconds: number, work: () => void): void {
    this.#end();
    this.#timeout = this.#options.ports.timer.set(work, milliseconds);
  }

  #begin(): void {
    this.#tries = 0;
    this.#askServer();
  }

  #askServer(): void {
    this.#tries++;
    this.#after(ANSWER_LIMIT_MS, () => this.#failed());
    const { resolver } = this.#options.ports;
    const [name, port] = serverOf(this.#options.server || SERVER_FOR_EVERYBODY);
    const attempt = this.#timeout;
    try {
      resolver.resolve(name, (_, address) => {
        if (attempt !== this.#timeout) return; // it took too long
        if (address === undefined) this.#failed();
        else this.#send(address, port);
      });
    } catch {
      this.#failed(); // not a name
    }
  }

  #send(address: string, port: number): void {
    const { Udp, ports } = this.#options;
    const nonce = new Uint8Array(NONCE_BYTES);
    ports.random.getRandomValues(nonce);
    const sentMs = ports.clock.uptimeMs();
    try {
      const socket = new Udp({
        port: 0,
        onReadable: () => this.#receive(socket, address, port, nonce, sentMs),
      });
      this.#question = socket;
      socket.write(sntpRequest(nonce), address, port);
    } catch {
      this.#failed(); // no socket is left, or no way to an address of that kind
    }
  }

  #receive(socket: UdpSocket, address: string, port: number, nonce: Uint8Array, sentMs: number): void {
    for (let datagram = socket.read(); datagram; datagram = socket.read()) {
      if (datagram.address !== address || datagram.port !== port) continue;
      const timeMs = readSntpAnswer(new Uint8Array(datagram), nonce);
      if (timeMs === undefined) continue;
      const waitedMs = this.#options.ports.clock.uptimeMs() - sentMs;
      if (timeMs === "refused" || timeMs < EARLIEST_TIME_MS) this.#refused();
      else this.#learn(timeMs + Math.floor(waitedMs / 2), "sntp");
      return;
    }
  }

  /** The server is not asked again for a long time. */
  #refused(): void {
    this.#waitMs = LONGEST_WAIT_MS;
    this.#askWeb();
  }

  #failed(): void {
    if (this.#tries < TRIES) this.#askServer();
    else this.#askWeb();
  }

  #askWeb(): void {
    this.#after(ANSWER_LIMIT_MS, () => this.#giveUp());
    const attempt = this.#timeout;
    const { Head, ports, settings, server } = this.#options;
    if (ports.hasRoom?.(HEAP_NEEDS.appRequest) === false) {
      this.#giveUp();
      return;
    }
    const hub = settings.read(HUB_URL_SETTING);
    const url = hub || `http://${server === "" ? WEB_SERVER_FOR_EVERYBODY : serverOf(server)[0]}/`;
    try {
      this.#question = new Head(ports, url, (fields) => {
        if (attempt !== this.#timeout) return;
        const timeMs = dateOf(fields);
        if (timeMs === undefined || timeMs < EARLIEST_TIME_MS) this.#giveUp();
        else this.#learn(timeMs + HALF_SECOND_MS, "http");
      });
    } catch {
      this.#giveUp(); // the time server's address is no web server's
    }
  }

  #giveUp(): void {
    this.#after(this.#waitMs, () => this.#begin());
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
  }

  #learn(timeMs: number, source: TimeSource): void {
    const { ports, log } = this.#options;
    const isFirst = this.#known === undefined;
    this.#known = { startMs: timeMs - ports.clock.uptimeMs(), source };
    this.#waitMs = FIRST_WAIT_MS;
    if (isFirst) log.write("info", "clock", `it is ${new Date(timeMs).toISOString()}, by ${source}`);
    this.#after(KEPT_MS, () => this.#begin());
  }
}

function dateOf(fields: Fields | undefined): number | undefined {
  try {
    return readHttpDate(fields?.single("date") ?? "");
  } catch {
    return undefined; // occurs twice, or is long
  }
}

const PORT = /^(.+):([0-9]{1,5})$/;

function serverOf(text: string): [name: string, port: number] {
  const match = PORT.exec(text);
  return match ? [match[1] as string, Number(match[2])] : [text, SNTP_PORT];
}
