/** The hub of the console, and the code with which an account claims the console, large and as a QR code. */
import { BIG_ADVANCE, drawBigLetter } from "./big-letters";
import { drawString, MARGIN, WIDTH } from "./canvas";
import { Page } from "./page";
import { DIM, GOOD, TEXT, WARNING } from "./palette";
import { drawQr } from "./qr-view";
import { BODY_TOP, redraw } from "./screen";
import { hub, HUB as PART, want } from "./state";
import { HUB, HUB_CLAIM, HUB_CONNECTED, HUB_NONE, HUB_NOT_CONNECTED } from "./texts";

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
    if (parts & PART) redraw();
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
}

export const hubPage: Page = new HubPage();
