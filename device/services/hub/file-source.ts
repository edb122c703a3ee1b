/** Where commands get the files from that they name. */
import type { DownloadFacts, DownloadOptions } from "../../../hub-client/download.js";

/** What a console does with a download of `hub-client/download.ts`. */
export interface DownloadHandle {
  readonly finished: Promise<DownloadFacts>;
  close(): void;
}

export type DownloadConstructor = new (options: DownloadOptions) => DownloadHandle;

export type FileSink = Pick<DownloadOptions, "onHead" | "onBytes">;

/** One file at a time. */
export class FileSource {
  readonly #Download: DownloadConstructor;
  readonly #options: Pick<DownloadOptions, "ports" | "hub" | "token">;
  #download: DownloadHandle | undefined;

  /** @param options that are the same for all files of one hub */
  constructor(Download: DownloadConstructor, options: Pick<DownloadOptions, "ports" | "hub" | "token">) {
    this.#Download = Download;
    this.#options = options;
  }

  /**
   * Settles once all of the file was handed over.
   * @throws what the sink threw, and {@link DownloadHandle.finished}
   */
  async fetch(url: string, sink: FileSink): Promise<DownloadFacts> {
    const download = new this.#Download({ ...this.#options, ...sink, url });
    this.#download = download;
    try {
      return await download.finished;
    } finally {
      download.close();
      this.#download = undefined;
    }
  }

  /** What is being fetched fails. */
  close(): void {
    this.#download?.close();
  }
}
