/**
 * How much of a sweep runs: a few of its points in `npm test`, then a sample of them in CI, and all of them in
 * `npm run test:nightly`. A sweep passes its sizes to `inTier`, and is otherwise the same program in every tier.
 */

/** `quick` is `npm test`, `sample` what CI adds to it, `nightly` everything. */
export type Tier = "quick" | "sample" | "nightly";

const TIERS: readonly Tier[] = ["quick", "sample", "nightly"];

export const tier: Tier = tierOf(process.env["SVC_TEST_TIER"] ?? "quick");

/**
 * For tests that are the same on each of several kinds (of heap, cable, page): `npm test` runs the first kind, CI's sample the
 * others (host-tests/nightly.ts lists the files).
 */
export function kindsInTier<Kind>(kinds: readonly Kind[]): readonly Kind[] {
  return inTier({
    quick: kinds.slice(0, 1),
    sample: kinds.length > 1 ? kinds.slice(1) : kinds,
    nightly: kinds,
  });
}

/**
 * For sweeps over every bit of a file: `npm test` flips every seventh one, which has each of the eight places of a byte, and
 * the other tiers all.
 */
export function bitsInTier(bytes: Uint8Array): readonly number[] {
  const step = inTier({ quick: 7, sample: 1, nightly: 1 });
  return Array.from({ length: Math.ceil((8 * bytes.length) / step) }, (_, index) => index * step);
}

/** @returns the size of a sweep in this run */
export function inTier<Size>(sizes: Readonly<Record<Tier, Size>>): Size {
  return sizes[tier];
}

function tierOf(name: string): Tier {
  const found = TIERS.find((candidate) => candidate === name);
  if (!found) throw new Error(`SVC_TEST_TIER is one of ${TIERS.join(", ")}, and not "${name}"`);
  return found;
}
