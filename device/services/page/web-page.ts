/**
 * The web console as this firmware brings it: its files by their paths, each in gzip, as pieces of base64 because text in
 * a module is what every host leaves in flash. In the sources there are none: whoever builds firmware puts another module
 * in this one's place (`tools/firmware-modules.js`).
 */
export interface WebFile {
  readonly mediaType: string;
  /** Whole groups of base64 each, padded in the last one at most. */
  readonly pieces: readonly string[];
}

export type WebPage = Readonly<Record<string, WebFile>>;

export const WEB_PAGE: WebPage = Object.freeze({});
