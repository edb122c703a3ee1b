/** Cards that the console's state asks for: an app has ended badly, the hub asks, firmware is on trial. */
import { about, readDescription, writeExit } from "./app-description";
import { takeFailedApp } from "./apps";
import { cardText, tell } from "./card";
import { firmwarePage } from "./firmware-page";
import { closeAnsweredQuestion, showQuestion } from "./hub-questions";
import { isAtHome, openScreen, topScreen } from "./screen";
import { firmware } from "./state";
import { APP_ENDED } from "./texts";

let isTrialShown: bool = false;

/** Opens at most one card, and none over a question or a keyboard. */
export function showNews(): void {
  closeAnsweredQuestion();
  if (topScreen().isModal || showFailedApp()) return;
  if (firmware.isOnTrial() && !isTrialShown && isAtHome()) showTrial();
  else showQuestion();
}

function showFailedApp(): bool {
  const app = takeFailedApp();
  if (!app) return false;
  if (!readDescription(app.name)) about.reason = app.reason; // without the sentence of the console
  writeExit(cardText.copy(app.name).putByte(0x20)).putByte(0x2e);
  tell(APP_ENDED);
  return true;
}

/** A trial ends by itself, so that its page comes unasked. */
function showTrial(): void {
  isTrialShown = true;
  openScreen(firmwarePage);
}
