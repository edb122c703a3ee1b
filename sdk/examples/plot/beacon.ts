/** Tells the newest value to every Bluetooth receiver in range: it is the name that the console advertises. */
import { bleAdvertise, bleStop, uptimeMs } from "svc";

/** A receiver listens no more often. */
const PACE_MS = 1000;

export class Beacon {
  isOn: bool = false;
  /** Of the last call: below 0 if nothing is told. */
  result: i32 = 0;
  private nextMs: i64 = 0;

  toggle(): void {
    this.isOn = !this.isOn;
    this.nextMs = 0;
    this.result = 0;
    if (!this.isOn) bleStop();
  }

  tell(text: string): void {
    if (!this.isOn || uptimeMs() < this.nextMs) return;
    this.nextMs = uptimeMs() + PACE_MS;
    this.result = bleAdvertise(text);
  }

  get text(): string {
    if (!this.isOn) return "";
    return this.result < 0 ? `  no radio (${this.result})` : "  on air";
  }
}
