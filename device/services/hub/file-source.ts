/** Downloads the files that the hub's commands name. */

import type { DownloadFacts, DownloadOptions } from "../../../hub-client/download.js";
import { downloadAddress } from "../../../hub-client/web-address.js";
import { Fault } from "../../../protocol/fault.js";
import { type SignaturePorts, verifySignature } from "../../../protocol/signature/ed25519.js";
import { readSignature } from "../../../protocol/signature/signature-text.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";

// Download addresses that a trusted hub has signed (docs/spec/device-hub.md#download-origin): they may have any origin.

export interface SignedAddressPorts extends SignaturePorts {
  readonly trustedKeys: Pick<TrustedKeysFile, "find">;
}

/**
 * Verifies the signature of a download address.
 * @param signature 128 hexadecimal digits over the address in UTF-8
 * @throws {Fault} `download_refused` unless a trusted key with the role `hub` made it
 */
async function requireSignedAddress(
  url: string,
  signature: string,
  { trustedKeys, Digest, ed25519 }: SignedAddressPorts,
): Promise<void> {
  try {
    const message = new TextEncoder().encode(url);
    const proof = { Digest, ed25519, signature: readSignature(signature), message };
    const key = await trustedKeys.find("hub", async ({ publicKey }) =>
      verifySignature({ ...proof, publicKey }),
    );
    if (key) return;
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault("download_refused", cause.message, { cause });
  }
  throw new Fault("download_refused", "The download address is not signed by a trusted hub key");
}

/** The part of `Download` (`hub-client/download.ts`) that the console uses. */
export interface DownloadHandle {
  readonly finished: Promise<DownloadFacts>;
  readonly isSlow: boolean;
  close(): void;
}

export type DownloadConstructor = new (options: DownloadOptions) => DownloadHandle;

/** What takes the file: most often they hand it to an `UploadSink`. */
export type FileCallbacks = Pick<DownloadOptions, "onHead" | "onBytes">;

interface FileSourceOptions extends Pick<DownloadOptions, "ports" | "hub"> {
  readonly Download: DownloadConstructor;
  /** The current device token. */
  token(): string;
  readonly signatures: SignedAddressPorts;
}

/** Downloads one file at a time, on behalf of one hub. */
export class FileSource {
  readonly #options: FileSourceOptions;
  #download: DownloadHandle | undefined;
  #isStopped = false;

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /**
   * Passes the whole file to `callbacks` before it settles.
   * @param urlSignature the hub's signature over `url`; without it, the file must be at the hub's origin
   * @throws errors of the callbacks and of {@link DownloadHandle.finished}
   */
  async fetch(
    url: string,
    callbacks: FileCallbacks,
    urlSignature: string | undefined,
  ): Promise<DownloadFacts> {
    const { Download, hub, ports, token } = this.#options;
    this.#isStopped = false;
    const isVouchedFor = await this.#isVouchedFor(url, urlSignature);
    if (this.#isStopped) throw new Fault("download_failed", "The download was stopped");
    const download = new Download({ ...callbacks, hub, ports, url, token: token(), isVouchedFor });
    this.#download = download;
    try {
      return await download.finished;
    } finally {
      download.close();
      this.#download = undefined;
    }
  }

  /** Whether the current download waits for its server, or gets less than from nearly every network. */
  get isSlow(): boolean {
    return this.#download?.isSlow ?? false;
  }

  /** Stops the current download, which then fails. */
  close(): void {
    this.#isStopped = true;
    this.#download?.close();
  }

  /** A file at the hub's origin needs no signed address, so its signature is ignored. */
  async #isVouchedFor(url: string, signature: string | undefined): Promise<boolean> {
    const { hub, signatures } = this.#options;
    if (signature === undefined || downloadAddress(url, hub).location !== "other") return false;
    await requireSignedAddress(url, signature, signatures);
    return true;
  }
}
