/**
 * Keeps the focus in a list or among cards when elements move or disappear. By default the browser would move the focus
 * to the whole page.
 */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus in a list: on the focused control, on its item if the control disappears, or on the next item if that
 * disappears.
 * @param names of the items in order; each item's element has its name as `data-item`, and a focusable heading
 * @param orElse element to focus if the list is empty
 */
export function useKeptFocus(
  list: RefObject<HTMLElement | null>,
  names: readonly string[],
  orElse: () => HTMLElement | null | undefined,
): void {
  const shown = useRef<readonly string[]>([]);
  const { activeElement } = document; // before the items move
  const focused = list.current?.contains(activeElement) ? (activeElement as HTMLElement) : undefined;
  const item = focused?.closest<HTMLElement>("[data-item]")?.dataset["item"] ?? "";
  useLayoutEffect(() => {
    const before = shown.current;
    shown.current = names;
    if (!focused || document.activeElement === focused) return;
    if (focused.isConnected) return focused.focus();
    const next = names.includes(item) ? item : neighbourOf(item, before, names);
    const heading = [...(list.current?.querySelectorAll<HTMLElement>("[data-item]") ?? [])]
      .find(({ dataset }) => dataset["item"] === next)
      ?.querySelector<HTMLElement>("[tabindex]");
    (heading ?? orElse())?.focus();
  });
}

/** @returns the next remaining item, else the previous one */
export function neighbourOf(
  gone: string,
  before: readonly string[],
  left: readonly string[],
): string | undefined {
  const at = before.indexOf(gone);
  const isLeft = (name: string) => left.includes(name);
  return before.slice(at + 1).find(isLeft) ?? before.slice(0, Math.max(0, at)).reverse().find(isLeft);
}

/**
 * Keeps the focus among cards.
 * @param cards parent of the cards, rendered by the caller; each card has a focusable heading
 */
export function useCardFocus(cards: RefObject<HTMLElement | null>): void {
  const before = [...(cards.current?.children ?? [])];
  const { activeElement } = document; // before a card disappears
  const at = before.findIndex((card) => card.contains(activeElement));
  useLayoutEffect(() => {
    if (at < 0 || activeElement?.isConnected) return;
    const card = cardAfter(before, [...(cards.current?.children ?? [])], at);
    card?.querySelector<HTMLElement>("h3[tabindex]")?.focus();
  });
}

/** @returns the card that was at `at`, else the card that replaced it, else the card before it */
export function cardAfter<Card>(
  before: readonly Card[],
  after: readonly Card[],
  at: number,
): Card | undefined {
  const card = before[at];
  if (card !== undefined && after.includes(card)) return card;
  const next = after[at];
  return next !== undefined && !before.includes(next) ? next : after[Math.max(0, at - 1)];
}
