/** The pad on the display: a column for each step, a row for each instrument, and the cursor. */
import { displayFill, displayFlush, displayLargeText, displayText } from "svc";
import { Pattern, ROWS, STEPS } from "./pattern";

// Colours are RGB565: five bits of red, six of green, five of blue.
const BACKGROUND = 0x0000;
const TEXT = 0xffff;
const DIM = 0x8c71;
const EMPTY = 0x2104;
const PLAYED = 0x4208;
const CURSOR = 0xffff;
/** Of each row; higher notes are brighter. */
const ROW_COLOURS: StaticArray<i32> = [0xf800, 0xffe0, 0x041f, 0x07e0];
const HIGH_COLOURS: StaticArray<i32> = [0xf800, 0xffe0, 0x07ff, 0xb7f6];
const HIGH_NOTE = 3;

const NAMES: StaticArray<string> = ["drum", "hiss", "bass", "lead"];

const LETTER_WIDTH = 8;
const LETTER_HEIGHT = 16;
const MARGIN = 8;
const GAP = 2;
const TITLE_HEIGHT = 48;

export class Screen {
  private readonly width: i32;
  private readonly height: i32;
  private readonly cell: i32;
  private readonly rowHeight: i32;

  constructor(width: i32, height: i32) {
    this.width = width;
    this.height = height;
    this.cell = (width - 2 * MARGIN) / STEPS;
    this.rowHeight = this.cell + LETTER_HEIGHT + MARGIN;
  }

  /** Everything anew: a pad is 32 rectangles. @param playing the step that sounds, -1 for none */
  show(pattern: Pattern, row: i32, step: i32, playing: i32): void {
    displayFill(0, 0, this.width, this.height, BACKGROUND);
    displayLargeText(MARGIN, MARGIN, 2, TEXT, "BEATS");
    const tempo = `${pattern.beatsPerMinute} bpm`;
    displayText(this.width - MARGIN - tempo.length * LETTER_WIDTH, MARGIN + LETTER_HEIGHT, DIM, tempo);
    for (let line = 0; line < ROWS; line++) {
      displayText(MARGIN, this.topOf(line) - LETTER_HEIGHT, DIM, NAMES[line]);
      for (let column = 0; column < STEPS; column++)
        this.drawCell(line, column, pattern.note(line, column), column === playing);
    }
    this.frame(row, step);
    const bottom = this.height - MARGIN - 3 * LETTER_HEIGHT;
    displayText(MARGIN, bottom, DIM, "A note      B clear row");
    displayText(MARGIN, bottom + LETTER_HEIGHT, DIM, "X faster    Y slower");
    displayText(MARGIN, bottom + 2 * LETTER_HEIGHT, DIM, "START play  SELECT end");
    displayFlush();
  }

  private topOf(row: i32): i32 {
    return TITLE_HEIGHT + LETTER_HEIGHT + row * this.rowHeight;
  }

  private leftOf(step: i32): i32 {
    return MARGIN + step * this.cell;
  }

  private drawCell(row: i32, step: i32, note: i32, isPlaying: bool): void {
    const size = this.cell - 2 * GAP;
    const colours = note > HIGH_NOTE ? HIGH_COLOURS : ROW_COLOURS;
    const colour = note === 0 ? (isPlaying ? PLAYED : EMPTY) : isPlaying ? CURSOR : colours[row];
    displayFill(this.leftOf(step) + GAP, this.topOf(row) + GAP, size, size, colour);
    // The height of a note, as dots from the bottom.
    for (let dot = 1; dot < note; dot++)
      displayFill(
        this.leftOf(step) + this.cell / 2 - 1,
        this.topOf(row) + this.cell - GAP - 4 * dot,
        2,
        2,
        BACKGROUND,
      );
  }

  private frame(row: i32, step: i32): void {
    const left = this.leftOf(step);
    const top = this.topOf(row);
    displayFill(left, top, this.cell, 1, CURSOR);
    displayFill(left, top + this.cell - 1, this.cell, 1, CURSOR);
    displayFill(left, top, 1, this.cell, CURSOR);
    displayFill(left + this.cell - 1, top, 1, this.cell, CURSOR);
  }
}
