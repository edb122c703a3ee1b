/**
 * A notice board: the text of a file that a web server has. It shows how an app asks over HTTP while it goes on, asks only for what
 * has changed, and says what is wrong.
 *
 * A asks at once, select ends the app.
 */
import {
  Button,
  buttonsPressed,
  displayFill,
  displayFlush,
  displayHeight,
  displayText,
  displayWidth,
  Errno,
  LogLevel,
  log,
  sleepMs,
  uptimeMs,
} from "svc";
import { ADDRESS } from "./address";
import { Inquiry } from "./inquiry";

/** Often enough for a notice; a server has other work. */
const PERIOD_MS = 30_000;
/** How often it looks at the buttons. */
const LOOK_MS = 25;

/** The console's font is 8 by 16 pixels. */
const LETTER_WIDTH = 8;
const LINE_HEIGHT = 18;
const MARGIN = 8;
const BAR_HEIGHT = 24;
const PAPER = 0xef5b;
const INK = 0x0000;
const BAR = 0x2945;
const BAR_TEXT = 0xffff;
const FAILURE = 0xfd20;

const inquiry = new Inquiry();

/** What `main` returns is the app's exit code. */
export function main(): i32 {
  const width = displayWidth();
  const height = displayHeight();
  if (width <= 0 || height <= 0) {
    log(LogLevel.ERROR, "this console has no display");
    return 1;
  }
  let nextMs = uptimeMs();
  let isAsking = false;
  show(width, height, "asking");
  while (true) {
    const pressed = max(buttonsPressed(), 0); // below 0 it is an error, with bits that are no buttons
    if ((pressed & Button.SELECT) !== 0) return 0; // which ends a request, too
    if ((pressed & Button.A) !== 0) nextMs = uptimeMs();
    if (!isAsking && uptimeMs() >= nextMs) {
      nextMs = uptimeMs() + PERIOD_MS;
      inquiry.begin(ADDRESS);
      isAsking = true;
    }
    if (isAsking && inquiry.step()) {
      isAsking = false;
      log(inquiry.status < 0 ? LogLevel.WARNING : LogLevel.INFO, outcome());
      show(width, height, outcome());
    }
    sleepMs(LOOK_MS);
  }
}

/** What came of the last question. */
function outcome(): string {
  const status = inquiry.status;
  if (status === 200) return `${inquiry.text.length} letters`;
  if (status === 304) return "still the same";
  if (status === Errno.NOT_PERMITTED) return "that is this console";
  if (status === Errno.NOT_SUPPORTED) return "this console cannot ask";
  if (status === Errno.IO) return "no server answers";
  return status < 0 ? `error ${status}` : `the server says ${status}`;
}

function show(width: i32, height: i32, state: string): void {
  displayFill(0, 0, width, height, PAPER);
  writeLines(inquiry.text, width, height - BAR_HEIGHT);
  displayFill(0, height - BAR_HEIGHT, width, BAR_HEIGHT, BAR);
  displayText(MARGIN, height - BAR_HEIGHT + 4, inquiry.status < 0 ? FAILURE : BAR_TEXT, state);
  displayFlush();
}

/** Lines that are too long go on in the next row. */
function writeLines(text: string, width: i32, height: i32): void {
  const columns = (width - 2 * MARGIN) / LETTER_WIDTH;
  const lines = text.split("\n");
  let y = MARGIN;
  for (let at = 0; at < lines.length; at++) {
    let rest = lines[at];
    do {
      if (y + LINE_HEIGHT > height) return;
      displayText(MARGIN, y, INK, rest.substring(0, columns));
      rest = rest.substring(columns);
      y += LINE_HEIGHT;
    } while (rest.length > 0);
  }
}
