/**
 * The functions of the app ABI in a browser, for one app (docs/spec/web-player.md#player-functions). All descriptions of the functions
 * come from the one table, `device/wasm/abi.ts`: this file has for each of them what it does here, or why a browser cannot.
 */

import {
  BUSY,
  INVALID,
  NO_HARDWARE,
  NOT_FOUND,
  NOT_PERMITTED,
  NOT_SUPPORTED,
} from "../../device/services/apps/abi-results.js";
import { ABI_TEXT_LIMIT_BYTES } from "../../device/services/apps/app-data-limits.js";
import {
  COORDINATE_LIMIT,
  DISPLAY_HEIGHT,
  DISPLAY_WIDTH,
  FLIPS,
  hasPart,
  type Point,
  TEXT_SCALE_LIMIT,
} from "./drawing.js";
import type { Font } from "./screen.js";
import { Screen } from "./screen.js";
import { LOG_LINE_BYTES, type SharedMemory } from "./shared-memory.js";
import {
  FULL_VOLUME,
  HIGHEST_HERTZ,
  LONGEST_MS,
  LOWEST_HERTZ,
  SOUND_SHAPES,
  SOUND_VOICES,
  type SoundTone,
} from "./sound-mixer.js";
import { StoredValues } from "./stored-values.js";
import { cleanText } from "./utf8.js";

/** How the app ends itself, through the WebAssembly that called. */
export class AppEnd extends Error {
  /** `undefined` for an app that stopped itself. */
  readonly code: number | undefined;

  constructor(code: number | undefined) {
    super("The app has ended");
    this.code = code;
  }
}

/** A call as the table of the ABI describes it: its numbers, and the ranges of memory in the order of the table. */
interface Call {
  readonly parameters: readonly number[];
  readonly ranges: readonly Uint8Array[];
}

export interface AppHostOptions {
  readonly name: string;
  readonly version: string;
  readonly script: Uint8Array | undefined;
  readonly shared: SharedMemory;
  /** Values of earlier runs (`stored-values.ts`). */
  readonly values: Uint8Array;
  readonly font: Font;
  /** Bytes left of the stack, as {@link StackProbe} finds them. */
  readonly stackLeft: () => number;
}

/** `getRandomValues` takes no more at a time. */
const RANDOM_BYTES = 65_536;

const PINS = 49;
const PIN_PULLED_UP = 1;
const PIN_OUTPUT = 3;

export class AppHost {
  readonly #name: string;
  readonly #version: string;
  readonly #script: Uint8Array | undefined;
  readonly #shared: SharedMemory;
  readonly #screen: Screen;
  readonly #values: StoredValues;
  readonly #stackLeft: () => number;
  readonly #pins = Array.from({ length: PINS }, () => ({ mode: 0, level: 0 }));

  constructor({ name, version, script, shared, values, font, stackLeft }: AppHostOptions) {
    this.#name = name;
    this.#version = version;
    this.#script = script;
    this.#shared = shared;
    this.#screen = new Screen(font);
    this.#values = new StoredValues(values, (encoded) => shared.values.publish(encoded));
    this.#stackLeft = stackLeft;
  }

  /** @param name of a function in the table; the caller has checked capability and ranges */
  call(name: string, call: Call): number {
    this.#shared.waitWhilePaused();
    const handler = HANDLERS[name];
    return handler ? handler(this, call) : (NOT_IN_A_BROWSER[name] ?? NOT_SUPPORTED);
  }

  log(level: number, text: Uint8Array): number {
    if (level < 0 || level > 3) return INVALID;
    this.#shared.log(level, cleanText(text, LOG_LINE_BYTES));
    return 0;
  }

  sleep(milliseconds: number): number {
    if (milliseconds < 0) return INVALID;
    this.#shared.sleep(milliseconds);
    return 0;
  }

  stackLeft(): number {
    return this.#stackLeft();
  }

  scriptSize(): number {
    return this.#script?.length ?? NOT_FOUND;
  }

