/**
 * Setting up with a phone: name, password and QR code of the console's own network, and what becomes of it. B ends it
 * (docs/spec/home.md#setup).
 */
import { call, request } from "./api";
import { tellFailure } from "./card";
import { Page } from "./page";
import { BAD, DIM, GOOD, TEXT } from "./palette";
import { SETUP as PART, WIFI } from "./parts";
import { drawQr } from "./qr-view";
import { BODY_TOP, openScreen, redraw } from "./screen";
import { readSetup, SetupPhase, setup, want, wifi } from "./state";
import {
  SETUP,
  SETUP_CHOOSE,
  SETUP_CLOSED,
  SETUP_NAME,
  SETUP_PASSWORD,
  SETUP_PHONES,
  SETUP_TIMEOUT,
  SETUP_WAITING,
  WIFI_JOINED,
  WIFI_JOINING,
} from "./texts";
import { writeReason } from "./wifi-menu";

const SCALE = 4;

class SetupPage extends Page {
  title(): string {
    return SETUP;
  }

  override isSecret(): bool {
    return !setup.isClosed();
  }

  override changed(parts: i32): void {
    if (parts & (PART | WIFI)) redraw();
  }

  override closed(): void {
    if (!setup.isClosed() && change("false")) readSetup();
    want(WIFI);
  }

  override drawHead(): i32 {
    if (setup.isClosed()) return BODY_TOP;
    // As cameras of phones read it. Neither name nor password has a character that would be escaped.
    const code = this.text.clear().put("WIFI:T:WPA;S:").putText(setup.ssid);
    return drawQr(BODY_TOP, SCALE, code.put(";P:").putText(setup.password).put(";;")) + 4;
  }

  writeLines(): void {
    const text = this.text.clear();
    if (setup.isClosed()) {
      this.writeEnd();
      return;
    }
    text.put(SETUP_NAME).putText(setup.ssid);
    this.paragraph();
    text.clear().put(SETUP_PASSWORD).putText(setup.password);
    this.paragraph();
    text.clear().put(SETUP_PHONES).putNumber(setup.clients);
    this.paragraph(DIM);
    this.writeState();
  }

  private writeState(): void {
    const text = this.text.clear();
    if (setup.phase === SetupPhase.JOINED) {
      text.put(WIFI_JOINED).putText(wifi.ssid);
      this.paragraph(GOOD);
    } else if (setup.phase === SetupPhase.JOINING) {
      text.put(WIFI_JOINING).putText(wifi.ssid);
      this.paragraph();
    } else if (setup.hasFailed) {
      writeReason(text);
      this.paragraph(BAD);
    } else if (setup.clients === 0) {
      text.put(SETUP_WAITING);
      this.paragraph();
    } else {
      text.put(SETUP_CHOOSE);
      this.paragraph();
    }
    if (setup.clients === 0) return;
    text.clear().putText(setup.page);
    this.paragraph(DIM);
  }

  private writeEnd(): void {
    const isJoined = setup.phase === SetupPhase.CLOSED_BY_JOINING;
    if (isJoined) this.text.put(WIFI_JOINED).putText(wifi.ssid);
    else this.text.put(setup.phase === SetupPhase.CLOSED_BY_TIME ? SETUP_TIMEOUT : SETUP_CLOSED);
    this.paragraph(isJoined ? GOOD : TEXT);
  }
}

const setupPage: Page = new SetupPage();

function change(isOpen: string): bool {
  request.clear().put("POST /api/wifi/setup?open=").put(isOpen);
  return call();
}

/** Opens the access point, and the page of it if that succeeds. */
export function startSetup(): void {
  if (!change("true")) {
    tellFailure();
    return;
  }
  readSetup();
  openScreen(setupPage);
}
