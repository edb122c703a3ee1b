/**
 * The services' interface to the log: write lines, and follow it.
 */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** Writes lines for one source. Messages may hold anything; the log escapes what would break a line. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/**
 * The buffered lines, numbered from 0 in the order they came. A reader keeps a number, never a queue:
 * one that falls behind finds that `first` has passed it, and knows how many lines it has lost.
 */
export interface LogLines {
  /** Number of the oldest line that is still there. */
  readonly first: number;
  /** Number that the next line will get. */
  readonly next: number;
  /** The line without terminator. @throws {RangeError} outside `first` to `next` - 1 */
  line(number: number): string;
  /**
   * Calls back after lines were added, at most once in a turn of the event loop, never from inside the
   * call that added them.
   * @returns what ends the subscription
   */
  subscribe(onLines: () => void): () => void;
}
