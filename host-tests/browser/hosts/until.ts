/** Polling for changes that neither the page nor a process reports. */
const LIMIT_MS = 30_000;
/** So that looking leaves the page, which shares the processors, its time. */
const PAUSE_MS = 20;

/** The result of `look` once `holds` accepts it. */
export async function until<Seen>(look: () => Promise<Seen>, holds: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error("What was waited for did not happen");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
