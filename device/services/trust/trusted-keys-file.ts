/**
 * The keys that the console trusts, in a file that its firmware writes (docs/spec/keys.md#trusted-keys-file). The
 * console reads them for each file to install, one at a time, so their number is unlimited. A revoked key counts as
 * absent, and so does every chain through its certificate. Those that the owner has added come after them, for apps.
 */
import { Fault } from "../../../protocol/fault.js";
import { type KeyRole, PROBLEMS_LIMIT } from "../../../protocol/keys/pem-reader.js";
import { isRevokedBy, type RevocationList } from "../../../protocol/keys/revocation-list.js";
import {
  type CandidateKeys,
  CandidateKeysReader,
  keyLabel,
  type TrustedKey,
  TrustedKeysReader,
} from "../../../protocol/keys/trusted-keys.js";
import type { Base64, Memory, MemoryBlock } from "../../../protocol/ports/runtime.js";
import type { SignaturePorts } from "../../../protocol/signature/ed25519.js";
import type { Directory, File } from "../../ports/files.js";
import { hostTimeMs } from "../clock/host-time.js";
import type { Logger } from "../logs/log-line.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { statusOf } from "../storage/stored-files.js";
import { readOwnerKeys, writeOwnerKeys } from "./owner-keys-file.js";
import { type OpenRevocations, RevocationsFile } from "./revocations-file.js";

/** `/lfs/hub/trusted_keys.pem` (docs/spec/keys.md#trusted-keys-file). */
export const TRUSTED_KEYS = "hub/trusted_keys.pem";

/** Bytes of the file that are read before other work gets a turn: two or three keys, which are points to be found. */
const SLICE_BYTES = 256;

/** A key that was found, of the firmware or of the owner. */
export interface FoundKey extends TrustedKey {
  /** Present if only the owner trusts it. */
  readonly isOwners?: true;
}

/** An owner's key has this role alone, and vouches for no other key. */
const OWNERS_ROLES: FoundKey["roles"] = Object.freeze(["app"] as const);

/** Tests whether a key is the wanted one. */
type KeyTest = (key: TrustedKey) => Promise<boolean>;

export interface TrustedKeysFileOptions extends SignaturePorts {
  readonly files: Directory;
  readonly base64: Base64;
  readonly memory: Memory;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

export class TrustedKeysFile {
  /** Of the keys that are trusted no more. */
  readonly revocations: RevocationsFile;
  readonly #options: TrustedKeysFileOptions;

  constructor(options: TrustedKeysFileOptions) {
    this.#options = options;
    this.revocations = new RevocationsFile(options.files, options.memory);
  }

