/**
 * A user with a console in hand: presses its buttons, looks at its display, and reads what stands there. Both go over the
 * cable, so that they count as the owner's (docs/spec/home.md#owner) and work without a network.
 *
 * The home screen looks at the buttons every 30 ms, later on a busy machine, and nothing tells when it has. So whatever has to
 * be reached is looked for after each press, as a person does: a press that was lost is made again, and a cursor that went
 * too far is moved back.
 */
import { HIGHLIGHT, TITLE } from "../../device/home/app/palette.js";
import { BUTTONS } from "../../device/wasm/abi.js";
import { rgbOf } from "./colours.js";
import { type PrintedText, readTexts } from "./display-reader.js";
import { type Picture, readPng } from "./read-png.js";
import type { Console } from "./simulator.js";
import { type UsbAnswer, UsbClient } from "./usb-client.js";

export type ButtonName = (typeof BUTTONS)[number];

/** B leads home with as many presses (docs/spec/home.md#back). */
const MOST_BACK = 8;

/** The line on top, where time and memory change by themselves. */
const STATUS_BAR_HEIGHT = 22;
const HINTS_TOP = 300;
/** Below the title. */
const BODY_TOP = 46;
/** What the bottom line of the grid has, and of no other screen. */
const HOME_HINT = "SELECT Menu";
/** The home screen looks once in it, unless the machine is very busy. */
const RELEASE_MS = 100;
/** A direction that is held for 400 ms repeats, so that its presses are short; one that was too short is made again. */
const SHORT_PRESS_MS = 70;
const SHORT_PATIENCE_MS = 500;
/** Any other button is held until something changes; only a press that was lost, or changes nothing, takes as long. */
const PATIENCE_MS = 4000;
const LIMIT_MS = 60_000;
/** A line that comes while the console starts may be lost after it has said that it is ready. */
const LOST_AFTER_MS = 10_000;
const TRIES = 100;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const DIRECTIONS: ReadonlySet<ButtonName> = new Set(["up", "down", "left", "right"]);
/** Rows of the field of the keyboard. */
const FIELD = { top: 52, bottom: 78 } as const;

/** A value stands apart from the text of its row, so that it may be missing here. */
const startsAs = (text: string, start: string) => text.startsWith(start) || start.startsWith(`${text} `);

/** The display at one moment. */
export class Screen {
  readonly picture: Picture;
  #texts: readonly PrintedText[] | undefined;

  constructor(picture: Picture) {
    this.picture = picture;
  }

  get texts(): readonly PrintedText[] {
    this.#texts ??= readTexts(this.picture);
    return this.#texts;
  }

  /** All texts, in one line. */
  get words(): string {
    return this.texts.map(({ text }) => text).join(" ");
  }

  /** Of a page, a menu or a card; empty for a grid with apps. */
  get title(): string {
    return this.texts.find(({ ink }) => ink === rgbOf(TITLE))?.text ?? "";
  }

  /** What the cursor is on. */
  get selected(): string {
    const selected = this.texts.filter(({ ground }) => ground === rgbOf(HIGHLIGHT));
    return selected.map(({ text }) => text).join(" ");
  }

  /** What was typed in the field of the keyboard. */
  get typed(): string {
    const typed = this.texts.filter(({ y }) => y >= FIELD.top && y < FIELD.bottom);
    return typed.map(({ text }) => text).join(" ");
  }

  /** @returns one step of the cursor towards what begins with a text; `undefined` if that is not on the display */
  wayTo(text: string): ButtonName | undefined {
    const isKey = text.length === 1;
    const top = isKey ? FIELD.bottom : BODY_TOP;
    const below = this.texts.filter(({ y, ink }) => y >= top && ink !== rgbOf(TITLE));
    const at = below.find(({ ground }) => ground === rgbOf(HIGHLIGHT));
    const to = below.find((other) => (isKey ? other.text === text : startsAs(other.text, text)));
    if (!at || !to) return undefined;
    if (at.y !== to.y) return at.y < to.y ? "down" : "up";
    return at.x < to.x ? "right" : "left";
  }

