/**
 * The keys that the console trusts, as its firmware has left them in the file system (section 6 of the
 * decisions). They are read for each file that is to be installed, so that they stand in the heap only then.
 */
import { Fault } from "../../../protocol/fault.js";
import { type TrustedKey, TrustedKeysReader } from "../../../protocol/keys/trusted-keys.js";
import type { Base64 } from "../../ports/bytes.js";
import type { DigestConstructor } from "../../ports/digest.js";
import type { Directory } from "../../ports/files.js";
import type { Logger } from "../logs/log.js";
import { statusOf } from "../storage/tree.js";
import { SLICE_BYTES } from "./limits.js";
import { eachPiece } from "./pieces.js";
import type { Turns } from "./turns.js";

const TRUSTED_KEYS = "hub/trusted_keys.pem";

/** A console is younger than this: an earlier time is that of a clock which nobody has set. */
const EARLIEST_TIME_MS = Date.UTC(2025, 0, 1);

export interface TrustedKeysFileOptions {
  readonly files: Directory;
  readonly base64: Base64;
  readonly Digest: DigestConstructor;
  readonly turns: Turns;
  readonly logger: Logger;
}

export class TrustedKeysFile {
  readonly #options: TrustedKeysFileOptions;

  constructor(options: TrustedKeysFileOptions) {
    this.#options = options;
  }

  /**
   * What is of no use in the file is logged.
   * @throws {Fault} `signature_invalid` where there is no file, so that nobody is trusted
   */
  async read(): Promise<readonly TrustedKey[]> {
    const { files, logger, turns } = this.#options;
    if (!statusOf(files, TRUSTED_KEYS))
      throw new Fault("signature_invalid", "The console trusts no key: it has no file of trusted keys");
    const reader = new TrustedKeysReader(this.#options);
    await eachPiece({ files, turns }, TRUSTED_KEYS, SLICE_BYTES, (piece) => reader.write(piece));
    const { keys, problems } = await reader.end({ now: timeIfSet(), pause: () => turns.next() });
    for (const problem of problems) logger.warning(`trusted keys: ${problem}`);
    return keys;
  }
}

function timeIfSet(): number | undefined {
  const time = Date.now();
  return time >= EARLIEST_TIME_MS ? time : undefined;
}
