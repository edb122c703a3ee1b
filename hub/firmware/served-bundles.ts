/**
 * Firmware bundles as the hub serves them. A hub with a key of its own replaces the 64 bytes of the publisher's
 * signature in the header with its own, so that consoles need to trust only one key. Sizes, hashes and signatures that
 * the API reports are those of the served bytes. Ed25519 signatures are deterministic (RFC 8032 §5.1.6), so every
 * process serves the same bytes, and one process can resume a download that another began.
 */
import { createHash, type KeyObject, sign } from "node:crypto";
import {
  BUNDLE_HEADER_BYTES,
  readBundleHeader,
  SIGNED_AT,
  writeBundleHeader,
} from "../../protocol/firmware/bundle-header.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import type { ContentPart } from "../files/send-file.js";
import { RecentMap } from "../recent-map.js";

/** Cached signatures of the hub, 200 bytes each. Few versions of each architecture are in use. */
const SIGNATURES_LIMIT = 256;

export interface ServedBundle {
  /** Of the served bytes, in hexadecimal. */
  readonly sha256: string;
  /** The signature in the served header, 128 hexadecimal digits. */
  readonly signature: string;
  /** Replaces the first bytes of the stored file; empty if the file is served unchanged. */
  readonly header: Uint8Array;
}

export class ServedBundles {
  readonly #context: Pick<HubContext, "config" | "files">;
  /** By the hash of the publisher's bundle. */
  readonly #signed = new RecentMap<string, Promise<ServedBundle>>(SIGNATURES_LIMIT);

  constructor(context: Pick<HubContext, "config" | "files">) {
    this.#context = context;
  }

  /** @throws {Fault} `file_damaged` */
  async get({ sha256, signature }: Row<"firmware">): Promise<ServedBundle> {
    const { signingKey } = this.#context.config;
    if (!signingKey) return { sha256, signature, header: new Uint8Array(0) };
    let signed = this.#signed.get(sha256);
    if (!signed) {
      signed = this.#sign(sha256, signingKey);
      this.#signed.set(sha256, signed);
    }
    try {
      return await signed;
    } catch (error) {
      if (this.#signed.get(sha256) === signed) this.#signed.delete(sha256); // the file may become readable again
      throw error;
    }
  }

  /** The bytes that are served. @throws {Fault} `file_damaged` */
  async parts(row: Row<"firmware">): Promise<readonly ContentPart[]> {
    const { header } = await this.get(row);
    const stored = await this.#context.files.part(row.sha256);
    return [{ bytes: header }, { ...stored, start: header.length }];
  }

  async #sign(sha256: string, key: KeyObject): Promise<ServedBundle> {
    const bundle = await this.#context.files.read(sha256);
    const signature = Uint8Array.from(sign(null, bundle.subarray(SIGNED_AT), key));
    writeBundleHeader(bundle, { ...readBundleHeader(bundle), signature });
    return {
      sha256: createHash("sha256").update(bundle).digest("hex"),
      signature: hexadecimal(signature),
      header: new Uint8Array(bundle.subarray(0, BUNDLE_HEADER_BYTES)), // a view would keep the whole bundle
    };
  }
}
