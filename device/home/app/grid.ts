/** The home screen itself: the apps, three in a row. A moved cursor redraws two cells and the name below the grid. */
import { Button } from "svc";
import { appAt, appCount, indexOfApp } from "./apps";
import {
  COLUMNS,
  CONTENT_TOP,
  drawCentred,
  drawCentredString,
  drawWrapped,
  fill,
  HINTS_TOP,
  LETTER_WIDTH,
  MARGIN,
  WIDTH,
} from "./canvas";
import { openApp, openDetails } from "./details";
import { drawIcon, ICON_SIZE, isIconMissing, loadIcon } from "./icons";
import { BACKGROUND, DIM, GOOD, HIGHLIGHT, LINE, TEXT, TITLE } from "./palette";
import { APPS } from "./parts";
import { openScreen, redraw, Screen } from "./screen";
import { settingsMenu } from "./settings-menu";
import { Text } from "./text";
import { HINTS_EMPTY, HINTS_GRID, NO_APPS, NO_APPS_HOW, RUNNING } from "./texts";

const COLUMN_COUNT = 3;
const ROW_COUNT = 3;
const CELL_WIDTH = WIDTH / COLUMN_COUNT;
const CELL_HEIGHT = 86;
const ICON_LEFT = (CELL_WIDTH - ICON_SIZE) / 2;
const ICON_TOP = 3;
const NAME_TOP = ICON_TOP + ICON_SIZE + 1;
const NAME_COLUMNS = CELL_WIDTH / LETTER_WIDTH;
const STRIP_TOP = CONTENT_TOP + ROW_COUNT * CELL_HEIGHT;
const MARK_SIZE = 13;

class Grid extends Screen {
  private cursor: i32 = 0;
  /** The app that the cursor is on: its place changes as others come and go. */
  private readonly selected: Text = new Text(32);
  /** The first row in view. */
  private firstRow: i32 = 0;
  private readonly strip: Text = new Text(48);

  hints(): string {
    return appCount() > 0 ? HINTS_GRID : HINTS_EMPTY;
  }

  draw(): void {
    if (appCount() === 0) {
      drawCentredString(110, TITLE, NO_APPS);
      drawWrapped(MARGIN, 140, TEXT, howTo.clear().put(NO_APPS_HOW), COLUMNS, 6);
      return;
    }
    const place = indexOfApp(this.selected);
    if (place >= 0) this.cursor = place;
    this.scrollToCursor();
    const end = min(appCount(), (this.firstRow + ROW_COUNT) * COLUMN_COUNT);
    for (let index = this.firstRow * COLUMN_COUNT; index < end; index++) this.drawCell(index);
    this.drawStrip();
    this.drawScroll();
  }

  press(button: i32): void {
    if (button === Button.SELECT) openScreen(settingsMenu);
    if (appCount() === 0) return;
    if (button === Button.LEFT) this.move(this.cursor - 1);
    else if (button === Button.RIGHT) this.move(this.cursor + 1);
    else if (button === Button.UP) this.move(this.cursor - COLUMN_COUNT);
    else if (button === Button.DOWN) this.moveDown();
    else if (button === Button.START) openDetails(appAt(this.cursor));
    else if (button === Button.A) openApp(appAt(this.cursor));
  }

  /** One icon a turn, so that the buttons are never kept waiting for more. */
  override tick(now: i64): void {
    const end = min(appCount(), (this.firstRow + ROW_COUNT) * COLUMN_COUNT);
    for (let index = this.firstRow * COLUMN_COUNT; index < end; index++) {
      const app = appAt(index);
      if (!isIconMissing(app)) continue;
      if (loadIcon(app, now)) this.drawCell(index);
      return;
    }
  }

  override changed(parts: i32): void {
    if (parts & APPS) redraw();
  }

