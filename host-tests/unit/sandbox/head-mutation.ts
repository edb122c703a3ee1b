/** The comparison of `http-head` with Node's parser, for any number of changed heads. */
import { expect } from "vitest";
import { HeadReader } from "../../../protocol/http/head-reader.js";
import { disagreement, HEADS, PIECES, sandboxed } from "./head-verdicts.js";
import { mutated, random, SEED } from "./mutations.js";

const HEAD_LIMIT_BYTES = 4096;

/** @returns how many heads were valid, and how many were refused */
export async function compareHeads(
  count: number,
): Promise<{ readonly valid: number; readonly invalid: number }> {
  console.log(`changed heads: SVC_FUZZ_SEED=${SEED}`);
  const below = random(SEED);
  let valid = 0;
  let invalid = 0;
  for (let round = 0; round < count; round++) {
    const bytes = mutated(HEADS, PIECES, below).subarray(0, HEAD_LIMIT_BYTES);
    const found = sandboxed(bytes);
    const text = `seed ${SEED}, round ${round}: ${Buffer.from(bytes).toString("latin1")}`;
    expect(await disagreement(bytes), text).toBeUndefined();
    expect(sandboxed(collected(bytes, 1 + below(60))), text).toEqual(
      found?.takenBytes === undefined ? found : { ...found, takenBytes: expect.any(Number) },
    );
    if (found?.takenBytes !== undefined) {
      expect(sandboxed(bytes.subarray(0, found.takenBytes)), text).toEqual(found);
      expect(sandboxed(bytes.subarray(0, found.takenBytes - 1)), text).toBeUndefined();
    }
    if (found?.head) valid++;
    else if (found) invalid++;
  }
  return { valid, invalid };
}

/** The head as a head reader gives it, from pieces; the bytes themselves if it gives none. */
function collected(bytes: Uint8Array, step: number): Uint8Array {
  const reader = new HeadReader();
  try {
    for (let at = 0; !reader.head && at < bytes.length; at += step)
      reader.push(bytes.subarray(at, at + step));
  } catch {
    return bytes;
  }
  return reader.head ?? bytes;
}
