/**
 * A file on its way from the hub into its sink, while it holds the place of an upload. An upload that takes the place ends
 * both (docs/spec/uploads.md#upload-cable-first).
 */
import type { HeldDownload, UploadFacts, UploadSink } from "../upload/upload-phase.js";
import type { FileSource } from "./file-source.js";

export class IncomingFile implements HeldDownload {
  readonly #files: Pick<FileSource, "close" | "isSlow">;
  /** `undefined` before the file begins, and once its sink has ended or was aborted. */
  #sink: UploadSink | undefined;

  constructor(files: Pick<FileSource, "close" | "isSlow">) {
    this.#files = files;
  }

  get isSlow(): boolean {
    return this.#files.isSlow;
  }

  begin(sink: UploadSink): void {
    this.#sink = sink;
  }

  /** @throws what the sink throws */
  write(bytes: Uint8Array): void {
    this.#sink?.write(bytes);
  }

  /** The file is complete. @throws what the sink throws */
  async finish(facts: UploadFacts): Promise<void> {
    const sink = this.#sink;
    this.#sink = undefined;
    await sink?.end(facts);
  }

  /** Leaves nothing of an incomplete file; no-op for a finished one. */
  abort(): void {
    this.#sink?.abort();
    this.#sink = undefined;
  }

  end(): void {
    this.abort();
    this.#files.close();
  }
}
