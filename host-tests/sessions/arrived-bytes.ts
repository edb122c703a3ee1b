/** Bytes as they come, for readers that wait until they can make something of them. */

/** How long something may take that will come. */
const LIMIT_MS = 30_000;

export class ArrivedBytes {
  #bytes = Buffer.alloc(0);
  #isEnded = false;
  #wake: () => void = () => {};

  push(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /**
   * Takes what `measure` says from the beginning, waiting until it says something.
   * @param measure how many bytes what is wanted has, or `undefined` while that is not known
   */
  async take(measure: (bytes: Buffer, isEnded: boolean) => number | undefined): Promise<Buffer> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const byteLength = measure(this.#bytes, this.#isEnded);
      if (byteLength !== undefined && byteLength <= this.#bytes.length) return this.#cut(byteLength);
      if (this.#isEnded) throw new Error(`The console ended after ${JSON.stringify(String(this.#bytes))}`);
      await this.#arrival(deadline);
    }
  }

  /** Waits until the console has closed the connection and returns what has come before that. */
  rest(): Promise<Buffer> {
    return this.take((bytes, isEnded) => (isEnded ? bytes.length : undefined));
  }

  #cut(byteLength: number): Buffer {
    const taken = this.#bytes.subarray(0, byteLength);
    this.#bytes = this.#bytes.subarray(byteLength);
    return taken;
  }

  #arrival(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`Nothing came after ${JSON.stringify(String(this.#bytes))}`));
      const timer = setTimeout(fail, deadline - performance.now());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
