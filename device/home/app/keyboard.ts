/** A keyboard on the display: four rows of ten keys, and a row of keys with words. */
import { Button } from "svc";
import {
  COLUMNS,
  columnsOf,
  drawCentredString,
  drawPart,
  fill,
  frame,
  LETTER_WIDTH,
  MARGIN,
  WIDTH,
} from "./canvas";
import { DIM, HIGHLIGHT, LINE, SURFACE, TEXT } from "./palette";
import { BODY_TOP, drawTitleText, openScreen, redraw, Screen } from "./screen";
import { Text } from "./text";
import {
  HINTS_KEYBOARD,
  KEY_DELETE,
  KEY_DONE,
  KEY_LETTERS,
  KEY_SHIFT,
  KEY_SPACE,
  KEY_SYMBOLS,
} from "./texts";

const COLUMN_COUNT = 10;
const ROW_COUNT = 4;
const KEY_WIDTH = 23;
const KEY_HEIGHT = 30;
const KEYS_LEFT = 5;
const FIELD_TOP = BODY_TOP + 6;
const KEYS_TOP = FIELD_TOP + 40;

const LETTERS = "1234567890qwertyuiopasdfghjkl-zxcvbnm_.@";
const CAPITALS = "1234567890QWERTYUIOPASDFGHJKL-ZXCVBNM_.@";
const SYMBOLS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~        ";

enum Command {
  SHIFT,
  SYMBOLS,
  SPACE,
  DELETE,
  DONE,
}
const COMMANDS = 5;

/** What is to be typed; written before the keyboard opens. */
export const prompt = new Text(60);
/** What was typed. It stays until the keyboard is opened again. */
export const typed = new Text(128);
/** Characters of a password or of the name of a network, and one more. */
const USUAL_LIMIT = 64;

class Keyboard extends Screen {
  onDone: () => void = nothing;
  /** Most characters to type. */
  limit: i32 = USUAL_LIMIT;
  private row: i32 = 0;
  private column: i32 = 0;
  private keys: string = LETTERS;

  override open(): void {
    this.isModal = true;
    this.row = 1;
    this.column = 0;
    this.keys = LETTERS;
  }

  override isSecret(): bool {
    return true;
  }

  hints(): string {
    return HINTS_KEYBOARD;
  }

  draw(): void {
    drawTitleText(prompt);
    this.drawField();
    for (let row = 0; row < ROW_COUNT; row++)
      for (let column = 0; column < COLUMN_COUNT; column++) this.drawKey(row, column);
    for (let command = 0; command < COMMANDS; command++) this.drawKey(ROW_COUNT, command * 2);
  }

  press(button: i32): void {
    if (button === Button.UP) this.move((this.row + ROW_COUNT) % (ROW_COUNT + 1), this.column);
    else if (button === Button.DOWN) this.move((this.row + 1) % (ROW_COUNT + 1), this.column);
    else if (button === Button.LEFT) this.moveSideways(-1);
    else if (button === Button.RIGHT) this.moveSideways(1);
    else if (button === Button.A) this.pressKey();
    else if (button === Button.X) this.run(Command.DELETE);
    else if (button === Button.Y) this.run(Command.SHIFT);
    else if (button === Button.SELECT) this.run(Command.SYMBOLS);
    else if (button === Button.START) this.run(Command.DONE);
  }

  private moveSideways(step: i32): void {
    const width = this.row === ROW_COUNT ? 2 : 1; // a word takes the place of two keys
    const column = this.row === ROW_COUNT ? this.column & ~1 : this.column;
    this.move(this.row, (column + step * width + COLUMN_COUNT) % COLUMN_COUNT);
  }

  private move(row: i32, column: i32): void {
    const oldRow = this.row;
    const oldColumn = this.column;
    this.row = row;
    this.column = column;
    this.drawKey(oldRow, oldColumn);
    this.drawKey(row, column);
  }

  private pressKey(): void {
    if (this.row === ROW_COUNT) this.run(this.column / 2);
    else this.type(this.keys.charCodeAt(this.row * COLUMN_COUNT + this.column));
  }

  private type(character: i32): void {
    if (typed.length >= this.limit) return;
    typed.putByte(character);
    this.drawField();
  }

  private run(command: Command): void {
    if (command === Command.SHIFT) this.turnTo(this.keys === LETTERS ? CAPITALS : LETTERS);
    else if (command === Command.SYMBOLS) this.turnTo(this.keys === SYMBOLS ? LETTERS : SYMBOLS);
    else if (command === Command.SPACE) this.type(0x20);
    else if (command === Command.DELETE) {
      typed.removeLast();
      this.drawField();
    } else this.onDone();
  }

  private turnTo(keys: string): void {
    this.keys = keys;
    redraw();
  }

  private drawField(): void {
    fill(MARGIN, FIELD_TOP, WIDTH - 2 * MARGIN, 26, SURFACE);
    frame(MARGIN, FIELD_TOP, WIDTH - 2 * MARGIN, 26, LINE);
    const room = COLUMNS - 2;
    const columns = columnsOf(typed);
    const from = columns > room ? typed.length - room : 0; // what is typed is ASCII
    drawPart(MARGIN + 6, FIELD_TOP + 5, TEXT, typed, from, typed.length);
    fill(MARGIN + 6 + min(columns, room) * LETTER_WIDTH, FIELD_TOP + 5, 2, 16, TEXT);
  }

  private drawKey(row: i32, column: i32): void {
    const isWord = row === ROW_COUNT;
    const first = isWord ? column & ~1 : column;
    const isSelected = row === this.row && (isWord ? this.column & ~1 : this.column) === first;
    const x = KEYS_LEFT + first * KEY_WIDTH;
    const y = KEYS_TOP + row * KEY_HEIGHT;
    const width = isWord ? 2 * KEY_WIDTH : KEY_WIDTH;
    fill(x + 1, y + 1, width - 2, KEY_HEIGHT - 2, isSelected ? HIGHLIGHT : SURFACE);
    if (isWord) drawCentredString(y + 7, isSelected ? TEXT : DIM, this.wordOf(first / 2), x, width);
    else {
      key.clear().putByte(this.keys.charCodeAt(row * COLUMN_COUNT + column));
      drawPart(x + 8, y + 7, TEXT, key, 0, 1);
    }
  }

  private wordOf(command: Command): string {
    if (command === Command.SHIFT) return KEY_SHIFT;
    if (command === Command.SYMBOLS) return this.keys === SYMBOLS ? KEY_LETTERS : KEY_SYMBOLS;
    if (command === Command.SPACE) return KEY_SPACE;
    return command === Command.DELETE ? KEY_DELETE : KEY_DONE;
  }
}

function nothing(): void {}

const key = new Text(1);
const keyboard = new Keyboard();

/** Opens the keyboard with nothing typed. @param onDone reads `typed`; it closes the keyboard, or leaves it open */
export function openKeyboard(onDone: () => void): void {
  typed.clear();
  keyboard.onDone = onDone;
  keyboard.limit = USUAL_LIMIT;
  openScreen(keyboard);
}

/** Opens the keyboard with what `typed` has, to go on from there: as much as it can hold. */
export function openKeyboardOnTyped(onDone: () => void): void {
  keyboard.onDone = onDone;
  keyboard.limit = typed.capacity;
  openScreen(keyboard);
}
