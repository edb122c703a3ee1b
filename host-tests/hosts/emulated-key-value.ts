/** The key-value port in memory, with the limits of NVS. Each change is one operation, atomic at a power cut. */
import type { KeyValueDomain, KeyValueStorage } from "../../device/ports/key-value.js";
import type { EmulatedPower } from "./emulated-power.js";

const MAXIMUM_NAME_BYTES = 15;
const MAXIMUM_VALUE_BYTES = 3999;

export class EmulatedKeyValue implements KeyValueStorage {
  readonly #power: EmulatedPower;
  readonly #domains = new Map<string, Map<string, string>>();

  constructor(power: EmulatedPower) {
    this.#power = power;
  }

  open({ path, format }: { readonly path: string; readonly format: "string" }): KeyValueDomain {
    this.#power.require(this.#power.run);
    if (format !== "string") throw new RangeError(`Cannot store the format "${format}"`);
    requireName(path);
    const pairs = this.#domains.get(path) ?? new Map<string, string>();
    this.#domains.set(path, pairs);
    return new EmulatedDomain(this.#power, pairs);
  }
}

class EmulatedDomain implements KeyValueDomain {
  readonly #power: EmulatedPower;
  readonly #run: number;
  #pairs: Map<string, string> | undefined;

  constructor(power: EmulatedPower, pairs: Map<string, string>) {
    this.#power = power;
    this.#run = power.run;
    this.#pairs = pairs;
  }

  read(key: string): string | undefined {
    requireName(key);
    return this.#open().get(key);
  }

  write(key: string, value: string): void {
    requireName(key);
    const pairs = this.#open();
    if (typeof value !== "string") throw new TypeError("A value is a string");
    if (Buffer.byteLength(value) > MAXIMUM_VALUE_BYTES)
      throw new RangeError(`A value has at most ${MAXIMUM_VALUE_BYTES} bytes`);
    this.#power.count();
    pairs.set(key, value);
  }

  delete(key: string): void {
    requireName(key);
    const pairs = this.#open();
    if (!pairs.has(key)) return;
    this.#power.count();
    pairs.delete(key);
  }

  close(): void {
    this.#pairs = undefined;
  }

  #open(): Map<string, string> {
    this.#power.require(this.#run);
    if (!this.#pairs) throw new Error("Cannot use a closed domain");
    return this.#pairs;
  }
}

function requireName(name: string): void {
  const length = Buffer.byteLength(name);
  if (length === 0 || length > MAXIMUM_NAME_BYTES)
    throw new RangeError(`Key and path have 1 to ${MAXIMUM_NAME_BYTES} characters each`);
}
