/** Decides about a signature in slices, for whoever has others waiting. */
import type { SignatureCheck } from "../signature/ed25519.js";

/** @param pause settles when the next slice may begin */
export async function decidePatiently(check: SignatureCheck, pause: () => Promise<void>): Promise<boolean> {
  for (;;) {
    const verdict = check.advance();
    if (verdict !== undefined) return verdict;
    await pause();
  }
}
