/** The console: its name and address, and a QR code of its page for a telephone. */
import { LETTER_HEIGHT } from "./canvas";
import { Page } from "./page";
import { DIM } from "./palette";
import { STATUS, SYSTEM } from "./parts";
import { drawQr } from "./qr-view";
import { BODY_TOP } from "./screen";
import { status, system, want } from "./state";
import { Text } from "./text";
import { ADDRESS, BOARD, CONSOLE, FREE_MEMORY, NAME, NO_ADDRESS, PAGE_AT, PAGE_NEEDS_NETWORK } from "./texts";

const SCALE = 4;
/** Of an address without one. */
const HTTP_PORT = 80;
const COLON = 0x3a;
const SLASH = 0x2f;

class ConsolePage extends Page {
  private readonly url: Text = new Text(64);

  title(): string {
    return CONSOLE;
  }

  override open(): void {
    super.open();
    want(STATUS | SYSTEM);
  }

  override drawHead(): i32 {
    if (status.address.length === 0) return BODY_TOP;
    this.url.clear().put("http://").putText(status.address);
    if (system.httpPort !== HTTP_PORT) this.url.putByte(COLON).putNumber(system.httpPort);
    this.url.putByte(SLASH);
    return drawQr(BODY_TOP, SCALE, this.url) + LETTER_HEIGHT / 2;
  }

  writeLines(): void {
    const text = this.text.clear().put(NAME).putText(system.name);
    this.paragraph();
    const hasAddress = status.address.length > 0;
    text.clear().put(ADDRESS);
    if (hasAddress) text.putText(status.address);
    else text.put(NO_ADDRESS);
    this.paragraph();
    text.clear();
    if (hasAddress) text.put(PAGE_AT).putText(this.url);
    else text.put(PAGE_NEEDS_NETWORK);
    this.paragraph(DIM);
    text.clear().put(BOARD).putText(system.board);
    this.paragraph(DIM);
    text.clear().put(FREE_MEMORY).putBytes(status.freeBytes);
    this.paragraph(DIM);
  }
}

export const consolePage: Page = new ConsolePage();
