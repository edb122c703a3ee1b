/**
 * Keeps the focus among cards that appear and disappear: if the focused element disappears, the heading of its card
 * gets the focus, or that of the card that replaced it. The browser would move it to the whole page.
 */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** @param cards whose children are the cards, each with a heading that can be focused; drawn by who calls this */
export function useCardFocus(cards: RefObject<HTMLElement | null>): void {
  const before = [...(cards.current?.children ?? [])];
  const { activeElement } = document; // before anything has gone
  const at = before.findIndex((card) => card.contains(activeElement));
  useLayoutEffect(() => {
    if (at < 0 || activeElement?.isConnected) return;
    const card = cardAfter(before, [...(cards.current?.children ?? [])], at);
    card?.querySelector<HTMLElement>("h3[tabindex]")?.focus();
  });
}

/** Of the card that was at `at`: itself, else what has come in its place, else what stands before it. */
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
