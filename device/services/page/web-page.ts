/**
 * The web console in this firmware: its files by path, each in gzip and base64, because every host leaves the text of a
 * module in flash. Empty in the sources: a firmware build replaces this module (`tools/firmware-modules.ts`).
 */
export interface WebFile {
  readonly mediaType: string;
  /** Base64, each piece in whole groups of four; only the last piece may have padding. */
  readonly pieces: readonly string[];
}

export type WebPage = Readonly<Record<string, WebFile>>;

export const WEB_PAGE: WebPage = Object.freeze({});
