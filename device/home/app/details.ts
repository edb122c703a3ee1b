/** All about one app, and what can be done with it. The app is known by its name: its place in the list changes. */
import { Button } from "svc";
import { askAbout, call, isConflict, request } from "./api";
import { about, readDescription, writeExit } from "./app-description";
import { App, appAt, indexOfApp, isBad, noteStarted, noteStopped } from "./apps";
import { drawString, drawText, LETTER_HEIGHT, loseDisplay, MARGIN } from "./canvas";
import { cardText, question, tellFailure } from "./card";
import { drawIcon, ICON_SIZE, isIconMissing, loadIcon } from "./icons";
import { Page } from "./page";
import { BAD, DIM, TEXT } from "./palette";
import { APPS } from "./parts";
import { BODY_TOP, closeScreen, openScreen, redraw } from "./screen";
import { want } from "./state";
import {
  APP_GONE,
  BACKGROUND_NO,
  BACKGROUND_YES,
  BY,
  CANCEL,
  DETAILS,
  HINTS_DETAILS,
  HINTS_PAGE,
  LAST_RUN,
  MAY,
  MAY_NOTHING,
  OPEN,
  SIZE,
  START,
  STOP,
  UNINSTALL,
  UNINSTALL_EFFECT,
  UNINSTALL_QUESTION,
} from "./texts";

const ICON_TOP = BODY_TOP + 4;
const BESIDE_ICON = MARGIN + ICON_SIZE + MARGIN;
const COLUMNS_BESIDE_ICON = 19;

/** The app of the page. */
const subject = new App();

class Details extends Page {
  private isGone: bool = false;

  title(): string {
    return DETAILS;
  }

  override hints(): string {
    return this.isGone ? HINTS_PAGE : HINTS_DETAILS;
  }

  override press(button: i32): void {
    if (button === Button.SELECT && !this.isGone) this.changeBackground();
    else super.press(button);
  }

  override show(): void {
    this.isGone = !readDescription(subject.name);
    const index = indexOfApp(subject.name);
    if (index >= 0) subject.copy(appAt(index));
  }

  override changed(parts: i32): void {
    if (!(parts & APPS)) return;
    this.show();
    redraw();
  }

  override tick(now: i64): void {
    if (!this.isGone && isIconMissing(subject) && loadIcon(subject, now)) redraw();
  }

  override drawHead(): i32 {
    if (this.isGone) return BODY_TOP;
    drawIcon(subject, MARGIN, ICON_TOP);
    drawText(BESIDE_ICON, ICON_TOP, TEXT, subject.name, COLUMNS_BESIDE_ICON);
    drawText(BESIDE_ICON, ICON_TOP + 20, DIM, about.version, COLUMNS_BESIDE_ICON);
    if (about.author.length > 0) {
      const author = this.text.clear().put(BY).putText(about.author);
      drawText(BESIDE_ICON, ICON_TOP + 20 + LETTER_HEIGHT, DIM, author, COLUMNS_BESIDE_ICON);
    }
    const background = about.isAllowedBehind ? BACKGROUND_YES : BACKGROUND_NO;
    drawString(BESIDE_ICON, ICON_TOP + 20 + 2 * LETTER_HEIGHT, DIM, background, COLUMNS_BESIDE_ICON);
    return ICON_TOP + ICON_SIZE + 6;
  }

  writeLines(): void {
    const text = this.text;
    if (this.isGone) {
      text.clear().put(APP_GONE);
      this.paragraph();
      return;
    }
    text.copy(about.description);
    this.paragraph();
    text.clear().put(SIZE).putBytes(about.sizeBytes);
    this.paragraph(DIM);
    text.clear().put(MAY).putText(about.capabilities);
    if (about.capabilities.length === 0) text.put(MAY_NOTHING);
    this.paragraph(DIM);
    writeExit(text.clear().put(LAST_RUN));
    this.paragraph(isBad(about.reason) ? BAD : DIM);
  }

  private changeBackground(): void {
    request.clear().put("POST /api/apps/background?allowed=");
    request
      .put(about.isAllowedBehind ? "false" : "true")
      .put("&name=")
      .putEncoded(subject.name);
    if (call()) {
      this.show();
      redraw();
    } else tellFailure();
  }

  override actionCount(): i32 {
    return this.isGone ? 0 : subject.isRunning ? 3 : 2;
  }

  override actionLabel(action: i32): string {
    if (action === 0) return subject.isRunning ? OPEN : START;
    return action === 1 && subject.isRunning ? STOP : UNINSTALL;
  }

  override run(action: i32): void {
    if (action === 0) openApp(subject);
    else if (action === 1 && subject.isRunning) stop();
    else askToUninstall();
  }
}

const details = new Details();

export function openDetails(app: App): void {
  subject.copy(app);
  openScreen(details);
}

const TO_START = "POST /api/apps/start?name=";
const TO_FRONT = "POST /api/apps/front?name=";

/** Starts an app, or brings it to the front where it runs, which it may have begun or ceased to do since it was read. */
export function openApp(app: App): void {
  const isOpen = askAbout(app.isRunning ? TO_FRONT : TO_START, app.name);
  if (isOpen || (isConflict() && askAbout(app.isRunning ? TO_START : TO_FRONT, app.name))) {
    noteStarted(app.name);
    loseDisplay();
  } else tellFailure();
  want(APPS);
}

function stop(): void {
  if (askAbout("POST /api/apps/stop?name=", subject.name)) noteStopped(subject.name);
  else tellFailure();
  want(APPS);
}

function askToUninstall(): void {
  cardText.copy(subject.name).put(UNINSTALL_EFFECT);
  question(UNINSTALL_QUESTION, CANCEL, UNINSTALL, uninstall);
}

/** The question is closed by now, and the page of the app is on top. */
function uninstall(): void {
  want(APPS);
  if (askAbout("POST /api/apps/uninstall?name=", subject.name)) closeScreen();
  else tellFailure();
}
