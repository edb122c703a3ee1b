/** Presses of buttons: each once when it goes down, and those of direction again while they are held. */
import { Button, raw } from "svc";

const REPEAT_AFTER_MS = 400;
const REPEAT_EVERY_MS = 120;
/** X deletes a character. */
const REPEATING: i32 = Button.UP | Button.DOWN | Button.LEFT | Button.RIGHT | Button.X;

let repeatAt: i64 = 0;

/** Returns the bits of the buttons that count as pressed now; a press that was shorter than a turn of the loop counts too. */
export function readPresses(now: i64): i32 {
  const fresh = max(raw.buttons_pressed(), 0); // below 0 it is an error, with bits that are no buttons
  const repeating = max(raw.buttons(), 0) & REPEATING & ~fresh;
  if (fresh !== 0) repeatAt = now + REPEAT_AFTER_MS;
  if (fresh !== 0 || repeating === 0 || now < repeatAt) return fresh;
  repeatAt = now + REPEAT_EVERY_MS;
  return repeating;
}
