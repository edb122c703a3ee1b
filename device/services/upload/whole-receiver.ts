/** The body of one request that is a whole file: passed on as it comes, within the limit. */
import type { BodyReceiver } from "../api/endpoint.js";
import type { Answer } from "../api/request.js";
import { emptyBody, fileTooLarge } from "./upload-faults.js";

/** Callbacks for the file. Each is a no-op, or fails, once the upload is no longer this one. */
export interface WholeFile {
  /** @throws what the file is refused for */
  write(bytes: Uint8Array): void;
  complete(receivedBytes: number): Answer | Promise<Answer>;
  forget(reason: string): void;
}

export class WholeReceiver implements BodyReceiver {
  readonly #file: WholeFile;
  readonly #limitBytes: number;
  #receivedBytes = 0;

  constructor(file: WholeFile, limitBytes: number) {
    this.#file = file;
    this.#limitBytes = limitBytes;
  }

  write(bytes: Uint8Array): void {
    this.#receivedBytes += bytes.length;
    try {
      if (this.#receivedBytes > this.#limitBytes) throw fileTooLarge(this.#limitBytes);
      this.#file.write(bytes);
    } catch (error) {
      this.#file.forget("it was refused");
      throw error;
    }
  }

  end(): Answer | Promise<Answer> {
    if (this.#receivedBytes > 0) return this.#file.complete(this.#receivedBytes);
    this.#file.forget("its body is empty");
    throw emptyBody();
  }

  abort(): void {
    this.#file.forget("its connection has ended");
  }
}
