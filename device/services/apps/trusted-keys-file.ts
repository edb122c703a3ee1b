/**
 * The keys that the console trusts, as its firmware has left them in the file system (section 6 of the
 * decisions). They are read for each file that is to be installed, and each is forgotten once it was tried: so
 * there may be any number of them.
 */
import { Fault } from "../../../protocol/fault.js";
import { TrustedKeysReader } from "../../../protocol/keys/trusted-keys.js";
import type { Base64 } from "../../ports/bytes.js";
import type { DigestConstructor } from "../../ports/digest.js";
import type { Directory } from "../../ports/files.js";
import type { Memory, MemoryBlock } from "../../ports/memory.js";
import type { Logger } from "../logs/log.js";
import { statusOf } from "../storage/tree.js";
import { SLICE_BYTES } from "./limits.js";
import type { Turns } from "./turns.js";

const TRUSTED_KEYS = "hub/trusted_keys.pem";

/** A console is younger than this: an earlier time is that of a clock which nobody has set. */
const EARLIEST_TIME_MS = Date.UTC(2025, 0, 1);

/** What a key is tried with; it need not be kept. */
type KeyTest = (publicKey: Uint8Array) => Promise<boolean>;

export interface TrustedKeysFileOptions {
  readonly files: Directory;
  readonly base64: Base64;
  readonly Digest: DigestConstructor;
  readonly memory: Memory;
  readonly turns: Turns;
  readonly logger: Logger;
}

export class TrustedKeysFile {
  readonly #options: TrustedKeysFileOptions;

  constructor(options: TrustedKeysFileOptions) {
    this.#options = options;
  }

  /**
   * Whether `isIt` says so of a key: they are tried one by one until it does, and nothing is read after that.
   * What is of no use in the file up to there is logged.
   * @throws {Fault} `signature_invalid` where there is no file, so that nobody is trusted
   */
  async some(isIt: KeyTest): Promise<boolean> {
    const { files, logger } = this.#options;
    if (!statusOf(files, TRUSTED_KEYS))
      throw new Fault("signature_invalid", "The console trusts no key: it has no file of trusted keys");
    const reader = new TrustedKeysReader({ ...this.#options, now: timeIfSet() });
    try {
      return await this.#isAmong(reader, isIt);
    } finally {
      reader.close();
      for (const problem of reader.problems) logger.warning(`trusted keys: ${problem}`);
    }
  }

  async #isAmong(reader: TrustedKeysReader, isIt: KeyTest): Promise<boolean> {
    const { files, memory, turns } = this.#options;
    const file = files.openFile({ path: TRUSTED_KEYS, mode: "r" });
    let piece: MemoryBlock | undefined;
    try {
      piece = memory.allocate(SLICE_BYTES);
      let position = 0;
      for (let taken = file.read(piece.bytes, 0); taken > 0; taken = file.read(piece.bytes, position)) {
        reader.write(piece.bytes.subarray(0, taken));
        if (await isOneOf(reader, isIt)) return true;
        position += taken;
        await turns.next();
      }
    } finally {
      file.close();
      piece?.close();
    }
    await reader.end(() => turns.next());
    return isOneOf(reader, isIt);
  }
}

/** Whether it is one of those that the reader has up to here. */
async function isOneOf(reader: TrustedKeysReader, isIt: KeyTest): Promise<boolean> {
  for (let key = reader.nextKey(); key; key = reader.nextKey()) if (await isIt(key.publicKey)) return true;
  return false;
}

function timeIfSet(): number | undefined {
  const time = Date.now();
  return time >= EARLIEST_TIME_MS ? time : undefined;
}
