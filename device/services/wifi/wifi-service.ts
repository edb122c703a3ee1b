/**
 * Keeps the console in its WiFi network: joins the configured network, at boot too, and rejoins when the network was
 * lost. `join-phase.ts` decides, and this acts on it.
 *
 * A scan borrows the radio: it aborts a join in progress, which restarts when the scan ends.
 */
import type { WifiStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Random } from "../../../protocol/ports/bytes.js";
import type { Timer, TimerHandle } from "../../../protocol/ports/timer.js";
import type { NetworkInterface } from "../../ports/network.js";
import {
  WIFI_DISCONNECTED,
  WIFI_JOINED,
  WIFI_JOINED_WITHOUT_ADDRESS,
  type Wifi,
  type WifiConstructor,
  type WifiNetwork,
} from "../../ports/wifi.js";
import type { Logger } from "../logs/log.js";
import type { Settings } from "../settings/settings.js";
import { Credentials, checkCredentials } from "./credentials.js";
import type { FoundNetwork } from "./found-networks.js";
import { advance, type Join, type JoinEvent, type JoinFailure, UNPROVISIONED } from "./join-phase.js";
import { JOIN_LIMIT_MS } from "./limits.js";
import { retryDelayMs } from "./retry-delay.js";
import { Scan } from "./scan.js";
import { failureMessage, wifiStatus } from "./wifi-status.js";

export interface WifiServiceOptions {
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
  /** What ends the phase: the time that joining may take, or until it is tried again. */
  #deadline: TimerHandle | undefined;
  #scan: Scan | undefined;
  #onChange: (() => void) | undefined;

  /** Begins to join the network that is kept, if any. */
  constructor(options: WifiServiceOptions) {
    this.#options = options;
    this.#credentials = new Credentials(options.settings, options.Wifi.builtIn);
    this.#wifi = new options.Wifi({ onChanged: () => this.#look() });
    const kept = this.#credentials.read();
    if (kept) this.#advance({ kind: "provision", ssid: kept.SSID });
  }

  status(): WifiStatus {
    return wifiStatus(this.#join, this.#options.network);
  }

  /**
   * Calls back after each change of {@link status} but that of the signal's strength; the last callback set is
   * the one called.
   */
  onChange(callback: () => void): void {
    this.#onChange = callback;
  }

  /**
   * Stores this network and begins to join it, from any state; also where it is the same one.
   * @throws {Fault} `bad_parameter`, or `storage_full`: then nothing has changed
   */
  provision(ssid: string, password: string): void {
    this.#credentials.write(checkCredentials(ssid, password));
    this.#advance({ kind: "provision", ssid });
  }

  /** Leaves the network, and joins none until {@link provision}, not even after a restart. */
  forget(): void {
    this.#credentials.forget();
    if (this.#join.phase !== "unprovisioned") this.#advance({ kind: "forget" });
  }

  /**
   * The networks around, the strongest first.
   * @throws {Fault} `wifi_busy` while another scan is under way
   */
  scan(): Promise<readonly FoundNetwork[]> {
    if (this.#scan) throw new Fault("wifi_busy", "A scan is under way already");
    if (this.#join.phase === "joining") this.#rest();
    return new Promise((resolve, reject) => {
      try {
        this.#scan = new Scan(this.#wifi, this.#options.timer, (networks) => {
          resolve(networks);
          this.#endScan();
        });
      } catch (error) {
        reject(new Fault("wifi_busy", "Cannot scan now", { cause: error }));
        this.#endScan();
      }
    });
  }

  /** Switches the radio off. May be called twice. */
  close(): void {
    this.#scan?.close();
    this.#options.timer.clear(this.#deadline);
    this.#wifi.close();
  }

  #endScan(): void {
    this.#scan = undefined;
    if (this.#join.phase === "joining") this.#connect();
  }

  /** What the radio does, as an event of the phase that it concerns. */
  #look(): void {
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
    this.#tell(before);
    this.#act(this.#join);
    this.#onChange?.();
  }

  #act(join: Join): void {
    const { random, timer } = this.#options;
    if (join.phase === "joined") timer.clear(this.#deadline);
    else this.#rest();
    if (join.phase === "joining" && !this.#scan) this.#connect();
    if (join.phase === "waiting")
      this.#deadline = timer.set(() => this.#advance({ kind: "retry" }), retryDelayMs(join.failures, random));
  }

  /** Neither joined nor joining. */
  #rest(): void {
    this.#options.timer.clear(this.#deadline);
    this.#wifi.disconnect();
  }

  #connect(): void {
    const network = this.#credentials.read();
    if (!network) this.#advance({ kind: "forget" });
    else if (this.#begin(network)) this.#look();
    else this.#fail("refused");
  }

  /** Whether the radio has taken to it. */
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

  /** What is wrong where the radio does not say. */
  #silence(otherwise: JoinFailure): JoinFailure {
    return this.#wifi.connection === WIFI_JOINED_WITHOUT_ADDRESS ? "no_address" : otherwise;
  }

  /** A line for what is news: of the same failure again and again, the first is. */
  #tell(before: Join): void {
    const join = this.#join;
    const { logger } = this.#options;
    if (join.phase === "joined") logger.info(`joined "${join.ssid}"`);
    if (join.phase === "unprovisioned") logger.info("the network was forgotten");
    if (join.phase !== "waiting") return;
    const isNews = before.phase !== "joining" || before.failure !== join.failure;
    const line = `not joined to "${join.ssid}": ${failureMessage(join.failure)}`;
    if (isNews) logger.warning(`${line}; trying again`);
    else logger.debug(line);
  }
}
