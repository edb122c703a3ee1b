/** `svc/wifi`: there is no radio, so that no network is found, and none can be joined. */
import type { WifiConnection, Wifi as WifiPort, WifiScanOptions } from "../../../../device/ports/wifi.js";

const DISCONNECTED: WifiConnection = 200;

export default class Wifi implements WifiPort {
  readonly connection = DISCONNECTED;
  readonly failure = undefined;

  connect(): void {
    throw new Error("This board has no radio");
  }
  disconnect(): void {}
  scan({ onComplete }: WifiScanOptions): void {
    Promise.resolve().then(onComplete);
  }
  close(): void {}
}