  get isHome(): boolean {
    return this.texts.some(({ text, y }) => y >= HINTS_TOP && text.endsWith(HOME_HINT));
  }

  /** Whether nothing has changed but the line on top. */
  isLike({ picture }: Screen): boolean {
    if (picture === this.picture) return true;
    const from = 3 * this.picture.width * STATUS_BAR_HEIGHT;
    return this.picture.rgb.compare(picture.rgb, from, undefined, from) === 0;
  }
}

type Driven = Pick<Console, "usb" | "stderr" | "waitForLine">;

export class HomeUser {
  readonly #console: Driven;
  #usb: UsbClient;
  #last: { readonly png: string; readonly screen: Screen } | undefined;

  private constructor(console: Driven, usb: UsbClient) {
    this.#console = console;
    this.#usb = usb;
  }

  static async of(console: Driven): Promise<HomeUser> {
    return new HomeUser(console, await UsbClient.open(console.usb));
  }

  close(): Promise<void> {
    return this.#usb.close();
  }

  /** Sends a request over the cable, again if a restart has taken it or its answer. */
  async ask(method: string, path: string, params?: Record<string, unknown>): Promise<UsbAnswer> {
    for (;;) {
      const restart = this.#console.waitForLine(/ is ready: /, this.#console.stderr.length);
      const request = this.#usb.request(method, path, params);
      const lost = Promise.race([restart, pause(LOST_AFTER_MS)]).then(() => undefined);
      const answer = await Promise.race([request, lost]);
      // Nobody waits for what is left: the line of a console that does not restart, and an answer that is lost.
      for (const rest of [restart, request, lost]) rest.catch(() => {});
      if (answer) return answer;
      await this.#usb.close(); // as a port that comes back is opened again
      this.#usb = await UsbClient.open(this.#console.usb);
    }
  }

  async look(): Promise<Screen> {
    for (;;) {
      const { status, body } = await this.ask("GET", "/api/screen");
      if (status === 200) return this.#screenOf(body.png);
      if (status !== 503) throw new Error(`There is no picture: ${JSON.stringify(body)}`);
    }
  }

  /** Most looks show what the one before has shown. */
  #screenOf(png: string): Screen {
    if (this.#last?.png !== png)
      this.#last = { png, screen: new Screen(readPng(Buffer.from(png, "base64"))) };
    return this.#last.screen;
  }

