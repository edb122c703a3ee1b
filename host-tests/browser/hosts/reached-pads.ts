/** Which buttons of the handheld a finger reaches without scrolling. */
import type { Page } from "playwright-core";

/** @returns names of the buttons that are not seen whole at the top of the page, or lie below something else */
export function unreachablePads(page: Page): Promise<readonly (string | undefined)[]> {
  return page.evaluate(() => {
    window.scrollTo(0, 0);
    const isReached = (pad: HTMLElement) => {
      const { left, right, top, bottom } = pad.getBoundingClientRect();
      const isSeen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      return isSeen && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === pad;
    };
    const pads = [...document.querySelectorAll<HTMLElement>(".pad")];
    return pads.filter((pad) => !isReached(pad)).map((pad) => pad.dataset["button"]);
  });
}
