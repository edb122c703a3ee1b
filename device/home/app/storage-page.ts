/** How full the storage is. */
import { fill, MARGIN, WIDTH } from "./canvas";
import { Page } from "./page";
import { DIM, HIGHLIGHT, SURFACE, WARNING } from "./palette";
import { APPS, SYSTEM } from "./parts";
import { BODY_TOP } from "./screen";
import { system, want } from "./state";
import { Text } from "./text";
import {
  CARD_FILES,
  CARD_MORE,
  CARD_REFUSED,
  STORAGE,
  STORAGE_FREE,
  STORAGE_UNKNOWN,
  STORAGE_USED,
} from "./texts";

const BAR_HEIGHT = 20;

class StoragePage extends Page {
  title(): string {
    return STORAGE;
  }

  override open(): void {
    super.open();
    want(SYSTEM);
  }

  override changed(parts: i32): void {
    if (parts & APPS) want(SYSTEM); // what is installed takes storage
    super.changed(parts);
  }

  override drawHead(): i32 {
    const total = system.storageTotalBytes;
    if (total <= 0) return BODY_TOP;
    const width = WIDTH - 2 * MARGIN;
    fill(MARGIN, BODY_TOP + 4, width, BAR_HEIGHT, SURFACE);
    fill(MARGIN, BODY_TOP + 4, i32((i64(width) * usedBytes()) / total), BAR_HEIGHT, HIGHLIGHT);
    return BODY_TOP + BAR_HEIGHT + 12;
  }

  writeLines(): void {
    const text = this.text.clear();
    this.writeStorage(text);
    if (system.cardFiles < 0) return;
    text.clear().put(CARD_FILES).putNumber(system.cardFiles);
    if (system.cardRefused > 0) text.put(CARD_REFUSED).putNumber(system.cardRefused);
    text.put(system.hasMoreCardFiles ? CARD_MORE : ".");
    this.paragraph(system.hasMoreCardFiles ? WARNING : DIM);
  }

  private writeStorage(text: Text): void {
    const total = system.storageTotalBytes;
    if (total <= 0) {
      text.put(STORAGE_UNKNOWN);
      this.paragraph();
      return;
    }
    text.putBytes(usedBytes()).put(STORAGE_USED).putBytes(total);
    this.paragraph();
    text
      .clear()
      .put(STORAGE_FREE)
      .putBytes(total - usedBytes());
    this.paragraph(DIM);
  }
}

function usedBytes(): i64 {
  return max<i64>(0, min<i64>(system.storageTotalBytes - system.storageFreeBytes, system.storageTotalBytes));
}

export const storagePage: Page = new StoragePage();
