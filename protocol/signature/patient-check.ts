/** Decides about a signature in slices, for whoever has others waiting. */

/** What is decided a slice at a time: no verdict yet is `undefined`. */
interface Slices {
  advance(): boolean | undefined;
}

/** @param pause settles when the next slice may begin */
export async function decidePatiently(check: Slices, pause: () => Promise<void>): Promise<boolean> {
  for (;;) {
    const verdict = check.advance();
    if (verdict !== undefined) return verdict;
    await pause();
  }
}
