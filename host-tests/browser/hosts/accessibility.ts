/** Accessibility checks: axe-core's rules, and use by keyboard alone. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns axe-core's findings for the current state of the page, one line each, with the elements. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe); // through the debugger, which the page's CSP does not restrict
  const results = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults;
  return results.violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
}

export interface KeyboardWalk {
  /** Controls that Tab does not reach. */
  readonly missed: readonly string[];
  /** Controls that look the same with and without focus. */
  readonly unmarked: readonly string[];
}

/** Tabs through the page from the current focus, until all controls have had it. */
export async function walkByKeyboard(page: Page): Promise<KeyboardWalk> {
  await page.evaluate(markControls);
  const seen = new Set<string>();
  const unmarked: string[] = [];
  let timesLeft = 0;
  for (let step = 0; step < STEP_LIMIT && timesLeft < 2; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(describeFocus);
    if (at === undefined) timesLeft += 1; // the page at its end, for the browser's own controls
    if (at === undefined || seen.has(at.key)) continue;
    seen.add(at.key);
    if (!at.isMarked) unmarked.push(at.name);
  }
  const missed = await page.evaluate(controlsNotIn, [...seen]);
  return { missed, unmarked };
}

const STEP_LIMIT = 200;

interface Marking {
  /** The look of a control and of its container, since either can show the focus ring. */
  readonly looksOf: (control: Element) => string;
}

/** Numbers the reachable controls, and stores their look without focus. */
function markControls(): void {
  const lookOf = (element: Element, part?: string): string => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(
      element,
      part,
    );
    const outline = outlineStyle === "none" ? "" : `${outlineWidth} ${outlineColor}`;
    return [outline, boxShadow, borderColor].join();
  };
  const looksOf = (control: Element): string => {
    const around = [control.parentElement, control.parentElement?.parentElement];
    const drawn = around.map((element) => (element ? lookOf(element) : ""));
    return [lookOf(control), lookOf(control, "::before"), lookOf(control, "::after"), ...drawn].join("|");
  };
  Object.assign(window, { looksOf });
  const focused = document.activeElement;
  if (focused instanceof HTMLElement) focused.blur();
  const controls = document.querySelectorAll<HTMLElement>(
    "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex='0']",
  );
  for (const [index, control] of [...controls].entries()) {
    if (control.closest("[inert]") || !control.checkVisibility({ visibilityProperty: true })) continue;
    control.dataset["walk"] = `${index}`;
    control.dataset["plain"] = looksOf(control);
  }
}

/** Returns the focused control; `undefined` if Tab has left the page. */
function describeFocus(): { key: string; name: string; isMarked: boolean } | undefined {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return undefined;
  const { walk = focused.outerHTML, plain } = focused.dataset;
  const { looksOf } = window as unknown as Marking;
  return { key: walk, name: focused.outerHTML.slice(0, 200), isMarked: looksOf(focused) !== plain };
}

/**
 * Returns the controls that Tab did not reach. Tab reaches one radio button of a group; arrow keys reach the others.
 */
function controlsNotIn(seen: readonly string[]): string[] {
  const isReached = (control: HTMLElement): boolean => {
    if (seen.includes(`${control.dataset["walk"]}`)) return true;
    if (!(control instanceof HTMLInputElement) || control.type !== "radio") return false;
    const group = document.querySelectorAll<HTMLElement>(`input[type=radio][name="${control.name}"]`);
    return [...group].some((other) => seen.includes(`${other.dataset["walk"]}`));
  };
  const controls = [...document.querySelectorAll<HTMLElement>("[data-walk]")];
  return controls.filter((control) => !isReached(control)).map(({ outerHTML }) => outerHTML.slice(0, 200));
}
