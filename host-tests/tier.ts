/**
 * How much of a sweep runs, and on how many kinds of a thing. A sweep passes its sizes to `inTier`, and is otherwise the same
 * program in every tier.
 */

/**
 * `quick` is `npm test`: the suites of quick-suites.ts, each on one kind. `all` is `npm run test:all`, and a test that is run by
 * its name. `sample` is what CI adds: the other kinds, and larger parts of the sweeps. `nightly` is everything.
 */
export type Tier = "quick" | "all" | "sample" | "nightly";

const TIERS: readonly Tier[] = ["quick", "all", "sample", "nightly"];

export const tier: Tier = tierOf(process.env["SVC_TEST_TIER"] ?? "all");

/** For tests that are the same on each of several kinds (of cable, of page): the first kind, or in CI's sample the others. */
export function kindsInTier<Kind>(kinds: readonly Kind[]): readonly Kind[] {
  return inTier({
    quick: kinds.slice(0, 1),
    sample: kinds.length > 1 ? kinds.slice(1) : kinds,
    nightly: kinds,
  });
}

/**
 * For sweeps over every bit of a file: every seventh one, which has each of the eight places of a byte, or in the last two
 * tiers all.
 */
export function bitsInTier(bytes: Uint8Array): readonly number[] {
  const step = inTier({ quick: 7, sample: 1, nightly: 1 });
  return Array.from({ length: Math.ceil((8 * bytes.length) / step) }, (_, index) => index * step);
}

/** The size of a sweep in each tier; `all`, where it is missing, is the size of `quick`. */
type Sizes<Size> = Readonly<Record<Exclude<Tier, "all">, Size>> & { readonly all?: Size };

/** @returns the size of a sweep in this run */
export function inTier<Size>(sizes: Sizes<Size>): Size {
  return tier === "all" ? (sizes.all ?? sizes.quick) : sizes[tier];
}

function tierOf(name: string): Tier {
  const found = TIERS.find((candidate) => candidate === name);
  if (!found) throw new Error(`SVC_TEST_TIER is one of ${TIERS.join(", ")}, and not "${name}"`);
  return found;
}
