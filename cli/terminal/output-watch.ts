/** Detects failed output: a closed pipe (`svc logs | head -1`), or a full disk. */
import { systemReason } from "../files.js";
import { SvcError } from "../svc-error.js";

export class OutputWatch {
  /** Has everything told that fails from now on. */
  onFailure: () => void = () => {};
  /** Why standard output takes no more; a reader who has gone has what they wanted. */
  error: SvcError | undefined;
  #isOver = false;

  constructor() {
    process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
      this.#isOver = true;
      if (cause.code !== "EPIPE") this.error ??= notWritten(cause);
      this.onFailure();
    });
    process.stderr.on("error", () => {}); // errors of stderr have no reader; go on
  }

  /** Waits until all that was printed is written, or cannot be. */
  async settle(): Promise<void> {
    await new Promise((resolve) => process.stdout.write("", resolve));
    // The stream reports a failed write a turn later.
    if (!this.#isOver) await new Promise((resolve) => setImmediate(resolve));
  }
}

function notWritten(cause: NodeJS.ErrnoException): SvcError {
  const message = `Cannot write to standard output: ${systemReason(cause) ?? cause.message} (${cause.code})`;
  return new SvcError("output_not_written", message, { cause });
}
