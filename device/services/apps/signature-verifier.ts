/**
 * Accepts a file whose signature verifies under a trusted key (docs/spec/app-packages.md#signature-required), and
 * returns its publisher (docs/spec/apps.md#identity): the key that signed or the root of its chain, or the publisher
 * that a hub vouches for.
 */
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import type { TrustedKey } from "../../../protocol/keys/trusted-keys.js";
import { type SignaturePorts, verifySignature } from "../../../protocol/signature/ed25519.js";
import { readSignature } from "../../../protocol/signature/signature-text.js";
import {
  type PublisherTexts,
  readSuccessions,
  readVoucher,
  type Succession,
  successionHolds,
  type Voucher,
  voucherText,
} from "../../../protocol/signature/statements.js";
import type { Logger } from "../logs/log-line.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import type { FoundKey, TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { Provenance } from "./may-replace.js";

/** Most trusted keys that an error message lists: most consoles trust one or two. */
const LABELS_LIMIT = 4;

export interface SignatureVerifierOptions extends SignaturePorts {
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly trustedKeys: TrustedKeysFile;
  /** Whether unsigned files are accepted (`CONFIG_SVC_ALLOW_UNSIGNED_APPS`). */
  readonly allowsUnsigned: boolean;
}

/** Signature and publisher of a file as text. Not verified. */
export interface Proofs {
  /** 128 hexadecimal digits over the file's SHA-256. */
  readonly signature?: string | undefined;
  readonly publisher?: PublisherTexts | undefined;
}

export class SignatureVerifier {
  readonly #options: SignatureVerifierOptions;

  constructor(options: SignatureVerifierOptions) {
    this.#options = options;
  }

  /**
   * Verifies a signature.
   * @param digest the 32 bytes of the file's SHA-256, over which the signature is made
   * @returns the file's publisher; `undefined` for an unsigned file, if this build accepts them
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  async require(digest: Uint8Array, { signature, publisher = {} }: Proofs): Promise<Provenance | undefined> {
    const { allowsUnsigned, logger } = this.#options;
    if (signature === undefined && allowsUnsigned) {
      logger.warning("accepted a file without a signature");
      return undefined;
    }
    try {
      return await this.#check(digest, readSignature(signature), publisher);
    } catch (error) {
      if (error instanceof Fault) logger.error(`rejected a file: ${error.message}`);
      throw error;
    }
  }

  async #check(digest: Uint8Array, signature: Uint8Array, texts: PublisherTexts): Promise<Provenance> {
    const voucher = readVoucher(texts);
    const links = readSuccessions(texts.succession);
    const key = await this.#keyOf(digest, signature, voucher !== undefined);
    const signer = voucher ? await this.#vouchedFor(digest, voucher) : key;
    const sponsors = [key, signer].filter(({ roles }) => roles.includes("app"));
    const sponsor = sponsors.find(({ isOwners }) => !isOwners) ?? sponsors[0];
    if (!sponsor)
      throw new Fault(
        "signature_invalid",
        `"${key.label}" has the role hub alone, and the publisher's key is not trusted: neither may sign apps`,
      );
    const formerly = await this.#predecessors(links, signer);
    if (voucher) formerly.push(hexadecimal(key.publisher));
    return {
      publisher: hexadecimal(signer.publisher),
      signer: hexadecimal(signer.publicKey),
      formerly,
      isNative: signer.roles.includes("native"), // not the hub's: it vouches for who published, not for native code
      ...(sponsor.isOwners && { ownerKey: hexadecimal(sponsor.publicKey) }),
    };
  }

  /**
   * Finds the trusted key that made the signature. A key of role `hub` may pass on what a trusted publisher has signed, too.
   */
  async #keyOf(digest: Uint8Array, signature: Uint8Array, isVouchedFor: boolean): Promise<FoundKey> {
    const { trustedKeys } = this.#options;
    const labels: string[] = [];
    const holds = (key: TrustedKey) => {
      if (labels.length <= LABELS_LIMIT && !labels.includes(key.label)) labels.push(key.label);
      return this.#holds(key, signature, digest);
    };
    const key =
      (await trustedKeys.find("app", holds)) ??
      (isVouchedFor ? await trustedKeys.find("hub", holds) : undefined);
    if (key) return key;
    throw new Fault(
      "signature_invalid",
      `The signature of this file is not from a trusted key${among(labels)}`,
    );
  }

  /** The publisher in a trusted hub's voucher, whose own signature of the file is verified too. */
  async #vouchedFor(
    digest: Uint8Array,
    { publicKey, signature, voucher }: Voucher,
  ): Promise<Pick<FoundKey, "publicKey" | "publisher" | "roles" | "isOwners">> {
    const { trustedKeys, ed25519 } = this.#options;
    const text = new TextEncoder().encode(voucherText(digest, publicKey));
    if (!(await trustedKeys.find("hub", (key) => this.#holds(key, voucher, text))))
      throw new Fault("signature_invalid", "The publisher's voucher is not signed by a trusted hub");
    if (!ed25519.isPublicKey(publicKey) || !(await this.#holds({ publicKey }, signature, digest)))
      throw new Fault("signature_invalid", "The publisher's signature does not match this file");
    if (trustedKeys.revocations.has(publicKey))
      throw new Fault("signature_invalid", "The publisher's key is revoked");
    // A key that the console itself trusts is the same publisher, with or without a voucher.
    const known = await trustedKeys.find("app", async (key) => isSame(key.publicKey, publicKey));
    return known ?? { publicKey, publisher: publicKey, roles: [] };
  }

  /** The predecessors of the publisher's key, oldest first; each has signed the next. */
  async #predecessors(
    links: readonly Succession[],
    { publisher }: Pick<TrustedKey, "publisher">,
  ): Promise<string[]> {
    const { trustedKeys } = this.#options;
    const last = links.at(-1);
    if (last && !isSame(last.newKey, publisher))
      throw new Fault("signature_invalid", "The succession does not lead to the publisher of this file");
    const keys: string[] = [];
    for (const link of links) {
      await this.#options.scheduler.yield();
      if (!this.#options.ed25519.isPublicKey(link.oldKey) || !successionHolds(link, this.#options))
        throw new Fault("signature_invalid", "A succession is not signed by its old key");
      // A revoked key may be stolen: ignore its statement about its successor, and the links before it.
      if (trustedKeys.revocations.has(link.oldKey)) keys.length = 0;
      else keys.push(hexadecimal(link.oldKey));
    }
    return keys;
  }

  async #holds(
    { publicKey }: Pick<TrustedKey, "publicKey">,
    signature: Uint8Array,
    message: Uint8Array,
  ): Promise<boolean> {
    const { Digest, ed25519, scheduler } = this.#options;
    await scheduler.yield();
    return verifySignature({ Digest, ed25519, signature, publicKey, message });
  }
}

/** @param labels of the trusted keys, which help to find a key used by mistake */
function among(labels: readonly string[]): string {
  if (labels.length === 0) return "";
  const shown = labels.slice(0, LABELS_LIMIT).map((label) => `"${label}"`);
  return `; trusted: ${shown.join(", ")}${labels.length > LABELS_LIMIT ? " and others" : ""}`;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, at) => b[at] === byte);
}
