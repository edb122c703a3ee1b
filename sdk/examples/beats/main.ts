/**
 * A pad that plays music: eight steps and four instruments. It shows how an app plays tones in time, reads each press once, and
 * keeps what its user has made.
 *
 * The arrows move the cursor, A puts the next note, B clears a row, X and Y change the tempo, start plays and pauses, select
 * keeps the music and ends.
 */
import { Button, buttonsPressed, displayHeight, displayWidth, LogLevel, log, sleepMs, uptimeMs } from "svc";
import { playNote } from "./instruments";
import { Pattern, ROWS, STEPS } from "./pattern";
import { Screen } from "./screen";

const FRAME_MS = 10;
const NOTHING = -1;

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  new Pad(width, height).run();
  return 0;
}

class Pad {
  private readonly pattern: Pattern = new Pattern();
  private readonly screen: Screen;
  private row: i32 = 0;
  private step: i32 = 0;
  /** The step that sounds, {@link NOTHING} while it pauses. */
  private playing: i32 = NOTHING;
  /** When the next step begins. */
  private nextAt: i64 = 0;

  constructor(width: i32, height: i32) {
    this.screen = new Screen(width, height);
  }

  run(): void {
    this.pattern.load();
    this.show();
    while (true) {
      const pressed = max(buttonsPressed(), 0); // below 0 it is an error
      if (pressed & Button.SELECT) break;
      const hasStepped = this.playing !== NOTHING && this.advance(uptimeMs());
      if (pressed !== 0) this.obey(pressed);
      if (hasStepped || pressed !== 0) this.show();
      sleepMs(FRAME_MS);
    }
    this.pattern.store();
  }

  private show(): void {
    this.screen.show(this.pattern, this.row, this.step, this.playing);
  }

  private obey(pressed: i32): void {
    this.row = (this.row + direction(pressed, Button.DOWN, Button.UP) + ROWS) % ROWS;
    this.step = (this.step + direction(pressed, Button.RIGHT, Button.LEFT) + STEPS) % STEPS;
    this.pattern.tempo += direction(pressed, Button.X, Button.Y);
    if (pressed & Button.A) this.putNote();
    if (pressed & Button.B) this.pattern.clearRow(this.row);
    if (pressed & Button.START) this.playOrPause();
  }

  /** While the music pauses, a note is heard when it is put. */
  private putNote(): void {
    this.pattern.change(this.row, this.step);
    if (this.playing === NOTHING) this.sound(this.row, this.step);
  }

  private playOrPause(): void {
    const isPlaying = this.playing !== NOTHING;
    this.playing = isPlaying ? NOTHING : STEPS - 1;
    this.nextAt = uptimeMs();
  }

  /** @returns whether another step sounds now */
  private advance(now: i64): bool {
    if (now < this.nextAt) return false;
    this.playing = (this.playing + 1) % STEPS;
    for (let row = 0; row < ROWS; row++) this.sound(row, this.playing);
    // From when this step was due: a delay does not add up, unless it was a long one.
    this.nextAt = max(this.nextAt + this.pattern.stepMs, now);
    return true;
  }

  private sound(row: i32, step: i32): void {
    const note = this.pattern.note(row, step);
    if (note > 0) playNote(row, note, this.pattern.stepMs);
  }
}

/** 1, -1, or 0 where neither or both are pressed. */
function direction(pressed: i32, forward: i32, back: i32): i32 {
  return i32((pressed & forward) !== 0) - i32((pressed & back) !== 0);
}
