/**
 * The web console in this firmware: its files by path, each in gzip. Empty in the sources: a firmware build replaces this
 * module (`engine/program/firmware-modules.ts`).
 */
interface WebFile {
  readonly mediaType: string;
  readonly content: Uint8Array;
}

export type WebPage = Readonly<Record<string, WebFile>>;

export const WEB_PAGE: WebPage = Object.freeze({});