  /** Looks until it is so. @param what for the message if it never is */
  async sees(what: string, holds: (screen: Screen) => boolean): Promise<Screen> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const screen = await this.look();
      if (holds(screen)) return screen;
      if (performance.now() > deadline) throw new Error(`There is no ${what}, but: ${screen.words}`);
    }
  }

  /** Waits until the display shows a text. */
  reads(text: string): Promise<Screen> {
    return this.sees(`"${text}"`, ({ words }) => words.includes(text));
  }

  /** Holds these buttons down, and no others. */
  async hold(...names: readonly ButtonName[]): Promise<void> {
    const pressed = names.reduce((bits, name) => bits | (1 << BUTTONS.indexOf(name)), 0);
    const { status, body } = await this.ask("POST", "/api/buttons", { pressed });
    if (status !== 200) throw new Error(`Cannot press ${names.join("+")}: ${JSON.stringify(body)}`);
  }

  /**
   * Presses a button until the display changes, or for so long that the press was lost or changes nothing.
   * @param before what the display shows, if that is known
   */
  async tap(name: ButtonName, before?: Screen): Promise<Screen> {
    const start = before ?? (await this.look());
    const isDirection = DIRECTIONS.has(name);
    await this.hold(name);
    if (isDirection) {
      await pause(SHORT_PRESS_MS);
      await this.hold();
    }
    const deadline = performance.now() + (isDirection ? SHORT_PATIENCE_MS : PATIENCE_MS);
    let screen: Screen;
    do screen = await this.look();
    while (screen.isLike(start) && performance.now() < deadline);
    if (!isDirection) {
      await this.hold();
      await pause(RELEASE_MS);
    }
    return screen;
  }

  /** Taps a button until it is so. */
  async tapUntil(name: ButtonName, what: string, holds: (screen: Screen) => boolean): Promise<Screen> {
    for (let press = 0; press < TRIES; press++) {
      const screen = await this.look();
      if (holds(screen)) return screen;
      await this.tap(name, screen);
    }
    throw new Error(`${name} does not lead to ${what}, but to: ${(await this.look()).words}`);
  }

  /** Moves the cursor to what begins with a text. @param direction if it is not on the display yet */
  async moveTo(text: string, direction: ButtonName = "down"): Promise<Screen> {
    for (let press = 0; press < TRIES; press++) {
      const screen = await this.look();
      if (screen.selected.startsWith(text)) return screen;
      await this.tap(screen.wayTo(text) ?? direction, screen);
    }
    throw new Error(`The cursor does not come to "${text}", but: ${(await this.look()).words}`);
  }

  /** Moves the cursor to a row or an answer, and chooses it. @param title of what opens then */
  async choose(text: string, title: string): Promise<Screen> {
    const { title: from } = await this.look();
    for (let press = 0; press < TRIES; press++) {
      const screen = await this.look();
      if (screen.title === title) return screen;
      // Elsewhere: the cursor had gone on when A was pressed, as the release came late. Or a card has come.
      if (screen.title !== from) await this.tap("b", screen);
      else if (screen.selected.startsWith(text)) await this.tap("a", screen);
      else await this.tap(screen.wayTo(text) ?? "down", screen);
    }
    throw new Error(`"${text}" does not open "${title}", but: ${(await this.look()).words}`);
  }

  /** Opens the settings, and one of them. */
  async openSetting(name: string, title = name): Promise<Screen> {
    await this.goHome();
    await this.tapUntil("select", "the settings", (screen) => screen.title === "Settings");
    return this.choose(name, title);
  }

  /** Types on the keyboard that is open, key by key, and looks at what has come of it. */
  async type(text: string): Promise<void> {
    for (let press = 0; press < TRIES * text.length; press++) {
      const screen = await this.look();
      const { typed } = screen;
      if (typed === text) return;
      const key = text[typed.length];
      if (!text.startsWith(typed) || key === undefined) await this.tap("x", screen);
      else if (screen.selected === key) await this.tap("a", screen);
      else await this.tap(screen.wayTo(key) ?? keysWith(screen, key), screen);
    }
    throw new Error(`Cannot type "${text}" on: ${(await this.look()).words}`);
  }

  /** Leaves the app in front by the chord (docs/spec/home.md#chord), which is held until the home screen is there. */
  async comeHome(): Promise<Screen> {
    await this.hold("select", "start");
    const screen = await this.sees("home screen", ({ texts }) => texts.some(({ y }) => y >= HINTS_TOP));
    await this.hold();
    return screen;
  }

  /** Presses B until the grid is there. @returns how often; at most {@link MOST_BACK} */
  async goHome(): Promise<number> {
    let presses = 0;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const screen = await this.look();
      if (screen.isHome) return presses;
      if (presses === MOST_BACK) break;
      const after = await this.tap("b", screen);
      if (!after.isLike(screen)) presses++;
    }
    throw new Error(`B does not lead home from: ${(await this.look()).words}`);
  }
}

/** The button that changes the keys of the keyboard to those that have a key. */
function keysWith({ texts }: Screen, key: string): ButtonName {
  const hasLetters = texts.some(({ text }) => /^[A-Za-z]$/.test(text));
  return hasLetters && /[A-Za-z]/.test(key) ? "y" : "select";
}
