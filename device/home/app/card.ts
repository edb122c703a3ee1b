/**
 * A card over the screen: news that A closes, or a question with two or three answers. The question's first answer is to
 * leave everything as it is, and the cursor begins there.
 */
import { Button } from "svc";
import { failure } from "./api";
import { drawCentredString, drawString, drawWrapped, fill, frame, WIDTH } from "./canvas";
import { DIM, HIGHLIGHT, SURFACE, TEXT, TITLE } from "./palette";
import { closeScreen, openScreen, Screen } from "./screen";
import { Text } from "./text";
import { FAILED, HINTS_CARD, HINTS_QUESTION } from "./texts";

const LEFT = 8;
const TOP = 60;
const CARD_WIDTH = 224;
/** Without answers after the second. */
const CARD_HEIGHT = 204;
const ANSWER_TOP = TOP + 146;
const ANSWER_HEIGHT = 26;
const COLUMNS = 26;
const LINES = 7;

/** What a text of a card is written in, before the card opens. */
export const cardText = new Text(320);

export class Card extends Screen {
  title: string = "";
  leave: string = "";
  act: string = "";
  onAct: () => void = nothing;
  /** The third answer, if there is one. */
  refuse: string = "";
  onRefuse: () => void = nothing;
  private cursor: i32 = 0;

  override open(): void {
    this.isModal = true;
    this.cursor = 0;
  }

  hints(): string {
    return this.act.length > 0 ? HINTS_QUESTION : HINTS_CARD;
  }

  draw(): void {
    const height = CARD_HEIGHT + max(0, this.answerCount() - 2) * ANSWER_HEIGHT;
    fill(LEFT, TOP, CARD_WIDTH, height, SURFACE);
    frame(LEFT, TOP, CARD_WIDTH, height, DIM);
    drawString(LEFT + 8, TOP + 8, TITLE, this.title, COLUMNS);
    drawWrapped(LEFT + 8, TOP + 32, TEXT, cardText, COLUMNS, LINES);
    this.drawAnswers();
  }

  press(button: i32): void {
    if (button === Button.A) this.answer();
    else if (this.act.length === 0) return;
    else if (button === Button.UP || button === Button.LEFT) this.move(this.cursor - 1);
    else if (button === Button.DOWN || button === Button.RIGHT) this.move(this.cursor + 1);
  }

  private answerCount(): i32 {
    if (this.act.length === 0) return 0;
    return this.refuse.length === 0 ? 2 : 3;
  }

  private answer(): void {
    const onAct = this.onAct;
    const onRefuse = this.onRefuse;
    const answer = this.cursor;
    closeScreen(); // first: what the answer does may open a card, too
    if (answer === 1) onAct();
    else if (answer === 2) onRefuse();
  }

  private move(cursor: i32): void {
    if (cursor < 0 || cursor >= this.answerCount()) return;
    this.cursor = cursor;
    this.drawAnswers();
  }

  private drawAnswers(): void {
    const count = this.answerCount();
    if (count > 0) this.drawAnswer(0, this.leave);
    if (count > 1) this.drawAnswer(1, this.act);
    if (count > 2) this.drawAnswer(2, this.refuse);
  }

  private drawAnswer(index: i32, label: string): void {
    const y = ANSWER_TOP + index * ANSWER_HEIGHT;
    fill(LEFT + 8, y, CARD_WIDTH - 16, ANSWER_HEIGHT - 2, index === this.cursor ? HIGHLIGHT : SURFACE);
    drawCentredString(y + 4, TEXT, label, 0, WIDTH);
  }
}

function nothing(): void {}

const card = new Card();

/** Opens a card with `cardText`. */
export function tell(title: string): void {
  question(title, "", "", nothing);
}

/** Opens a question with `cardText`. @param onAct runs once the card is closed */
export function question(title: string, leave: string, act: string, onAct: () => void): void {
  card.title = title;
  card.leave = leave;
  card.act = act;
  card.onAct = onAct;
  openScreen(card);
}

/** Opens a card with the reason why the last request failed. */
export function tellFailure(): void {
  cardText.copy(failure);
  tell(FAILED);
}
