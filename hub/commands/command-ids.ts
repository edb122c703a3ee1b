/** Ids of commands: UUIDs of version 7 (RFC 9562 §5.7), which begin with the time. */
import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

const UUID_BYTES = 16;

/** Those of one time are neighbours in the index; each random id would change another page of it. */
export function newCommandIds(count: number): readonly string[] {
  const random = randomBytes(count * UUID_BYTES); // once, since to ask for it takes longer than the rest
  return Array.from({ length: count }, (_, at) =>
    v7({ random: random.subarray(at * UUID_BYTES, (at + 1) * UUID_BYTES) }),
  );
}
