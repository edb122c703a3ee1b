/** What the running firmware says of itself. The build replaces the version; nothing else does. */
export interface FirmwareFacts {
  /** Dotted numeric form. */
  readonly version: string;
  readonly codename: string;
}

export const FIRMWARE: FirmwareFacts = Object.freeze({ version: "0.1.0", codename: "Kestrel" });
