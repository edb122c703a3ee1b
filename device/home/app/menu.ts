/** A list of rows with a cursor: up and down move it, A chooses. It scrolls, and a moved cursor redraws two rows. */
import { Button } from "svc";
import { COLUMNS, columnsOf, drawRight, drawText, fill, HINTS_TOP, MARGIN, WIDTH } from "./canvas";
import { BACKGROUND, DIM, HIGHLIGHT, LINE, TEXT } from "./palette";
import { BODY_TOP, drawTitle, redraw, Screen } from "./screen";
import { Text } from "./text";
import { HINTS_MENU } from "./texts";

const ROW_HEIGHT = 24;
const TEXT_TOP = 4;
const SCROLL_WIDTH = 3;

/** For all menus: a row is drawn before the next one is written. */
const rowLabel = new Text(128);
const rowValue = new Text(40);

export abstract class Menu extends Screen {
  protected cursor: i32 = 0;
  protected readonly label: Text = rowLabel;
  protected readonly value: Text = rowValue;
  private first: i32 = 0;

  abstract title(): string;
  abstract count(): i32;
  /** Writes `label` and, if the row has one, `value`; both are empty before. */
  abstract writeRow(row: i32): void;
  abstract choose(row: i32): void;

  /** Where the first row stands: below what `drawHead` draws. */
  protected top(): i32 {
    return BODY_TOP;
  }

  protected drawHead(): void {}

  /** Draws beside a row what is no text. */
  protected drawMark(_row: i32, _y: i32, _ground: i32): void {}

  /** Left or right on a row: -1 or 1. */
  protected change(_row: i32, _step: i32): void {}

  override open(): void {
    this.cursor = 0;
    this.first = 0;
  }

  hints(): string {
    return HINTS_MENU;
  }

  draw(): void {
    drawTitle(this.title());
    this.drawHead();
    this.scrollToCursor();
    const end = min(this.count(), this.first + this.visibleRows());
    for (let row = this.first; row < end; row++) this.drawRow(row);
    this.drawScroll();
  }

  press(button: i32): void {
    if (button === Button.UP) this.move(-1);
    else if (button === Button.DOWN) this.move(1);
    else if (this.cursor >= this.count()) return;
    else if (button === Button.A) this.choose(this.cursor);
    else if (button === Button.LEFT) this.change(this.cursor, -1);
    else if (button === Button.RIGHT) this.change(this.cursor, 1);
  }

  private move(step: i32): void {
    const count = this.count();
    if (count === 0) return;
    const before = this.cursor;
    this.cursor = (this.cursor + step + count) % count; // from the last row to the first
    if (this.scrollToCursor()) redraw();
    else if (this.cursor !== before) {
      this.drawRow(before);
      this.drawRow(this.cursor);
    }
  }

  /** @returns whether other rows are in view now */
  private scrollToCursor(): bool {
    const before = this.first;
    const rows = this.visibleRows();
    this.cursor = max(0, min(this.cursor, this.count() - 1));
    this.first = max(0, min(this.first, this.count() - rows));
    if (this.cursor < this.first) this.first = this.cursor;
    if (this.cursor >= this.first + rows) this.first = this.cursor - rows + 1;
    return this.first !== before;
  }

  private visibleRows(): i32 {
    return (HINTS_TOP - this.top()) / ROW_HEIGHT;
  }

  protected drawRow(row: i32): void {
    const y = this.top() + (row - this.first) * ROW_HEIGHT;
    const ground = row === this.cursor ? HIGHLIGHT : BACKGROUND;
    fill(0, y, WIDTH - SCROLL_WIDTH, ROW_HEIGHT, ground);
    this.label.clear();
    this.value.clear();
    this.writeRow(row);
    const valueColumns = min(columnsOf(this.value), COLUMNS / 2);
    const labelColumns = COLUMNS - (valueColumns > 0 ? valueColumns + 1 : 0);
    drawText(MARGIN, y + TEXT_TOP, TEXT, this.label, labelColumns);
    if (valueColumns > 0)
      drawRight(WIDTH - MARGIN, y + TEXT_TOP, row === this.cursor ? TEXT : DIM, this.value, valueColumns);
    this.drawMark(row, y, ground);
  }

  private drawScroll(): void {
    const rows = this.visibleRows();
    const count = this.count();
    if (count <= rows) return;
    const height = rows * ROW_HEIGHT;
    fill(
      WIDTH - SCROLL_WIDTH,
      this.top() + (height * this.first) / count,
      SCROLL_WIDTH,
      (height * rows) / count,
      LINE,
    );
  }
}
