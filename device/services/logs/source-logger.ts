/** Writes lines under the name of one source, such as `http`. Methods of a class, since each closure costs heap. */
import type { Logger, LogLevel } from "./log.js";

interface LineWriter {
  write(level: LogLevel, source: string, message: string): void;
}

export class SourceLogger implements Logger {
  readonly #log: LineWriter;
  readonly #source: string;

  constructor(log: LineWriter, source: string) {
    this.#log = log;
    this.#source = source;
  }

  debug(message: string): void {
    this.#log.write("debug", this.#source, message);
  }

  info(message: string): void {
    this.#log.write("info", this.#source, message);
  }

  warning(message: string): void {
    this.#log.write("warning", this.#source, message);
  }

  error(message: string): void {
    this.#log.write("error", this.#source, message);
  }
}
