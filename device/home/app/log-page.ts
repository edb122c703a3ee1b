/** The last lines of the log, the newest at the end. */
import { ask } from "./api";
import { tellFailure } from "./card";
import { json } from "./json";
import { Page } from "./page";
import { BAD, DIM, TEXT, WARNING } from "./palette";
import { redraw } from "./screen";
import { Text } from "./text";
import { LOG, LOG_EMPTY, LOG_NEWEST } from "./texts";

const LINES = 12;
/** A longer line is cut off. */
const LINE_BYTES = 120;

class LogPage extends Page {
  private count: i32 = 0;
  private readonly lines: StaticArray<Text> = makeLines();

  title(): string {
    return LOG;
  }

  override open(): void {
    super.open();
    this.read();
  }

  writeLines(): void {
    if (this.count === 0) {
      this.text.clear().put(LOG_EMPTY);
      this.paragraph(DIM);
    }
    for (let i = 0; i < this.count; i++) {
      this.text.copy(this.lines[i]);
      this.paragraph(colourOf(this.text));
    }
  }

  override actionCount(): i32 {
    return 1;
  }

  override actionLabel(_action: i32): string {
    return LOG_NEWEST;
  }

  override run(_action: i32): void {
    this.read();
  }

  /** News of apps or firmware changes nothing here. */
  override changed(_parts: i32): void {}

  private read(): void {
    redraw();
    if (!ask("GET /api/logs?limit=12")) {
      tellFailure();
      return;
    }
    this.count = 0;
    if (json.enterObject()) while (json.nextMember()) if (json.isNamed("lines")) this.readLines();
    this.scrollToEnd();
  }

  private readLines(): void {
    if (!json.enterArray()) return;
    while (json.nextElement()) {
      if (this.count === LINES) json.skip();
      else if (json.readText(this.lines[this.count])) this.count++;
    }
  }
}

function makeLines(): StaticArray<Text> {
  const lines = new StaticArray<Text>(LINES);
  for (let i = 0; i < LINES; i++) lines[i] = new Text(LINE_BYTES);
  return lines;
}

/** By the letter of its level, which stands after the time (docs/spec/logs.md#line-form). */
function colourOf(line: Text): i32 {
  for (let i = 0; i + 2 < line.length; i++) {
    if (line.byte(i) !== 0x20) continue;
    const level = line.byte(i + 1);
    if (level === 0x45) return BAD;
    if (level === 0x57) return WARNING;
    return level === 0x44 ? DIM : TEXT;
  }
  return TEXT;
}

export const logPage: Page = new LogPage();
