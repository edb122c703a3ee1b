/**
 * The Wi-Fi port in memory. Tests add and remove access points, and joins and scans take time on the test's timer. A
 * join of a `silent` access point never reports a result, since services must not rely on one.
 */
import type { NetworkInterface } from "../../device/ports/network.js";
import type {
  Wifi,
  WifiConnection,
  WifiConstructor,
  WifiFailure,
  WifiNetwork,
  WifiScanOptions,
} from "../../device/ports/wifi.js";
import type { Timer, TimerHandle } from "../../protocol/ports/runtime.js";

export interface EmulatedAccessPoint {
  readonly SSID: string;
  readonly password?: string;
  readonly RSSI?: number;
  readonly channel?: number;
  /** Result of a join other than that of the password check. */
  readonly ending?: "refused" | "silent" | "no_address" | "at_once";
}

const JOIN_MS = 100;
const SCAN_MS = 2000;

/** The access points in reach of one console, and the network interface of its current connection. */
export class EmulatedAir implements NetworkInterface {
  readonly points: EmulatedAccessPoint[];
  /** Networks of every `connect` call, in order. */
  readonly attempts: WifiNetwork[] = [];
  readonly timer: Timer;
  /** The active radio, if any. */
  radio: EmulatedRadio | undefined;

  constructor(timer: Timer, points: readonly EmulatedAccessPoint[] = []) {
    this.timer = timer;
    this.points = [...points];
  }

  /** Returns the port of a console with the built-in network `builtIn`, or without one. */
  wifi(builtIn?: WifiNetwork): WifiConstructor {
    const air = this;
    return class extends EmulatedRadio {
      static readonly builtIn = builtIn;
      constructor({ onChanged }: { readonly onChanged: () => void }) {
        super(air, onChanged);
      }
    };
  }

  get address(): string {
    return this.radio?.connection === 500 ? "192.0.2.7" : "";
  }

  get rssi(): number {
    return this.radio?.connection === 500 ? -50 : 0;
  }

  /** Switches off every access point with this name. */
  remove(name: string): void {
    this.points.splice(0, this.points.length, ...this.points.filter(({ SSID }) => SSID !== name));
    this.radio?.lose(name);
  }
}

class EmulatedRadio implements Wifi {
  readonly #air: EmulatedAir;
  readonly #onChanged: () => void;
  #step: TimerHandle | undefined;
  #scan: TimerHandle | undefined;
  #network: WifiNetwork | undefined;
  #connection: WifiConnection = 200;
  #failure: WifiFailure | undefined;

  constructor(air: EmulatedAir, onChanged: () => void) {
    if (air.radio) throw new Error("The radio is switched on already");
    if (typeof onChanged !== "function") throw new TypeError("A radio needs a function");
    this.#air = air;
    this.#onChanged = onChanged;
    air.radio = this;
  }

  get connection(): WifiConnection {
    return this.#connection;
  }

  get failure(): WifiFailure | undefined {
    return this.#failure;
  }

  connect(network: WifiNetwork): void {
    if (this.#scan || this.#connection !== 200) throw new Error("The radio is busy");
    if (network.SSID === "" || Buffer.byteLength(network.SSID) > 32) throw new RangeError("No name");
    this.#air.attempts.push(network);
    this.#network = network;
    this.#failure = undefined;
    const point = this.#air.points.find(({ SSID }) => SSID === network.SSID);
    const isThere = point?.ending === "at_once";
    this.#connection = isThere ? 500 : 300;
    if (point?.ending === "silent") return;
    this.#step = this.#air.timer.set(
      () => (isThere ? this.#onChanged() : this.#settle(point)),
      isThere ? 0 : JOIN_MS,
    );
  }

  disconnect(): void {
    this.#air.timer.clear(this.#step);
    this.#connection = 200;
    this.#failure = undefined;
  }

  scan({ onFound, onComplete }: WifiScanOptions): void {
    if (this.#scan || this.#connection === 300) throw new Error("The radio is busy");
    this.#scan = this.#air.timer.set(() => {
      this.#scan = undefined;
      for (const { SSID, RSSI = -50, channel = 1, password } of this.#air.points)
        onFound({ SSID, RSSI, channel, security: password === undefined ? "none" : "wpa2_psk" });
      onComplete();
    }, SCAN_MS);
  }

  close(): void {
    this.disconnect();
    this.#air.timer.clear(this.#scan);
    if (this.#air.radio === this) this.#air.radio = undefined;
  }

  lose(SSID: string): void {
    if (this.#connection === 500 && this.#network?.SSID === SSID) this.#end("lost");
  }

  /** Simulates that the network withdraws the address. */
  expire(): void {
    this.#connection = 400;
    this.#onChanged();
  }

  #settle(point: EmulatedAccessPoint | undefined): void {
    if (!point) this.#end("not_found");
    else if (point.ending === "refused") this.#end("refused");
    else if (point.password !== this.#network?.password) this.#end("wrong_password");
    else {
      this.#connection = point.ending === "no_address" ? 400 : 500;
      this.#onChanged();
    }
  }

  #end(failure: WifiFailure): void {
    this.#connection = 200;
    this.#failure = failure;
    this.#onChanged();
  }
}