  private moveDown(): void {
    const last = appCount() - 1;
    const isInLastRow = this.cursor / COLUMN_COUNT === last / COLUMN_COUNT;
    if (!isInLastRow) this.move(min(this.cursor + COLUMN_COUNT, last)); // the last row may be short
  }

  private move(index: i32): void {
    if (index < 0 || index >= appCount()) return;
    const before = this.cursor;
    this.cursor = index;
    this.selected.copy(appAt(index).name);
    if (this.scrollToCursor()) {
      redraw();
      return;
    }
    this.drawSurround(before);
    this.drawSurround(index);
    this.drawStrip();
  }

  /** @returns whether other rows are in view now */
  private scrollToCursor(): bool {
    const before = this.firstRow;
    this.cursor = min(this.cursor, appCount() - 1);
    const row = this.cursor / COLUMN_COUNT;
    const lastFirst = max(0, (appCount() - 1) / COLUMN_COUNT + 1 - ROW_COUNT);
    this.firstRow = min(this.firstRow, lastFirst);
    if (row < this.firstRow) this.firstRow = row;
    if (row >= this.firstRow + ROW_COUNT) this.firstRow = row - ROW_COUNT + 1;
    return this.firstRow !== before;
  }

  private drawCell(index: i32): void {
    this.drawSurround(index);
    const app = appAt(index);
    const x = this.leftOf(index) + ICON_LEFT;
    const y = this.topOf(index) + ICON_TOP;
    drawIcon(app, x, y);
    if (app.isRunning) drawRunning(x + ICON_SIZE - MARK_SIZE, y);
  }

  /** A cell without its icon, which costs most and is the same with the cursor and without. */
  private drawSurround(index: i32): void {
    const x = this.leftOf(index);
    const y = this.topOf(index);
    const colour = index === this.cursor ? HIGHLIGHT : BACKGROUND;
    const right = ICON_LEFT + ICON_SIZE;
    const bottom = ICON_TOP + ICON_SIZE;
    fill(x, y, CELL_WIDTH, ICON_TOP, colour);
    fill(x, y + ICON_TOP, ICON_LEFT, ICON_SIZE, colour);
    fill(x + right, y + ICON_TOP, CELL_WIDTH - right, ICON_SIZE, colour);
    fill(x, y + bottom, CELL_WIDTH, CELL_HEIGHT - bottom, colour);
    drawCentred(y + NAME_TOP, TEXT, appAt(index).name, x, NAME_COLUMNS * LETTER_WIDTH);
  }

  private leftOf(index: i32): i32 {
    return (index % COLUMN_COUNT) * CELL_WIDTH;
  }

  private topOf(index: i32): i32 {
    return CONTENT_TOP + (index / COLUMN_COUNT - this.firstRow) * CELL_HEIGHT;
  }

  /** The whole name, for which a cell may have no room. */
  private drawStrip(): void {
    const app = appAt(this.cursor);
    this.selected.copy(app.name);
    fill(0, STRIP_TOP, WIDTH, HINTS_TOP - STRIP_TOP, BACKGROUND);
    this.strip.copy(app.name);
    if (app.isRunning) this.strip.put(" - ").put(RUNNING);
    drawCentred(STRIP_TOP, app.isRunning ? GOOD : DIM, this.strip);
  }

  private drawScroll(): void {
    const rows = (appCount() - 1) / COLUMN_COUNT + 1;
    if (rows <= ROW_COUNT) return;
    const height = ROW_COUNT * CELL_HEIGHT;
    fill(WIDTH - 2, CONTENT_TOP + (height * this.firstRow) / rows, 2, (height * ROW_COUNT) / rows, LINE);
  }
}

const howTo = new Text(160);

/** A triangle on a dark square. */
function drawRunning(x: i32, y: i32): void {
  fill(x, y, MARK_SIZE, MARK_SIZE, BACKGROUND);
  for (let i = 0; i < 5; i++) fill(x + 4 + i, y + 2 + i, 1, 9 - 2 * i, GOOD);
}

export const grid = new Grid();