  /** Those that the owner has added; any can be revoked. */
  ownerKeys(): Uint8Array[] {
    return readOwnerKeys(this.#options);
  }

  /** Whether the owner has added the key, and has not removed it. */
  hasOwnerKey(publicKey: Uint8Array): boolean {
    return this.ownerKeys().some((key) => isEqual(key, publicKey));
  }

  /** @throws {Error} of the port for a full medium, and nothing changes */
  writeOwnerKeys(keys: readonly Uint8Array[]): void {
    writeOwnerKeys(this.#options, keys);
  }

  /**
   * Find the first key with the role that `isIt` accepts: tries keys one by one until it does, and reads nothing after
   * that. A key without the role counts as unknown. Logs unusable entries of the file up to there. All of it runs in
   * turns of its own: reading PEM needs a deep stack, and the caller's may be deep already.
   *
   * @param revocations used in place of the list that counts; `null`: none is revoked
   * @throws {Fault} `signature_invalid` where there is no file or its list of revoked keys is damaged, so that no key
   *   is trusted
   */
  async find(
    role: KeyRole,
    isIt: KeyTest,
    revocations?: RevocationList | null,
  ): Promise<FoundKey | undefined> {
    const { files, logger, scheduler } = this.#options;
    await scheduler.yield();
    if (!statusOf(files, TRUSTED_KEYS))
      throw new Fault("signature_invalid", "The console trusts no key: it has no file of trusted keys");
    const opened = revocations === undefined ? this.revocations.open() : undefined;
    const list = revocations ?? opened?.list;
    const reader = this.#newReader(list);
    try {
      const found = await this.#search(reader, async (key) => key.roles.includes(role) && isIt(key));
      return found ?? (role === "app" ? await this.#searchOwners(list, isIt) : undefined);
    } finally {
      reader.close();
      opened?.close();
      for (const problem of reader.problems) logger.warning(`trusted keys: ${problem}`);
    }
  }

  /**
   * Logs which keys have every role because no roles line limits them, and whether the file of the owner's keys is damaged.
   * To be called once a boot.
   */
  async warnOfUnlimitedKeys(): Promise<void> {
    const { files, logger, scheduler } = this.#options;
    await scheduler.yield();
    readOwnerKeys(this.#options, (problem) => logger.warning(problem));
    if (!statusOf(files, TRUSTED_KEYS)) return;
    const reader = this.#newReader(undefined);
    let count = 0;
    try {
      await this.#search(reader, async ({ hasEveryRoleByDefault, label }) => {
        if (!hasEveryRoleByDefault) return false;
        const isLast = ++count === PROBLEMS_LIMIT;
        logger.warning(
          `trusted keys: "${label}" has no roles line, and may sign apps, firmware and the rest${isLast ? "; further keys are not checked for that" : ""}`,
        );
        return isLast;
      });
    } finally {
      reader.close();
    }
  }

  /**
   * Each key that {@link find} might find for the role, for callers that cannot wait. Empty without a file. The caller
   * closes them.
   */
  openCandidates(role: KeyRole): CandidateKeys {
    return new Candidates(this.#options, role, this.revocations);
  }

  #newReader(revocations: RevocationList | undefined): TrustedKeysReader {
    const isRevoked = revocations && ((publicKey: Uint8Array) => isRevokedBy(revocations, publicKey));
    return new TrustedKeysReader({ ...this.#options, isRevoked, now: hostTimeMs() });
  }

  async #searchOwners(list: RevocationList | undefined, isIt: KeyTest): Promise<FoundKey | undefined> {
    for (const publicKey of this.ownerKeys()) {
      if ((list && isRevokedBy(list, publicKey)) || !this.#options.ed25519.isPublicKey(publicKey)) continue;
      const key: FoundKey = {
        publicKey,
        label: keyLabel(publicKey),
        roles: OWNERS_ROLES,
        hasEveryRoleByDefault: false,
        publisher: publicKey,
        isOwners: true,
      };
      if (await isIt(key)) return key;
    }
    return undefined;
  }

  async #search(reader: TrustedKeysReader, isIt: KeyTest): Promise<TrustedKey | undefined> {
    const { scheduler } = this.#options;
    const pieces = new Pieces(this.#options);
    try {
      for (let piece = pieces.next(); piece; piece = pieces.next()) {
        reader.write(piece);
        const found = await oneOf(reader, isIt);
        if (found) return found;
        await scheduler.yield();
      }
    } finally {
      pieces.close();
    }
    await reader.end(() => scheduler.yield());
    return oneOf(reader, isIt);
  }
}

/** Reads on in the file whenever the keys that came out of it are used up. */
class Candidates implements CandidateKeys {
  readonly #reader: CandidateKeysReader;
  readonly #found: Uint8Array[] = [];
  /** `undefined` once there is no more to read. */
  #pieces: Pieces | undefined;
  readonly #revocations: OpenRevocations | undefined;

  /** @throws {Fault} `signature_invalid` where the list of revoked keys is damaged */
  constructor(options: TrustedKeysFileOptions, role: KeyRole, revocations: RevocationsFile) {
    const onKey = (publicKey: Uint8Array) => this.#take(publicKey);
    this.#reader = new CandidateKeysReader({ base64: options.base64, role, onKey });
    if (!statusOf(options.files, TRUSTED_KEYS)) return;
    this.#revocations = revocations.open();
    try {
      this.#pieces = new Pieces(options);
    } catch (error) {
      this.#revocations?.close();
      throw error;
    }
  }

  next(): Uint8Array | undefined {
    while (this.#pieces && this.#found.length === 0) this.#readOn(this.#pieces);
    return this.#found.shift();
  }

  close(): void {
    this.#pieces?.close();
    this.#pieces = undefined;
    this.#revocations?.close();
  }

  /** A revoked certificate above it is for {@link TrustedKeysFile.find} to see. */
  #take(publicKey: Uint8Array): void {
    const list = this.#revocations?.list;
    if (!list || !isRevokedBy(list, publicKey)) this.#found.push(publicKey.slice());
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

/** Of those that the reader has up to here. */
async function oneOf(reader: TrustedKeysReader, isIt: KeyTest): Promise<TrustedKey | undefined> {
  for (let key = reader.nextKey(); key; key = reader.nextKey()) if (await isIt(key)) return key;
  return undefined;
}

export function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
