/** Facts about the running firmware. `npm run build:firmware` replaces this module. */
export interface FirmwareFacts {
  /** MAJOR.MINOR.PATCH, as in the header of the image. */
  readonly version: string;
  readonly codename: string;
  /**
   * PEM file of the keys that consoles trust once this firmware is confirmed, or flashed without any trusted keys. In
   * pieces of 1 KiB at most, so that it is never in memory as a whole. Left out to keep the trusted keys.
   */
  readonly trustedKeys?: readonly string[];
  /** Revocation list in base64, in pieces, that consoles use once this firmware is confirmed (docs/spec/keys.md). */
  readonly revocations?: readonly string[];
  /** Security version, as in the image's header; default 0. */
  readonly securityVersion?: number;
}

export const FIRMWARE: FirmwareFacts = Object.freeze({ version: "0.1.0", codename: "Kestrel" });
