/**
 * The web console that this firmware brings: its files by their paths, each in gzip, as pieces of base64 because every
 * host leaves text of a module in flash. The sources contain none: a firmware build replaces this module
 * (`tools/firmware-modules.ts`).
 */
export interface WebFile {
  readonly mediaType: string;
  /** Whole groups of base64 each, padded in the last one at most. */
  readonly pieces: readonly string[];
}

export type WebPage = Readonly<Record<string, WebFile>>;

export const WEB_PAGE: WebPage = Object.freeze({});
