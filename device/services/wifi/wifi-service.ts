/**
 * Joins the configured WiFi network at boot and when it is provisioned, and rejoins it after a loss. `join-phase.ts`
 * makes the decisions; this service carries them out.
 *
 * A scan borrows the radio: it aborts a join in progress, which restarts when the scan ends.
 */
import type { WifiStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Random, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { NetworkInterface } from "../../ports/network.js";
import {
  WIFI_DISCONNECTED,
  WIFI_JOINED,
  WIFI_JOINED_WITHOUT_ADDRESS,
  type Wifi,
  type WifiConstructor,
  type WifiNetwork,
} from "../../ports/wifi.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";
import type { Settings } from "../settings/settings.js";
import { Credentials, checkCredentials } from "./credentials.js";
import {
  advance,
  type Join,
  type JoinEvent,
  type JoinFailure,
  retryDelayMs,
  UNPROVISIONED,
} from "./join-phase.js";
import { type Found, Scan } from "./scan.js";

/**
 * A join that takes longer fails. A slow access point needs 4 s, and a slow DHCP server another 4 s
 * (docs/spec/wifi.md#join-limit).
 */
const JOIN_LIMIT_MS = 20_000;

// Body of `GET /api/wifi`.

/** Message for users, by reason. */
const MESSAGE: Readonly<Record<JoinFailure, string>> = Object.freeze({
  not_found: "No access point of this name answers",
  wrong_password: "The access point did not accept the password",
  refused: "The access point refused the console",
  lost: "The connection to the access point was lost",
  no_address: "The network gave no address",
  timeout: "The access point took too long to answer",
});

function failureMessage(failure: JoinFailure): string {
  return MESSAGE[failure];
}

function wifiStatus(join: Join, { address, rssi }: NetworkInterface): WifiStatus {
  const isJoined = join.phase === "joined";
  return {
    state: join.phase,
    ...(join.phase !== "unprovisioned" && { ssid: join.ssid }),
    ip: isJoined ? address : "",
    rssi: isJoined ? rssi : 0,
    ...lastError(join),
  };
}

function lastError(join: Join): Pick<WifiStatus, "last_error"> {
  if (join.phase !== "joining" && join.phase !== "waiting") return {};
  const { failure } = join;
  return failure ? { last_error: { reason: failure, message: MESSAGE[failure] } } : {};
}

interface WifiServiceOptions {
  readonly Wifi: WifiConstructor;
  readonly network: NetworkInterface;
  readonly settings: Settings;
  readonly timer: Timer;
  readonly random: Random;
  readonly logger: Logger;
}

export class WifiService {
  readonly #options: WifiServiceOptions;
  readonly #credentials: Credentials;
  readonly #wifi: Wifi;
  #join: Join = UNPROVISIONED;
  /** Timer that ends the phase: the limit of joining, or the delay of waiting. */
  #deadline: TimerHandle | undefined;
  #scan: Scan | undefined;
  #joins = 0;
  #holdsRetries = false;
  #onChange: (() => void) | undefined;
  #onLeave: (() => void) | undefined;

  /** Starts to join the stored network, if there is one. */
  constructor(options: WifiServiceOptions) {
    this.#options = options;
    this.#credentials = new Credentials(options.settings, options.Wifi.builtIn);
    this.#wifi = new options.Wifi({ onChanged: () => this.#check() });
    const kept = this.#credentials.read();
    if (kept) this.#advance({ kind: "provision", ssid: kept.SSID });
  }

  status(): WifiStatus {
    return wifiStatus(this.#join, this.#options.network);
  }

  /** How often a network has been joined since boot. */
  get joins(): number {
    return this.#joins;
  }

  /**
   * While set, a network that cannot be joined or is lost is not tried again by itself: each attempt takes the radio
   * from the clients of the console's own access point (docs/spec/setup.md#retries). Cleared, it is tried immediately.
   */
  set holdsRetries(isHeld: boolean) {
    this.#holdsRetries = isHeld;
    if (this.#join.phase !== "waiting") return;
    this.#options.timer.clear(this.#deadline);
    if (!isHeld) this.#advance({ kind: "retry" });
  }

  /**
   * Set the callback for changes of {@link status}, except those of the signal strength. It replaces the previous
   * callback.
   */
  onChange(callback: () => void): void {
    this.#onChange = callback;
  }

  /** Set the callback for the last moment in a network that is left on request. It replaces the previous callback. */
  onLeave(callback: () => void): void {
    this.#onLeave = callback;
  }

  /**
   * Store a network and start to join it, in any phase, even if it is the current one.
   * @throws {Fault} `bad_parameter`, or `storage_full`; nothing has changed then
   */
  provision(ssid: string, password: string): void {
    this.#credentials.write(checkCredentials(ssid, password));
    this.#leave();
    this.#advance({ kind: "provision", ssid });
  }

  /** Leave the network and join none until {@link provision}, not even after a restart. */
  forget(): void {
    this.#credentials.forget();
    this.#leave();
    if (this.#join.phase !== "unprovisioned") this.#advance({ kind: "forget" });
  }

  /**
   * Scan for networks, sorted by signal strength, the strongest first.
   * @throws {Fault} `wifi_busy` while another scan is in progress
   */
  scan(): Promise<Found> {
    if (this.#scan) throw new Fault("wifi_busy", "A scan is in progress");
    if (this.#join.phase === "joining") this.#rest();
    return new Promise((resolve, reject) => {
      try {
        this.#scan = new Scan(this.#wifi, this.#options.timer, (found) => {
          resolve(found);
          this.#endScan();
        });
      } catch (error) {
        reject(new Fault("wifi_busy", "Cannot scan now", { cause: error }));
        this.#endScan();
      }
    });
  }

  /** Switch the radio off. May be called twice. */
  close(): void {
    this.#scan?.close();
    this.#options.timer.clear(this.#deadline);
    this.#wifi.close();
  }

  #leave(): void {
    if (this.#join.phase === "joined") this.#onLeave?.();
  }

  #endScan(): void {
    this.#scan = undefined;
    if (this.#join.phase === "joining") this.#connect();
  }

  /** Converts the radio's state into an event of the current phase. */
  #check(): void {
    const { connection, failure } = this.#wifi;
    const { phase } = this.#join;
    if (phase === "joined" && connection < WIFI_JOINED) this.#fail(failure ?? this.#silence("lost"));
    if (phase !== "joining" || this.#scan) return;
    if (connection === WIFI_JOINED) this.#advance({ kind: "join" });
    else if (connection === WIFI_DISCONNECTED) this.#fail(failure ?? "refused");
  }

  #fail(failure: JoinFailure): void {
    this.#advance({ kind: "fail", failure });
  }

  #advance(event: JoinEvent): void {
    const before = this.#join;
    this.#join = advance(before, event);
    if (event.kind === "join") this.#joins++;
    this.#report(before);
    this.#act(this.#join);
    this.#onChange?.();
  }

  #act(join: Join): void {
    const { random, timer } = this.#options;
    if (join.phase === "joined") timer.clear(this.#deadline);
    else this.#rest();
    if (join.phase === "joining" && !this.#scan) this.#connect();
    if (join.phase === "waiting" && !this.#holdsRetries)
      this.#deadline = timer.set(() => this.#advance({ kind: "retry" }), retryDelayMs(join.failures, random));
  }

  /** Stops the timer and disconnects the radio. */
  #rest(): void {
    this.#options.timer.clear(this.#deadline);
    this.#wifi.disconnect();
  }

  #connect(): void {
    const network = this.#credentials.read();
    if (!network) this.#advance({ kind: "forget" });
    else if (this.#begin(network)) this.#check();
    else this.#fail("refused");
  }

  /** Starts the radio's join. @returns false if the radio refuses */
  #begin(network: WifiNetwork): boolean {
    const { logger, timer } = this.#options;
    try {
      this.#wifi.connect(network);
    } catch (error) {
      logger.debug(`cannot begin to join: ${error}`);
      return false;
    }
    this.#deadline = timer.set(() => this.#fail(this.#silence("timeout")), JOIN_LIMIT_MS);
    return true;
  }

  /** The failure if the radio gives no reason. */
  #silence(otherwise: JoinFailure): JoinFailure {
    return this.#wifi.connection === WIFI_JOINED_WITHOUT_ADDRESS ? "no_address" : otherwise;
  }

  /** Logs the change. Repeated failures of the same kind are logged at debug level. */
  #report(before: Join): void {
    const join = this.#join;
    const { logger } = this.#options;
    if (join.phase === "joined") logger.info(`joined "${join.ssid}"`);
    if (join.phase === "unprovisioned") logger.info("forgot the network");
    if (join.phase !== "waiting") return;
    const isNews = before.phase !== "joining" || before.failure !== join.failure;
    const line = `not joined to "${join.ssid}": ${failureMessage(join.failure)}`;
    if (isNews) logger.warning(`${line}; trying again`);
    else logger.debug(line);
  }
}

// Endpoints of `/api/wifi`, over USB only: the user with the cable owns the console, and a new console has no network.

interface Needed {
  readonly wifi: WifiService;
}

export function showWifi({ wifi }: Needed): JsonAnswer {
  return { status: 200, body: wifi.status() };
}

/** @throws {Fault} `wifi_busy` */
export async function scanWifi({ wifi }: Needed): Promise<JsonAnswer> {
  const { networks, hasMore } = await wifi.scan();
  return { status: 200, body: { networks, ...(hasMore && { more: true as const }) } };
}

/** @throws {Fault} `missing_parameter`, `bad_parameter`, `storage_full` */
export function provisionWifi({ wifi }: Needed, { parameters }: Call): JsonAnswer {
  const ssid = parameters.text("ssid");
  const password = parameters.text("password");
  if (parameters.flag("forget")) {
    if (ssid !== undefined || password !== undefined)
      throw new Fault("bad_parameter", 'Parameter "forget" must be "true", without "ssid" and "password"');
    wifi.forget();
  } else {
    if (ssid === undefined) throw new Fault("missing_parameter", 'Parameter "ssid" is missing');
    wifi.provision(ssid, password ?? "");
  }
  return { status: 200, body: wifi.status() };
}
