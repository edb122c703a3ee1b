/** Polls for changes that neither the page nor a process reports. */
const LIMIT_MS = 30_000;
/** Leaves processor time to the page between polls. */
const PAUSE_MS = 20;

/** Polls `look` until `holds` accepts its result. @returns that result */
export async function until<Seen>(look: () => Promise<Seen>, holds: (seen: Seen) => boolean): Promise<Seen> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error("What was waited for did not happen");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
