/** What the rows sound like. Each is a voice of the console, so that the rows sound together. */
import { Shape, soundTone } from "svc";

/** Of five notes without half steps, all sound well together. In Hz, from A. */
const LEAD: StaticArray<i32> = [440, 494, 554, 659, 740];
const BASS_DIVISOR = 4;

/** @param row 0 drum, 1 hiss, 2 bass, 3 lead @param note from 1 @param stepMs how long a step is */
export function playNote(row: i32, note: i32, stepMs: i32): void {
  if (row === 0) soundTone(row, 160, 45, 120, 90, Shape.TRIANGLE);
  else if (row === 1) soundTone(row, 8000, 3000, 50, 40, Shape.NOISE);
  else if (row === 2) play(row, LEAD[note - 1] / BASS_DIVISOR, stepMs, 70, Shape.TRIANGLE);
  else play(row, LEAD[note - 1], (stepMs * 3) / 4, 40, Shape.SQUARE);
}

function play(row: i32, hertz: i32, milliseconds: i32, volume: i32, shape: i32): void {
  soundTone(row, hertz, hertz, milliseconds, volume, shape);
}
