/**
 * The keys that the console trusts, as its firmware has left them in the file system (section 6 of the
 * decisions). They are read for each file that is to be installed, and each is forgotten once it was tried: so
 * there may be any number of them.
 */
import { Fault } from "../../../protocol/fault.js";
import { type CandidateKeys, CandidateKeysReader } from "../../../protocol/keys/candidate-keys.js";
import { TrustedKeysReader } from "../../../protocol/keys/trusted-keys.js";
import type { SignaturePorts } from "../../../protocol/signature/ed25519.js";
import type { Base64 } from "../../ports/bytes.js";
import type { Directory, File } from "../../ports/files.js";
import type { Memory, MemoryBlock } from "../../ports/memory.js";
import type { Logger } from "../logs/log.js";
import { statusOf } from "../storage/tree.js";
import type { Turns } from "../turns/turns.js";

/** Document 2 calls it `/lfs/hub/trusted_keys.pem`. */
export const TRUSTED_KEYS = "hub/trusted_keys.pem";

/** Bytes of the file that are read before anybody else gets a turn: two or three keys, which are points to be found. */
const SLICE_BYTES = 256;

/** A console is younger than this: an earlier time is that of a clock which nobody has set. */
const EARLIEST_TIME_MS = Date.UTC(2025, 0, 1);

/** What a key is tried with; it need not be kept. */
type KeyTest = (publicKey: Uint8Array) => Promise<boolean>;

export interface TrustedKeysFileOptions extends SignaturePorts {
  readonly files: Directory;
  readonly base64: Base64;
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

  /**
   * Each key that {@link some} might find to be trusted, at once, for who cannot wait. There is none where there is
   * no file. The caller closes them.
   */
  openCandidates(): CandidateKeys {
    return new Candidates(this.#options);
  }

  async #isAmong(reader: TrustedKeysReader, isIt: KeyTest): Promise<boolean> {
    const { turns } = this.#options;
    const pieces = new Pieces(this.#options);
    try {
      for (let piece = pieces.next(); piece; piece = pieces.next()) {
        reader.write(piece);
        if (await isOneOf(reader, isIt)) return true;
        await turns.next();
      }
    } finally {
      pieces.close();
    }
    await reader.end(() => turns.next());
    return isOneOf(reader, isIt);
  }
}

/** Reads on in the file whenever the keys that came out of it are used up. */
class Candidates implements CandidateKeys {
  readonly #reader: CandidateKeysReader;
  readonly #found: Uint8Array[] = [];
  /** `undefined` once there is no more to read. */
  #pieces: Pieces | undefined;

  constructor(options: TrustedKeysFileOptions) {
    const onKey = (publicKey: Uint8Array) => void this.#found.push(publicKey.slice());
    this.#reader = new CandidateKeysReader({ base64: options.base64, onKey });
    if (statusOf(options.files, TRUSTED_KEYS)) this.#pieces = new Pieces(options);
  }

  next(): Uint8Array | undefined {
    while (this.#pieces && this.#found.length === 0) this.#readOn(this.#pieces);
    return this.#found.shift();
  }

  close(): void {
    this.#pieces?.close();
    this.#pieces = undefined;
  }

  #readOn(pieces: Pieces): void {
    const piece = pieces.next();
    if (piece) this.#reader.write(piece);
    else {
      this.#reader.end();
      this.close();
    }
  }
}

/** The file from its beginning to its end. */
class Pieces {
  readonly #file: File;
  readonly #block: MemoryBlock;
  #position = 0;

  constructor({ files, memory }: TrustedKeysFileOptions) {
    this.#block = memory.allocate(SLICE_BYTES);
    try {
      this.#file = files.openFile({ path: TRUSTED_KEYS, mode: "r" });
    } catch (error) {
      this.#block.close();
      throw error;
    }
  }

  /** A view that holds until the next call; `undefined` at the end. */
  next(): Uint8Array | undefined {
    const taken = this.#file.read(this.#block.bytes, this.#position);
    this.#position += taken;
    return taken > 0 ? this.#block.bytes.subarray(0, taken) : undefined;
  }

  close(): void {
    this.#file.close();
    this.#block.close();
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
