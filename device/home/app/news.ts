/** Cards that the console's state asks for: an app has ended badly, the hub offers firmware, firmware is on trial. */
import { about, readDescription, writeExit } from "./app-description";
import { takeFailedApp } from "./apps";
import { cardText, question, tell } from "./card";
import { applyUpdate, firmwarePage } from "./firmware-page";
import { isAtHome, openScreen, topScreen } from "./screen";
import { firmware, settings } from "./state";
import { Text } from "./text";
import { APP_ENDED, FIRMWARE_INSTALL, FIRMWARE_LATER, FIRMWARE_OFFER, FIRMWARE_OFFERED } from "./texts";

/** The version that was offered last: it is offered once. */
const offered = new Text(16);
let isTrialShown: bool = false;

/** Opens at most one card, and none over a question or a keyboard. */
export function showNews(): void {
  if (topScreen().isModal || showFailedApp() || !isAtHome()) return;
  if (firmware.isOnTrial()) showTrial();
  else showOffer();
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
  if (isTrialShown) return;
  isTrialShown = true;
  openScreen(firmwarePage);
}

function showOffer(): void {
  const version = firmware.availableVersion;
  if (version.length === 0 || !settings.updates.is("ask") || version.equals(offered)) return;
  offered.copy(version);
  cardText.copy(version).put(FIRMWARE_OFFERED);
  question(FIRMWARE_OFFER, FIRMWARE_LATER, FIRMWARE_INSTALL, installOffer);
}

function installOffer(): void {
  openScreen(firmwarePage);
  applyUpdate();
}
