/**
 * A page of text that up and down scroll, with actions below it that left and right select and A runs. Lines come from
 * `writeLines` each time that the page is drawn; only those in view are.
 */
import { Button } from "svc";
import {
  COLUMNS,
  drawCentredString,
  drawPart,
  fill,
  HINTS_TOP,
  LETTER_HEIGHT,
  lineEnd,
  MARGIN,
  nextLine,
  WIDTH,
} from "./canvas";
import { BACKGROUND, HIGHLIGHT, LINE, SURFACE, TEXT } from "./palette";
import { BODY_TOP, drawTitle, redraw, Screen } from "./screen";
import { Text } from "./text";
import { HINTS_ACTIONS, HINTS_PAGE, HINTS_SCROLL } from "./texts";

const LINE_HEIGHT = LETTER_HEIGHT + 2;
const ACTIONS_HEIGHT = 28;

/** One for all pages: a paragraph is printed before the next one is written. */
const paragraphText = new Text(480);

export abstract class Page extends Screen {
  protected action: i32 = 0;
  protected firstLine: i32 = 0;
  /** To write a paragraph in. */
  protected readonly text: Text = paragraphText;
  private lineCount: i32 = 0;
  private textTop: i32 = 0;

  abstract title(): string;
  /** Calls `paragraph` for each. */
  abstract writeLines(): void;

  actionCount(): i32 {
    return 0;
  }

  actionLabel(_action: i32): string {
    return "";
  }

  run(_action: i32): void {}

  /** Draws what stands above the text, and returns the y below it. */
  drawHead(): i32 {
    return BODY_TOP;
  }

  override open(): void {
    this.action = 0;
    this.firstLine = 0;
  }

  hints(): string {
    if (this.actionCount() > 0) return HINTS_ACTIONS;
    return this.lineCount > this.visibleLines() ? HINTS_SCROLL : HINTS_PAGE;
  }

  draw(): void {
    drawTitle(this.title());
    this.textTop = this.drawHead();
    this.drawLines();
    this.drawActions();
  }

  press(button: i32): void {
    if (button === Button.UP) this.scroll(-1);
    else if (button === Button.DOWN) this.scroll(1);
    else if (button === Button.LEFT) this.select(this.action - 1);
    else if (button === Button.RIGHT) this.select(this.action + 1);
    else if (button === Button.A && this.action < this.actionCount()) this.run(this.action);
  }

  /** Prints `text`, wrapped. */
  protected paragraph(colour: i32 = TEXT): void {
    const text = this.text;
    for (let from = 0; from < text.length; ) {
      const end = lineEnd(text, from, COLUMNS);
      const line = this.lineCount++ - this.firstLine;
      if (line >= 0 && line < this.visibleLines())
        drawPart(MARGIN, this.textTop + line * LINE_HEIGHT, colour, text, from, end);
      from = nextLine(text, end);
    }
  }

  /** Shows the last lines. */
  protected scrollToEnd(): void {
    this.firstLine = i32.MAX_VALUE / 2;
  }

  protected drawText(): void {
    fill(0, this.textTop, WIDTH, this.textBottom() - this.textTop, BACKGROUND);
    this.drawLines();
  }

  private drawLines(): void {
    this.lineCount = 0;
    this.writeLines();
    const last = max(0, this.lineCount - this.visibleLines());
    if (this.firstLine > last) {
      this.firstLine = last;
      this.drawText();
    }
    this.drawScroll();
  }

  private drawScroll(): void {
    const lines = this.visibleLines();
    if (this.lineCount <= lines) return;
    const height = this.textBottom() - this.textTop;
    const top = this.textTop + (height * this.firstLine) / this.lineCount;
    fill(WIDTH - 3, top, 3, max(4, (height * lines) / this.lineCount), LINE);
  }

  private textBottom(): i32 {
    return HINTS_TOP - (this.actionCount() > 0 ? ACTIONS_HEIGHT : 0);
  }

  private visibleLines(): i32 {
    return (this.textBottom() - this.textTop) / LINE_HEIGHT;
  }

  private scroll(step: i32): void {
    const last = max(0, this.lineCount - this.visibleLines());
    const first = max(0, min(this.firstLine + step, last));
    if (first === this.firstLine) return;
    this.firstLine = first;
    this.drawText();
  }

  private select(action: i32): void {
    if (action < 0 || action >= this.actionCount()) return;
    this.action = action;
    this.drawActions();
  }

  private drawActions(): void {
    const count = this.actionCount();
    if (count === 0) return;
    this.action = min(this.action, count - 1);
    const width = (WIDTH - MARGIN) / count;
    for (let i = 0; i < count; i++) {
      const x = MARGIN / 2 + i * width;
      fill(
        x + 2,
        HINTS_TOP - ACTIONS_HEIGHT + 2,
        width - 4,
        ACTIONS_HEIGHT - 4,
        i === this.action ? HIGHLIGHT : SURFACE,
      );
      drawCentredString(HINTS_TOP - ACTIONS_HEIGHT + 6, TEXT, this.actionLabel(i), x, width);
    }
  }

  /** The state has changed: other lines, other actions. */
  override changed(_parts: i32): void {
    redraw();
  }
}
