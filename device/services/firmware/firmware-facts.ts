/** The running firmware's description of itself. `npm run build:firmware` replaces this module. */
export interface FirmwareFacts {
  /** MAJOR.MINOR.PATCH, and the same in the header of the image. */
  readonly version: string;
  readonly codename: string;
  /**
   * PEM of the keys that consoles trust from the time on that this firmware is confirmed, or that it was flashed where
   * none are trusted yet; in pieces of 1 KiB at most that make up the file: so a console never has all of it in memory.
   * Left out: those that they trust already.
   */
  readonly trustedKeys?: readonly string[];
  /** List of revoked keys in base64, in pieces, that consoles take once this firmware is confirmed (docs/spec/keys.md). */
  readonly revocations?: readonly string[];
  /** That of the image's header; left out: 0. */
  readonly securityVersion?: number;
}

export const FIRMWARE: FirmwareFacts = Object.freeze({ version: "0.1.0", codename: "Kestrel" });
