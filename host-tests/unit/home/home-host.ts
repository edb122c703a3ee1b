/**
 * Runs the home screen in Node, on a model of a console: a display with the console's own font, buttons that a script
 * presses, and a clock that only moves while the app sleeps.
 */
import { BUTTONS } from "../../../device/wasm/abi.js";
import { contrast, rgbOf } from "../../hosts/colours.js";
import { FIRST_LETTER, GLYPHS, LETTER_HEIGHT, LETTER_WIDTH } from "../../hosts/console-font.js";
import { type AppExports, type Imports, instantiate, type WasmMemory } from "../sdk/web-assembly.js";
import type { ConsoleModel } from "./console-model.js";

export const WIDTH = 240;
export const HEIGHT = 320;

export type ButtonName = (typeof BUTTONS)[number];

/** Yields for how long it waits, in milliseconds; the app is stopped when it returns. */
export type Script = Generator<number, void, void>;

class Stopped extends Error {}

const BUSY = -16;
/** Longer than the app looks away from the buttons. */
const PRESS_MS = 70;

export class HomeHost {
  readonly model: ConsoleModel;
  /** Pixels as they were at the last flush. */
  shown: Uint16Array = new Uint16Array(WIDTH * HEIGHT);
  readonly log: string[] = [];
  nowMs = 5 * 60_000;
  flushes = 0;
  /** Calls of each function. */
  calls: Record<string, number> = {};
  /** The lowest contrast of any pixel of text that was drawn, and the text. */
  lowestContrast = { ratio: 21, text: "" };

  /** Rows that others do not see, from the first one to before the last, as at the last flush. */
  concealed: readonly [number, number] = [0, 0];

  /** Bits of the buttons that are down. */
  #held = 0;
  /** Of those that have gone down since the app asked, as far as it was in front. */
  #wentDown = 0;
  #concealing: readonly [number, number] = [0, 0];
  readonly #drawn = new Uint16Array(WIDTH * HEIGHT);
  /** Texts that stand on the display; what is drawn over them takes them away. */
  #texts: { readonly x: number; readonly y: number; readonly text: string }[] = [];
  #shownTexts: string[] = [];
  #memory: WasmMemory | undefined;
  #answer: Uint8Array = new Uint8Array();
  #position = 0;
  #script: Script | undefined;
  #wakeMs = 0;

  constructor(model: ConsoleModel) {
    this.model = model;
    model.uptimeMs = () => this.nowMs;
  }

  /** Runs the app until the script ends. */
  run(module: Uint8Array, script: Script): void {
    this.#script = script;
    this.#wakeMs = this.nowMs;
    try {
      this.load(module).main();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  }

  load(module: Uint8Array): AppExports {
    const exported = instantiate(module, this.#imports());
    this.#memory = exported.memory;
    return exported;
  }

  /** Holds these buttons down, a bit each, and no others. */
  set held(bits: number) {
    if (this.model.front === undefined) this.#wentDown |= bits & ~this.#held;
    this.#held = bits;
  }

  /** Presses buttons one after another. */
  *press(...names: ButtonName[]): Script {
    for (const name of names) {
      this.held = 1 << BUTTONS.indexOf(name);
      yield PRESS_MS;
      this.held = 0;
      yield PRESS_MS;
    }
  }

  /** Lines of text on the display as it is shown, from top to bottom. */
  get texts(): readonly string[] {
    return this.#shownTexts;
  }

  /** Whether a text is shown, on one line or wrapped. */
  shows(text: string): boolean {
    return this.#shownTexts.join(" ").includes(text);
  }

  #imports(): Imports {
    const functions: Record<string, (...args: number[]) => number | bigint> = {
      log: (_level = 0, at = 0, length = 0) => this.log.push(this.#text(at, length)),
      uptime_ms: () => BigInt(this.nowMs),
      sleep_ms: (ms = 0) => this.#sleep(ms),
      display_fill: (x = 0, y = 0, w = 0, h = 0, colour = 0) => this.#fill(x, y, w, h, colour),
      display_blit: (x = 0, y = 0, w = 0, h = 0, at = 0) => this.#blit(x, y, w, h, at),
      display_text: (x = 0, y = 0, colour = 0, at = 0, length = 0) => this.#print(x, y, colour, at, length),
      display_flush: () => this.#flush(),
      display_conceal: (y = 0, h = 0) => this.#conceal(y, h),
      buttons: () => (this.model.front === undefined ? this.#held : 0),
      buttons_pressed: () => this.#takePressed(),
      console_request: (at = 0, length = 0) => this.#request(this.#text(at, length)),
      console_read: (at = 0, length = 0) => this.#read(this.#bytes(at, length)),
      console_changes: () => this.model.changes.take(),
    };
    const counted = Object.entries(functions).map(([name, call]) => [
      name,
      (...args: number[]) => {
        this.calls[name] = (this.calls[name] ?? 0) + 1;
        return call(...args);
      },
    ]);
    return { svc: Object.fromEntries(counted) };
  }

  #takePressed(): number {
    const pressed = this.model.front === undefined ? this.#wentDown : 0;
    this.#wentDown = 0;
    return pressed;
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
    while (this.nowMs >= this.#wakeMs) {
      const next = this.#script?.next();
      if (!next || next.done) throw new Stopped();
      this.#wakeMs += next.value;
    }
    return 0;
  }

  #request(text: string): number {
    const answer = this.model.handle(text);
    this.#answer = typeof answer === "number" ? new Uint8Array() : Uint8Array.from(answer.body);
    this.#position = 0;
    return typeof answer === "number" ? answer : answer.status;
  }

  /** Never as much as there is room for: pieces of all sizes have to do. */
  #read(into: Uint8Array): number {
    const size = Math.min(into.length, 1 + (this.#position % 300));
    const part = this.#answer.subarray(this.#position, this.#position + size);
    into.set(part);
    this.#position += part.length;
    return part.length;
  }

  get #isInFront(): boolean {
    return this.model.front === undefined;
  }

  #fill(x: number, y: number, w: number, h: number, colour: number): number {
    if (!this.#isInFront) return BUSY;
    for (let row = Math.max(y, 0); row < Math.min(y + h, HEIGHT); row++)
      this.#drawn.fill(colour, row * WIDTH + Math.max(x, 0), row * WIDTH + Math.min(x + w, WIDTH));
    this.#texts = this.#texts.filter(
      (text) => text.x < x || text.x >= x + w || text.y + LETTER_HEIGHT / 2 < y || text.y + 8 >= y + h,
    );
    return 0;
  }

