/**
 * A console for one app, in Node: a framebuffer, storage, buttons that a script presses, and a clock that
 * only moves while the app sleeps. An hour of an app's life takes no longer than its computing.
 */
import { ABI } from "../../../device/wasm/abi.js";
import {
  type AppExports,
  customSections,
  type Imports,
  instantiate,
  type WasmMemory,
} from "./web-assembly.js";

export interface AppHostOptions {
  readonly width?: number;
  readonly height?: number;
  /** What the app has stored so far; kept up to date. */
  readonly storage?: Map<string, Uint8Array>;
  /** Results of functions that fail. */
  readonly failing?: Readonly<Record<string, number>>;
  /** Of its random bytes. */
  readonly seed?: number;
}

/** Called after each sleep, when the clock has moved. */
export type Script = (host: AppHost) => void;

/** What ends an app from outside. */
class Stopped extends Error {}

const LETTER_WIDTH = 8;
const LETTER_HEIGHT = 16;

export class AppHost {
  readonly width: number;
  readonly height: number;
  readonly storage: Map<string, Uint8Array>;
  /** Pixels as they were at the last flush. */
  readonly shown: Uint16Array;
  readonly log: { readonly level: number; readonly text: string }[] = [];
  /** Texts in the order of their drawing. */
  readonly texts: string[] = [];
  /** The last rectangle of each size and colour (`WxH colour`): where a thing that moves is. */
  readonly filled = new Map<string, { readonly x: number; readonly y: number }>();
  nowMs = 0;
  /** The time of day when `nowMs` was 0; `undefined` if the console does not know it. */
  startedAtMs: number | undefined;
  utcOffsetMin = 0;
  flushes = 0;
  sleeps = 0;
  stores = 0;
  /** With which the app called `exit`, which returns here. */
  readonly exitCodes: number[] = [];

  /** Of the buttons: those that are down, and those that have gone down since the app asked. */
  #held = 0;
  #pressed = 0;
  readonly #drawn: Uint16Array;
  readonly #failing: Readonly<Record<string, number>>;
  #memory: WasmMemory | undefined;
  #script: Script = () => undefined;
  /** `svc_py_script` of the module. */
  #program: Uint8Array = new Uint8Array();
  #chance: number;

  constructor({
    width = 240,
    height = 320,
    storage = new Map(),
    failing = {},
    seed = 1,
  }: AppHostOptions = {}) {
    this.#chance = seed;
    this.width = width;
    this.height = height;
    this.storage = storage;
    this.shown = new Uint16Array(width * height);
    this.#drawn = new Uint16Array(width * height);
    this.#failing = failing;
  }

  /** Runs the app to its end. @returns its exit code, or `"stopped"` where the script called {@link stop} */
  run(module: Uint8Array, script: Script): number | "stopped" {
    this.#script = script;
    try {
      return this.load(module).main();
    } catch (error) {
      if (error instanceof Stopped) return "stopped";
      throw error;
    }
  }

  /** What the app exports, with nothing of it run but its start function. */
  load(module: Uint8Array): AppExports {
    this.#program = customSections(module, "svc_py_script")[0] ?? new Uint8Array();
    const exported = instantiate(module, this.#imports());
    this.#memory = exported.memory;
    return exported;
  }

  /** Bits of the buttons that are down. */
  get held(): number {
    return this.#held;
  }

  set held(bits: number) {
    this.#pressed |= bits & ~this.#held;
    this.#held = bits;
  }

  #takePressed(): number {
    const pressed = this.#pressed;
    this.#pressed = 0;
    return pressed;
  }

  /** Ends the app; called by its script. */
  stop(): never {
    throw new Stopped();
  }

  pixel(x: number, y: number): number | undefined {
    return this.shown[y * this.width + x];
  }

  /** The newest text that begins so. */
  lastText(start: string): string | undefined {
    return this.texts.filter((text) => text.startsWith(start)).at(-1);
  }

