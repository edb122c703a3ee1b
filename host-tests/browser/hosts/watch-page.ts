/** Measures layout shifts from the page's first moment on. Playwright sends the function to the page as text. */

export interface Watched {
  /** Sum of all layout shifts without recent user input (Layout Instability, §2.4). */
  layoutShift: number;
  /** The elements that moved, for debugging. */
  readonly shifted: string[];
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

export function watchPage(): void {
  const watched: Watched = { layoutShift: 0, shifted: [] };
  (window as unknown as { watched: Watched }).watched = watched;
  const nameOf = (node: Node | null) =>
    node instanceof Element ? `${node.tagName.toLowerCase()}.${node.className}` : `${node?.nodeName}`;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      if (entry.hadRecentInput) continue;
      watched.layoutShift += entry.value;
      watched.shifted.push(...entry.sources.map(({ node }) => nameOf(node)));
    }
  }).observe({ type: "layout-shift", buffered: true });
}