  #blit(x: number, y: number, w: number, h: number, at: number): number {
    if (!this.#isInFront) return BUSY;
    const bytes = this.#bytes(at, w * h * 2).slice();
    const pixels = new Uint16Array(bytes.buffer);
    for (let row = 0; row < h; row++)
      this.#drawn.set(pixels.subarray(row * w, (row + 1) * w), (y + row) * WIDTH + x);
    return 0;
  }

  #print(x: number, y: number, colour: number, at: number, length: number): number {
    if (!this.#isInFront) return BUSY;
    const text = this.#text(at, length);
    if (x < 0 || y < 0 || x + text.length * LETTER_WIDTH > WIDTH || y + LETTER_HEIGHT > HEIGHT)
      throw new Error(`"${text}" at ${x}, ${y} is not wholly on the display`);
    this.#texts.push({ x, y, text });
    for (let i = 0; i < text.length; i++)
      this.#printLetter(x + i * LETTER_WIDTH, y, colour, glyphOf(text.charCodeAt(i)), text);
    return 0;
  }

  #printLetter(x: number, y: number, colour: number, glyph: readonly number[], text: string): void {
    glyph.forEach((bits, row) => {
      for (let column = 0; column < LETTER_WIDTH; column++) {
        if (((bits << column) & 0x80) === 0) continue;
        const at = (y + row) * WIDTH + x + column;
        const ratio = contrast(rgbOf(colour), rgbOf(this.#drawn[at] ?? 0));
        if (ratio < this.lowestContrast.ratio) this.lowestContrast = { ratio, text };
        this.#drawn[at] = colour;
      }
    });
  }

  #conceal(y: number, h: number): number {
    this.#concealing = [y, y + h];
    return this.#isInFront ? 0 : BUSY;
  }

  #flush(): number {
    if (!this.#isInFront) return BUSY;
    this.shown.set(this.#drawn);
    this.concealed = this.#concealing;
    const inOrder = [...this.#texts].sort((one, other) => one.y - other.y || one.x - other.x);
    this.#shownTexts = inOrder.map(({ text }) => text);
    this.flushes++;
    return 0;
  }
}

/** Of ours, for characters that the font does not have. */
const BOX = [0, 0, 0x7e, 0x42, 0x42, 0x42, 0x42, 0x42, 0x42, 0x42, 0x42, 0x7e, 0, 0, 0, 0];

function glyphOf(code: number): readonly number[] {
  return GLYPHS[code - FIRST_LETTER] ?? BOX;
}