  #imports(): Imports {
    const functions: Record<string, (...args: number[]) => number | bigint> = {
      log: (level = 0, at = 0, length = 0) => this.log.push({ level, text: this.#text(at, length) }),
      uptime_ms: () => BigInt(this.nowMs),
      clock_ms: () => BigInt(this.startedAtMs === undefined ? -16 : this.startedAtMs + this.nowMs),
      clock_offset: () => this.utcOffsetMin,
      sleep_ms: (ms = 0) => this.#sleep(ms),
      random: (at = 0, length = 0) => this.#random(at, length),
      exit: (code = 0) => this.exitCodes.push(code),
      stack_left: () => 32_768,
      script_size: () => this.#program.length,
      script_read: (at = 0, offset = 0, length = 0) => this.#readProgram(offset, this.#bytes(at, length)),
      display_width: () => this.width,
      display_height: () => this.height,
      display_fill: (x = 0, y = 0, w = 0, h = 0, colour = 0) => this.#fill(x, y, w, h, colour),
      display_text: (x = 0, y = 0, colour = 0, at = 0, length = 0) => this.#draw(x, y, colour, at, length),
      display_large_text: (x = 0, y = 0, _scale = 0, colour = 0, at = 0, length = 0) =>
        this.#draw(x, y, colour, at, length),
      display_flush: () => this.#flush(),
      buttons: () => this.held,
      buttons_pressed: () => this.#takePressed(),
      storage_size: (key = 0, length = 0) => this.storage.get(this.#text(key, length))?.length ?? -2,
      storage_read: (key = 0, keyLength = 0, offset = 0, at = 0, length = 0) =>
        this.#read(this.#text(key, keyLength), offset, this.#bytes(at, length)),
      storage_write: (key = 0, keyLength = 0, at = 0, length = 0) =>
        this.#store(this.#text(key, keyLength), this.#bytes(at, length).slice()),
    };
    const entries = ABI.map(({ name }) => [name, () => this.#failing[name] ?? -38] as const);
    return { svc: { ...Object.fromEntries(entries), ...functions, ...this.#failures() } };
  }

  #failures(): Record<string, () => number> {
    return Object.fromEntries(Object.entries(this.#failing).map(([name, result]) => [name, () => result]));
  }

  #bytes(at: number, length: number): Uint8Array {
    const buffer = this.#memory?.buffer;
    if (!buffer) throw new Error("The app calls before it is there");
    return new Uint8Array(buffer, at, length); // throws a RangeError out of bounds
  }

  #text(at: number, length: number): string {
    return new TextDecoder("utf-8", { fatal: true }).decode(this.#bytes(at, length));
  }

  #sleep(ms: number): number {
    this.nowMs += ms;
    this.sleeps++;
    this.#script(this);
    return 0;
  }

  /** The same in every run: a linear congruential generator. */
  #random(at: number, length: number): number {
    const bytes = this.#bytes(at, length);
    for (let i = 0; i < length; i++) {
      this.#chance = (Math.imul(this.#chance, 1103515245) + 12345) & 0x7fffffff;
      bytes[i] = this.#chance >> 16;
    }
    return 0;
  }

  #readProgram(offset: number, into: Uint8Array): number {
    const part = this.#program.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  #fill(x: number, y: number, w: number, h: number, colour: number): number {
    this.filled.set(`${w}x${h} ${colour}`, { x, y });
    const left = Math.max(x, 0);
    const right = Math.min(x + w, this.width);
    for (let row = Math.max(y, 0); row < Math.min(y + h, this.height); row++)
      if (right > left) this.#drawn.fill(colour, row * this.width + left, row * this.width + right);
    return 0;
  }

  /** No real font: the shape of a letter depends on its code. */
  #draw(x: number, y: number, colour: number, at: number, length: number): number {
    const text = this.#text(at, length);
    this.texts.push(text);
    for (let i = 0; i < text.length * LETTER_WIDTH * LETTER_HEIGHT; i++) {
      const column = x + (i % (text.length * LETTER_WIDTH));
      const row = y + Math.floor(i / (text.length * LETTER_WIDTH));
      const code = text.charCodeAt(Math.floor((column - x) / LETTER_WIDTH)) - 32;
      const isSet = ((code >> (row % 6)) & 1) === 1;
      if (isSet && column < this.width && row < this.height) this.#drawn[row * this.width + column] = colour;
    }
    return 0;
  }

  #flush(): number {
    this.shown.set(this.#drawn);
    this.flushes++;
    return 0;
  }

  #read(key: string, offset: number, into: Uint8Array): number {
    const value = this.storage.get(key);
    if (!value) return -2;
    const part = value.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  #store(key: string, value: Uint8Array): number {
    this.storage.set(key, value);
    this.stores++;
    return 0;
  }
}
