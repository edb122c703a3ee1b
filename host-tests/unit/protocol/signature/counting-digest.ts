/** Digests that are counted as long as they are open: on a board they hold memory outside of the heap. */
import type { Digest, DigestAlgorithm } from "../../../../protocol/ports/crypto.js";
import { NodeDigest } from "../../../hosts/node-bytes.js";

export function countingDigest(): { readonly Digest: typeof NodeDigest; open(): number } {
  let open = 0;
  class CountedDigest extends NodeDigest implements Digest {
    constructor(algorithm: DigestAlgorithm) {
      super(algorithm);
      open++;
    }
    override close(): ArrayBuffer {
      open--;
      return super.close();
    }
  }
  return { Digest: CountedDigest, open: () => open };
}
