/** The firmware: its version, an update and its progress, and the choice at the end of a trial. */
import { ask, failure } from "./api";
import { fill, MARGIN, WIDTH } from "./canvas";
import { cardText, tell, tellFailure } from "./card";
import { json } from "./json";
import { Page } from "./page";
import { BAD, DIM, GOOD, HIGHLIGHT, LINE, SURFACE, WARNING } from "./palette";
import { FIRMWARE as PART } from "./parts";
import { BODY_TOP, redraw } from "./screen";
import { firmware, readFirmware, want } from "./state";
import {
  FAILED,
  FIRMWARE,
  FIRMWARE_AVAILABLE,
  FIRMWARE_BACK,
  FIRMWARE_CONFIRMED,
  FIRMWARE_IDLE,
  FIRMWARE_INSTALL,
  FIRMWARE_KEEP,
  FIRMWARE_RECEIVING,
  FIRMWARE_REJECTED,
  FIRMWARE_RESTART,
  FIRMWARE_ROLLED_BACK,
  FIRMWARE_STAGED,
  FIRMWARE_TRIAL,
  PERCENT,
  RESTARTING,
  SLOT,
  VERSION,
} from "./texts";

const BAR_HEIGHT = 14;
const PROGRESS_EVERY_MS = 1000;

class FirmwarePage extends Page {
  private now: i64 = 0;
  private shownSecond: i64 = -1;
  private askAt: i64 = 0;

  title(): string {
    return FIRMWARE;
  }

  override open(): void {
    super.open();
    isApplying = false;
    want(PART);
  }

  /** The countdown of a trial goes on each second, and progress is asked for. */
  override tick(now: i64): void {
    this.now = now;
    const second = firmware.isOnTrial() ? this.secondsLeft() : -1;
    if (second !== this.shownSecond) {
      this.shownSecond = second;
      redraw();
    }
    if (now < this.askAt) return;
    this.askAt = now + PROGRESS_EVERY_MS;
    if (firmware.state.is("receiving") || isApplying) want(PART);
    if (!firmware.state.is("idle")) isApplying = false;
  }

  override changed(parts: i32): void {
    if (parts & PART) redraw();
  }

  override drawHead(): i32 {
    if (!firmware.state.is("receiving")) return BODY_TOP;
    const width = WIDTH - 2 * MARGIN;
    const percent = max(0, min(100, firmware.progressPercent));
    fill(MARGIN, BODY_TOP + 4, width, BAR_HEIGHT, SURFACE);
    fill(MARGIN, BODY_TOP + 4, (width * percent) / 100, BAR_HEIGHT, HIGHLIGHT);
    fill(MARGIN, BODY_TOP + 4 + BAR_HEIGHT, width, 1, LINE);
    return BODY_TOP + BAR_HEIGHT + 12;
  }

  writeLines(): void {
    const text = this.text.clear().put(VERSION).putText(firmware.version);
    if (firmware.slot.length > 0) text.put(SLOT).putText(firmware.slot);
    this.paragraph();
    this.writeState();
    if (firmware.availableVersion.length > 0) {
      this.text.clear().put(FIRMWARE_AVAILABLE).putText(firmware.availableVersion);
      this.paragraph(GOOD);
    }
    this.writeResult();
  }

  private writeState(): void {
    const text = this.text.clear();
    if (firmware.isOnTrial()) {
      const seconds = this.secondsLeft();
      text
        .put(FIRMWARE_TRIAL)
        .putNumber(seconds / 60)
        .putByte(0x3a)
        .putTwoDigits(i32(seconds % 60))
        .putByte(0x2e);
      this.paragraph(WARNING);
      return;
    }
    if (firmware.state.is("receiving"))
      text.put(FIRMWARE_RECEIVING).putNumber(firmware.progressPercent).put(PERCENT);
    else if (firmware.state.is("staged"))
      text.put(FIRMWARE_STAGED).putText(firmware.stagedVersion).putByte(0x2e);
    else text.put(FIRMWARE_IDLE);
    this.paragraph(DIM);
  }

  private writeResult(): void {
    const text = this.text.clear();
    if (firmware.result.is("confirmed")) text.put(FIRMWARE_CONFIRMED);
    else if (firmware.result.is("rolled_back")) text.put(FIRMWARE_ROLLED_BACK);
    else if (firmware.result.is("rejected")) text.put(FIRMWARE_REJECTED);
    else return;
    const isGood = firmware.result.is("confirmed");
    if (!isGood && firmware.resultMessage.length > 0) text.put(": ").putText(firmware.resultMessage);
    this.paragraph(isGood ? DIM : BAD);
  }

  private secondsLeft(): i64 {
    return max<i64>(0, (firmware.confirmUntil - this.now) / 1000);
  }

  override actionCount(): i32 {
    if (firmware.isOnTrial()) return 2;
    if (firmware.state.is("staged")) return 1;
    return firmware.state.is("idle") && firmware.availableVersion.length > 0 ? 1 : 0;
  }

  override actionLabel(action: i32): string {
    if (firmware.isOnTrial()) return action === 0 ? FIRMWARE_KEEP : FIRMWARE_BACK;
    return firmware.state.is("staged") ? FIRMWARE_RESTART : FIRMWARE_INSTALL;
  }

  override run(action: i32): void {
    if (firmware.isOnTrial() && action === 0) this.keep();
    else if (firmware.isOnTrial() || firmware.state.is("staged")) restart();
    else applyUpdate();
  }

  private keep(): void {
    if (!ask("POST /api/ota/confirm")) tellFailure();
    else readFirmware(this.now);
    want(PART);
    redraw();
  }
}

/** Whether an update was asked for that the console does not report yet. */
let isApplying: bool = false;

function restart(): void {
  if (!ask("POST /api/reboot")) {
    tellFailure();
    return;
  }
  cardText.clear().put(RESTARTING);
  tell(FIRMWARE);
}

/** The console begins to fetch the firmware that its hub offers. */
export function updateBegins(): void {
  isApplying = true;
  want(PART);
}

/** Lets the console fetch the firmware that its hub offers. */
function applyUpdate(): void {
  want(PART);
  if (!ask("POST /api/cmd?c=ota%20apply")) {
    tellFailure();
    return;
  }
  isApplying = true;
  failure.clear();
  let hasFailed = false;
  if (json.enterObject())
    while (json.nextMember()) {
      if (json.isNamed("output")) json.readText(failure);
      else if (json.isNamed("error")) hasFailed = true;
    }
  if (!hasFailed) return;
  isApplying = false;
  cardText.copy(failure);
  tell(FAILED);
}

export const firmwarePage = new FirmwarePage();