  scriptRead(offset: number, into: Uint8Array): number {
    if (!this.#script) return NOT_FOUND;
    if (offset < 0) return INVALID;
    const part = this.#script.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  /** Draws if the app is in front. */
  draw(how: (screen: Screen) => void): number {
    if (!this.#shared.isInFront) return BUSY;
    how(this.#screen);
    return 0;
  }

  flush(): number {
    return this.draw(({ pixels }) => this.#shared.pictures.publish(new Uint8Array(pixels.buffer)));
  }

  /** Also of an app that is not in front. */
  clip(x: number, y: number, w: number, h: number): number {
    this.#screen.setClip(x, y, w, h);
    return this.draw(() => {});
  }

  buttons(): number {
    return this.#shared.isInFront ? this.#shared.buttons : 0;
  }

  buttonsPressed(): number {
    return this.#shared.isInFront ? this.#shared.takePressed() : 0;
  }

  buttonsReleased(): number {
    return this.#shared.isInFront ? this.#shared.takeReleased() : 0;
  }

  soundTone(voice: number, tone: SoundTone): number {
    if (voice < 0 || voice >= SOUND_VOICES || !isTone(tone)) return INVALID;
    if (!this.#shared.isInFront) return BUSY;
    this.#shared.sound.setTone(voice, tone);
    return 0;
  }

  soundPlay(samples: Uint8Array): number {
    return this.#shared.isInFront ? this.#shared.sound.addSamples(samples) : BUSY;
  }

  soundStop(): number {
    if (!this.#shared.isInFront) return BUSY;
    this.#shared.sound.stop();
    return 0;
  }

  /** Nothing is wired to the pins, as on the simulated console: an input reads 0, or 1 with a pull-up. */
  pinRead(pin: number): number {
    const found = this.#pins[pin];
    if (!found) return INVALID;
    return found.mode === PIN_OUTPUT ? found.level : Number(found.mode === PIN_PULLED_UP);
  }

  pinMode(pin: number, mode: number): number {
    const found = this.#pins[pin];
    if (!found || mode < 0 || mode > PIN_OUTPUT) return INVALID;
    if (found.mode !== mode) this.#pins[pin] = { mode, level: 0 };
    return 0;
  }

  pinWrite(pin: number, level: number): number {
    const found = this.#pins[pin];
    if (!found || (level !== 0 && level !== 1)) return INVALID;
    if (found.mode !== PIN_OUTPUT) return NOT_PERMITTED;
    found.level = level;
    return 0;
  }

  storageSize(key: Uint8Array): number {
    const text = textOf(key);
    return text === undefined ? INVALID : this.#values.size(text);
  }

  storageRead(key: Uint8Array, offset: number, into: Uint8Array): number {
    const text = textOf(key);
    return text === undefined || offset < 0 ? INVALID : this.#values.read(text, offset, into);
  }

  storageWrite(key: Uint8Array, value: Uint8Array): number {
    const text = textOf(key);
    return text === undefined ? INVALID : this.#values.write(text, value);
  }

  storageWriteAt(key: Uint8Array, offset: number, part: Uint8Array): number {
    const text = textOf(key);
    return text === undefined ? INVALID : this.#values.writeAt(text, offset, part);
  }

  storageList(into: Uint8Array): number {
    return putText(this.#values.keys.map((key) => `${key}\n`).join(""), into);
  }

  storageDelete(key: Uint8Array): number {
    const text = textOf(key);
    return text === undefined ? INVALID : this.#values.delete(text);
  }

  /** There is one app, and it runs. */
  appStart(name: Uint8Array): number {
    const text = textOf(name);
    if (text === undefined) return INVALID;
    return text === this.#name ? BUSY : NOT_FOUND;
  }

  /** @throws {AppEnd} for its own name */
  appStop(name: Uint8Array): number {
    const text = textOf(name);
    if (text === this.#name) throw new AppEnd(undefined);
    return text === undefined ? INVALID : NOT_FOUND;
  }

  appList(into: Uint8Array): number {
    const list = [{ name: this.#name, version: this.#version, state: "running" }];
    return putText(JSON.stringify(list), into);
  }
}

/** Copies as much of a text as fits. @returns the length of all of it */
function putText(text: string, into: Uint8Array): number {
  const bytes = new TextEncoder().encode(text);
  into.set(bytes.subarray(0, into.length));
  return bytes.length;
}

/** @returns `undefined` for text that is too long or not UTF-8 */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > ABI_TEXT_LIMIT_BYTES) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A bus without a device, as that of a simulated console to which nothing is connected. */
function askBus(address: number, length: number): number {
  return address < 8 || address > 119 || length > 256 ? INVALID : NOT_FOUND;
}

function fillRandom(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += RANDOM_BYTES)
    crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES) as Uint8Array<ArrayBuffer>);
}

function isTone({ fromHertz, toHertz, milliseconds, volume, shape }: SoundTone): boolean {
  const isWithin = (value: number, least: number, most: number) => value >= least && value <= most;
  return (
    isWithin(fromHertz, LOWEST_HERTZ, HIGHEST_HERTZ) &&
    isWithin(toHertz, LOWEST_HERTZ, HIGHEST_HERTZ) &&
    isWithin(milliseconds, 0, LONGEST_MS) &&
    isWithin(volume, 0, FULL_VOLUME) &&
    isWithin(shape, 0, SOUND_SHAPES - 1)
  );
}

function isDrawable({ x, y }: Point): boolean {
  return Math.abs(x) <= COORDINATE_LIMIT && Math.abs(y) <= COORDINATE_LIMIT;
}

const COLOUR = 0xffff;

type Handler = (host: AppHost, call: Call) => number;
type Numbers = readonly number[];
type Four = readonly [number, number, number, number];
type Five = readonly [number, number, number, number, number];

function drawText(host: AppHost, { parameters, ranges }: Call, scale: number, colour: number): number {
  const [x = 0, y = 0] = parameters;
  if (scale < 1 || scale > TEXT_SCALE_LIMIT) return INVALID;
  return host.draw((screen) => screen.text(x, y, scale, colour & COLOUR, ranges[0] as Uint8Array));
}

function drawSprite(host: AppHost, { parameters, ranges }: Call): number {
  const [x = 0, y = 0, , sheetWidth = 0, sheetHeight = 0, width = 0, height = 0, number = 0] = parameters;
  const [transparent = 0, flip = 0] = parameters.slice(8);
  const part = { sheetWidth, sheetHeight, width, height, number, transparent, flip };
  if (!hasPart(part) || (flip & ~FLIPS) !== 0) return INVALID;
  return host.draw((screen) => screen.sprite(x, y, { ...part, sheet: ranges[0] as Uint8Array }));
}

function drawLine(host: AppHost, parameters: Numbers): number {
  const [x0, y0, x1, y1, colour] = parameters as Five;
  const [from, to] = [
    { x: x0, y: y0 },
    { x: x1, y: y1 },
  ];
  if (!isDrawable(from) || !isDrawable(to)) return INVALID;
  return host.draw((screen) => screen.line(from, to, colour & COLOUR));
}

function drawCircle(host: AppHost, parameters: Numbers): number {
  const [x, y, radius, colour, isFilled] = parameters as Five;
  if (radius < 0 || radius > COORDINATE_LIMIT || !isDrawable({ x, y })) return INVALID;
  return host.draw((screen) => screen.circle({ x, y }, radius, colour & COLOUR, isFilled !== 0));
}

function drawTriangle(host: AppHost, parameters: Numbers): number {
  const [x0, y0, x1, y1] = parameters as Four;
  const [x2 = 0, y2 = 0, colour = 0] = parameters.slice(4);
  const corners = [
    { x: x0, y: y0 },
    { x: x1, y: y1 },
    { x: x2, y: y2 },
  ] as const;
  if (!corners.every(isDrawable)) return INVALID;
  return host.draw((screen) => screen.triangle(corners, colour & COLOUR));
}

export const HANDLERS: Readonly<Record<string, Handler>> = Object.freeze({
  log: (host, { parameters: [level = 0], ranges: [text] }) => host.log(level, text as Uint8Array),
  uptime_ms: () => Math.floor(performance.now()),
  clock_ms: () => Date.now(),
  clock_offset: () => -new Date().getTimezoneOffset(),
  sleep_ms: (host, { parameters: [milliseconds = 0] }) => host.sleep(milliseconds),
  random: (_host, { ranges: [bytes] }) => {
    fillRandom(bytes as Uint8Array);
    return 0;
  },
  exit: (_host, { parameters: [code = 0] }) => {
    throw new AppEnd(code);
  },
  stack_left: (host) => host.stackLeft(),
  script_size: (host) => host.scriptSize(),
  script_read: (host, { parameters: [, offset = 0], ranges: [into] }) =>
    host.scriptRead(offset, into as Uint8Array),
  display_width: () => DISPLAY_WIDTH,
  display_height: () => DISPLAY_HEIGHT,
  display_fill: (host, { parameters }) => {
    const [x, y, w, h, colour] = parameters as Five;
    return host.draw((screen) => screen.fill(x, y, w, h, colour & COLOUR));
  },
  display_blit: (host, { parameters, ranges: [pixels] }) => {
    const [x, y, w, h] = parameters as Four;
    return host.draw((screen) => screen.blit(x, y, w, h, pixels as Uint8Array));
  },
  display_text: (host, call) => drawText(host, call, 1, call.parameters[2] ?? 0),
  display_large_text: (host, call) => drawText(host, call, call.parameters[2] ?? 0, call.parameters[3] ?? 0),
  display_sprite: drawSprite,
  display_line: (host, { parameters }) => drawLine(host, parameters),
  display_circle: (host, { parameters }) => drawCircle(host, parameters),
  display_triangle: (host, { parameters }) => drawTriangle(host, parameters),
  display_scroll: (host, { parameters: [dx = 0, dy = 0] }) => host.draw((screen) => screen.scroll(dx, dy)),
  display_clip: (host, { parameters }) => host.clip(...(parameters as Four)),
  display_flush: (host) => host.flush(),
  buttons: (host) => host.buttons(),
  buttons_pressed: (host) => host.buttonsPressed(),
  buttons_released: (host) => host.buttonsReleased(),
  sound_tone: (host, { parameters }) => {
    const [voice = 0, fromHertz = 0, toHertz = 0, milliseconds = 0, volume = 0, shape = 0] = parameters;
    return host.soundTone(voice, { fromHertz, toHertz, milliseconds, volume, shape });
  },
  sound_play: (host, { ranges: [samples] }) => host.soundPlay(samples as Uint8Array),
  sound_stop: (host) => host.soundStop(),
  gpio_read: (host, { parameters: [pin = 0] }) => host.pinRead(pin),
  gpio_mode: (host, { parameters: [pin = 0, mode = 0] }) => host.pinMode(pin, mode),
  gpio_write: (host, { parameters: [pin = 0, level = 0] }) => host.pinWrite(pin, level),
  i2c_read: (_host, { parameters: [address = 0, register = 0, , length = 0] }) =>
    register < -1 || register > 255 || length < 1 ? INVALID : askBus(address, length),
  i2c_write: (_host, { parameters: [address = 0, , length = 0] }) => askBus(address, length),
  storage_size: (host, { ranges: [key] }) => host.storageSize(key as Uint8Array),
  storage_read: (host, { parameters: [, , offset = 0], ranges: [key, into] }) =>
    host.storageRead(key as Uint8Array, offset, into as Uint8Array),
  storage_write: (host, { ranges: [key, value] }) =>
    host.storageWrite(key as Uint8Array, value as Uint8Array),
  storage_write_at: (host, { parameters: [, , offset = 0], ranges: [key, part] }) =>
    host.storageWriteAt(key as Uint8Array, offset, part as Uint8Array),
  storage_list: (host, { ranges: [into] }) => host.storageList(into as Uint8Array),
  storage_delete: (host, { ranges: [key] }) => host.storageDelete(key as Uint8Array),
  app_start: (host, { ranges: [name] }) => host.appStart(name as Uint8Array),
  app_stop: (host, { ranges: [name] }) => host.appStop(name as Uint8Array),
  app_list: (host, { ranges: [into] }) => host.appList(into as Uint8Array),
} satisfies Record<string, Handler>);

/**
 * What a browser cannot do, with the result that tells so (docs/spec/web-player.md#not-in-a-browser). Every function of the ABI is
 * in one of the two tables.
 */
export const NOT_IN_A_BROWSER: Readonly<Record<string, number>> = Object.freeze({
  card_size: NO_HARDWARE,
  card_read: NO_HARDWARE,
  card_list: NO_HARDWARE,
  card_write: NO_HARDWARE,
  card_delete: NO_HARDWARE,
  net_connect: NOT_SUPPORTED, // a page opens no TCP connections
  net_send: NOT_FOUND, // so there is none of any handle
  net_receive: NOT_FOUND,
  net_close: NOT_FOUND,
  http_request: NOT_SUPPORTED, // an app in a browser reaches no network
  http_status: NOT_FOUND,
  http_field: NOT_FOUND,
  http_read: NOT_FOUND,
  http_close: NOT_FOUND,
  adc_read: NO_HARDWARE,
  pwm_write: NO_HARDWARE,
  ble_advertise: NO_HARDWARE,
  ble_stop: NO_HARDWARE,
  display_conceal: NOT_SUPPORTED, // of the home screen alone, and no package may ask for its capability
  console_request: NOT_SUPPORTED,
  console_read: NOT_SUPPORTED,
  console_changes: NOT_SUPPORTED,
});
