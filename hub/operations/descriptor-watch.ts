/**
 * Reports when the process has no file descriptor left. New connections are then accepted and closed at once without
 * any event (libuv's answer to EMFILE), and operators would see nothing but clients that cannot connect.
 */
import { open } from "node:fs/promises";
import type { FastifyBaseLogger } from "fastify";

const INTERVAL_MS = 5000;

/** The process's own limit, and that of the machine. */
const EXHAUSTED: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

export class DescriptorWatch {
  readonly #logger: Pick<FastifyBaseLogger, "error" | "info">;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isExhausted = false;

  constructor(logger: Pick<FastifyBaseLogger, "error" | "info">) {
    this.#logger = logger;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Opens a file that is certainly there. */
  async #look(): Promise<void> {
    try {
      await (await open(process.execPath)).close();
      if (this.#isExhausted) this.#logger.info("file descriptors are free again");
      this.#isExhausted = false;
    } catch (error) {
      if (!EXHAUSTED.has((error as NodeJS.ErrnoException).code) || this.#isExhausted) return;
      this.#isExhausted = true;
      this.#logger.error(
        { err: error },
        "no file descriptor is free: new connections are closed; raise the limit of open files",
      );
    }
  }
}
