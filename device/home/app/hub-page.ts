/**
 * The hub of the console: to set, change and forget it, what it asks, and the code with which an account claims the
 * console, large and as a QR code.
 */
import { askAbout } from "./api";
import { BIG_ADVANCE, drawBigLetter } from "./big-letters";
import { drawString, MARGIN, WIDTH } from "./canvas";
import { cardText, question, tellFailure } from "./card";
import { openQuestions, questionCount } from "./hub-questions";
import { openKeyboardOnTyped, prompt, typed } from "./keyboard";
import { Page } from "./page";
import { DIM, GOOD, TEXT, WARNING } from "./palette";
import { HUB as PART, QUESTIONS } from "./parts";
import { drawQr } from "./qr-view";
import { BODY_TOP, closeScreen, redraw, topScreen } from "./screen";
import { hub, readHub, want } from "./state";
import { Text } from "./text";
import {
  CANCEL,
  FORGET,
  HUB,
  HUB_ANSWER,
  HUB_CHANGE,
  HUB_CLAIM,
  HUB_CONNECTED,
  HUB_LEAVES,
  HUB_NONE,
  HUB_NOT_CONNECTED,
  HUB_SET,
} from "./texts";

const SCALE = 4;
const LARGEST_LETTER = 4;
const LETTER_ROWS = 7;

class HubPage extends Page {
  title(): string {
    return HUB;
  }

  override isSecret(): bool {
    return hub.claimCode.length > 0;
  }

  override open(): void {
    super.open();
    want(PART);
  }

  override changed(parts: i32): void {
    if (parts & (PART | QUESTIONS)) redraw();
  }

  override drawHead(): i32 {
    const code = hub.claimCode;
    if (code.length === 0) return BODY_TOP;
    drawString(MARGIN, BODY_TOP, DIM, HUB_CLAIM);
    const size = max(1, min(LARGEST_LETTER, (WIDTH - 2 * MARGIN) / (code.length * BIG_ADVANCE)));
    const left = (WIDTH - (code.length * BIG_ADVANCE - 1) * size) / 2;
    for (let i = 0; i < code.length; i++)
      drawBigLetter(left + i * BIG_ADVANCE * size, BODY_TOP + 20, size, TEXT, code.byte(i));
    return drawQr(BODY_TOP + 28 + LETTER_ROWS * size, SCALE, code) + 6;
  }

  writeLines(): void {
    const text = this.text.clear();
    if (hub.url.length === 0) {
      text.put(HUB_NONE);
      this.paragraph();
      return;
    }
    text.putText(hub.url);
    this.paragraph();
    text.clear().put(hub.isConnected ? HUB_CONNECTED : HUB_NOT_CONNECTED);
    this.paragraph(hub.isConnected ? GOOD : WARNING);
  }

  /** Questions about keys wait without a hub, too. */
  override actionCount(): i32 {
    return (hub.url.length === 0 ? 1 : 2) + (questionCount() > 0 ? 1 : 0);
  }

  override actionLabel(action: i32): string {
    if (action === 0) return hub.url.length === 0 ? HUB_SET : HUB_CHANGE;
    return action === 1 && hub.url.length > 0 ? FORGET : HUB_ANSWER;
  }

  override run(action: i32): void {
    if (action === 0) askForAddress();
    else if (action === 1 && hub.url.length > 0) {
      askToLeave(FORGET, forget);
    } else openQuestions();
  }
}

const SCHEME = "https://";
const NO_ADDRESS = new Text(0);

/** Begins with the present address, unless that is too long to type. */
function askForAddress(): void {
  prompt.clear().put(HUB);
  typed.clear();
  if (hub.url.length > 0 && hub.url.length <= typed.capacity) typed.copy(hub.url);
  else typed.put(SCHEME);
  openKeyboardOnTyped(enterAddress);
}

/** Another hub means to leave the present one. */
function enterAddress(): void {
  if (typed.length === 0 || typed.is(SCHEME)) return;
  if (hub.url.length === 0 || typed.equals(hub.url)) set(typed);
  else {
    askToLeave(HUB_CHANGE, change);
  }
}

function askToLeave(act: string, onAct: () => void): void {
  cardText.clear().put(HUB_LEAVES).putText(hub.url);
  question(HUB, CANCEL, act, onAct);
}

function change(): void {
  set(typed);
}

function forget(): void {
  set(NO_ADDRESS);
}

/** What was typed stays on the keyboard unless the console takes it. */
function set(url: Text): void {
  want(PART | QUESTIONS);
  if (!askAbout("POST /api/hub?url=", url)) tellFailure();
  else {
    readHub();
    if (topScreen() !== hubPage) closeScreen(); // the keyboard
  }
  redraw();
}

export const hubPage: Page = new HubPage();
