/** Random console lives: draws the moves and the power cuts at random. */
import fc from "fast-check";
import type { Cut } from "../hosts/power-sweep.js";
import type { Upload } from "./belief.js";
import { beginning, beginningByCable, live } from "./console-life.js";
import type { Firmware } from "./firmware.js";
import type { Move } from "./update-move.js";

export interface RandomLife {
  /** True: starts without trusted keys, and gets them from its firmware. False: starts with trusted keys. */
  readonly isByCable: boolean;
  readonly moves: readonly Move[];
  /** Each counts its operation from the previous cut. */
  readonly cuts: readonly Cut[];
}

const MOST_MOVES = 8;
const MOST_CUTS = 6;

const firmware: fc.Arbitrary<Firmware> = fc.record(
  {
    version: fc.constantFrom("0.0.9", "0.1.0", "0.2.0", "0.3.0", "0.4.0"),
    programBytes: fc.constantFrom(0, 200, 1000, 3000, 9000),
    keys: fc.constantFrom("first", "second"),
    board: fc.constant("another"),
  },
  { requiredKeys: ["version", "programBytes"] },
);

/** Firmware without the wrong board. Defective, wrong and old firmware is rare, so that most lives reach a trial. */
const good = firmware.map(({ board: _, ...fields }) => fields);
type How = Omit<Upload, "firmware">;
const inPieces = fc.record({ pieceBytes: fc.constantFrom(33, 128, 1000, 10_000) });
const whole: fc.Arbitrary<How> = fc.oneof(
  fc.record({ chunkBytes: fc.constantFrom(64, 500, 512, 2048, 3072) }),
  inPieces,
);
const flawed = fc.tuple(whole, fc.constantFrom("signature", "crc")).map(([how, flaw]) => ({ ...how, flaw }));
/** Interrupted uploads, in chunks so small that each half of a bundle has several. */
const brokenOff = fc
  .oneof(fc.record({ chunkBytes: fc.constantFrom(16, 64) }), inPieces)
  .map((how): How => ({ ...how, flaw: "broken_off" }));

const uploadOf = (weight: number, firmware: fc.Arbitrary<Firmware>, how: fc.Arbitrary<How>) => ({
  weight,
  arbitrary: fc.tuple(firmware, how).map(([firmware, how]): Upload => ({ firmware, ...how })),
});
const upload = fc.oneof(
  uploadOf(6, good, whole),
  uploadOf(1, firmware, whole),
  uploadOf(1, good, flawed),
  uploadOf(1, good, brokenOff),
);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: upload.map((upload): Move => ({ kind: "upload", upload })) },
  { weight: 3, arbitrary: fc.constant<Move>({ kind: "confirm" }) },
  { weight: 4, arbitrary: fc.constant<Move>({ kind: "end", why: "software" }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("crash", "watchdog", "timeout", "power_on")
      .map((why): Move => ({ kind: "end", why })),
  },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: "wait" }) },
);

/** A recovery takes a few operations, an upload more. */
const cut: fc.Arbitrary<Cut> = fc.record({
  operation: fc.oneof(...[4, 12, 40].map((max) => fc.integer({ min: 1, max }))),
  seed: fc.nat(1000),
});

export const randomLife: fc.Arbitrary<RandomLife> = fc.record({
  isByCable: fc.boolean(),
  moves: fc.array(move, { minLength: 1, maxLength: MOST_MOVES }),
  cuts: fc.array(cut, { minLength: 1, maxLength: MOST_CUTS }),
});

/**
 * Runs a life to its end.
 * @returns number of cuts that took place
 */
export async function liveThrough({ isByCable, moves, cuts }: RandomLife): Promise<number> {
  let moment = isByCable ? beginningByCable(moves) : beginning(moves);
  for (const [index, cut] of cuts.entries()) {
    const { left } = await live(moment, cut);
    if (!left) return index;
    moment = left;
  }
  await live(moment);
  return cuts.length;
}
