/**
 * Screens, and the stack of those that are open. The one on top has the display and the buttons; B closes it, so that
 * every way leads back to the grid of apps, which stays at the bottom.
 */
import {
  BAR_HEIGHT,
  COLUMNS,
  CONTENT_TOP,
  drawCentredString,
  drawText,
  fill,
  HEIGHT,
  HINTS_TOP,
  MARGIN,
  WIDTH,
} from "./canvas";
import { display_conceal } from "./console";
import { BACKGROUND, DIM, LINE, SURFACE, TITLE } from "./palette";
import { Text } from "./text";

export abstract class Screen {
  /** A screen of a question or of input is not covered by news. */
  isModal: bool = false;

  /** Whether it shows what only who holds the console may see. */
  isSecret(): bool {
    return false;
  }

  /** The console's buttons, in a few words. */
  abstract hints(): string;
  /** Draws everything between the status bar and the hints, on a cleared ground. */
  abstract draw(): void;
  /** @param button one bit of `Button`; B never comes here: it closes the screen */
  abstract press(button: i32): void;

  /** Begins anew: the screen was opened. */
  open(): void {}

  /** The screen is on top again, or for the first time. */
  show(): void {}

  /** The screen was closed. */
  closed(): void {}

  /** Some time has passed while the screen is on top. */
  tick(_now: i64): void {}

  /** Parts of the console's state have changed while the screen is on top. */
  changed(_parts: i32): void {}
}

/** Grid, settings, Wi-Fi, keyboard and a card are five. */
const DEPTH_LIMIT = 8;
const stack = new StaticArray<Screen | null>(DEPTH_LIMIT);
let depth: i32 = 0;
let isDrawingDue: bool = false;
const scratch = new Text(32);

export function topScreen(): Screen {
  return stack[depth - 1] as Screen;
}

export function isAtHome(): bool {
  return depth === 1;
}

export function openScreen(screen: Screen): void {
  if (depth === DEPTH_LIMIT) return;
  stack[depth++] = screen;
  screen.open();
  screen.show();
  isDrawingDue = true;
}

/** Closes the screen on top; the first one stays. */
export function closeScreen(): void {
  if (depth === 1) return;
  const top = stack[--depth] as Screen;
  top.closed();
  topScreen().show();
  isDrawingDue = true;
}

export function redraw(): void {
  isDrawingDue = true;
}

/** Draws the screen on top if it has to be. */
export function drawScreen(): void {
  if (!isDrawingDue) return;
  isDrawingDue = false;
  const screen = topScreen();
  fill(0, BAR_HEIGHT, WIDTH, HINTS_TOP - BAR_HEIGHT, BACKGROUND);
  screen.draw();
  display_conceal(BODY_TOP, isSecretShown() ? HINTS_TOP - BODY_TOP : 0);
  fill(0, HINTS_TOP, WIDTH, HEIGHT - HINTS_TOP, SURFACE);
  drawCentredString(HINTS_TOP + 2, DIM, screen.hints());
}

/** A card may repeat what the screen below it has, such as what was typed and is no address. */
function isSecretShown(): bool {
  const screen = topScreen();
  if (screen.isSecret()) return true;
  return screen.isModal && depth > 1 && (stack[depth - 2] as Screen).isSecret();
}

const TITLE_HEIGHT = 22;
/** Below the title. */
export const BODY_TOP = CONTENT_TOP + TITLE_HEIGHT;

export function drawTitle(title: string): void {
  drawTitleText(scratch.clear().put(title));
}

export function drawTitleText(title: Text): void {
  drawText(MARGIN, CONTENT_TOP + 1, TITLE, title, COLUMNS);
  fill(MARGIN, BODY_TOP - 3, WIDTH - 2 * MARGIN, 1, LINE);
}
