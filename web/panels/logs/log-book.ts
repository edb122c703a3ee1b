/**
 * The lines of the session, parsed once and stored in blocks by line number. A complete block stays the same object,
 * and so does its filtered form: a new line costs only its own block, even if there are thousands of lines.
 */
import { isShown, type LogEntry, type LogFilter, parseLogLine } from "./log-entry.js";

/** Few enough to render a block again for each new line, many enough that thousands of lines are tens of blocks. */
export const BLOCK_LINES = 64;

export interface LogBlock {
  /** The numbers of its lines divided by {@link BLOCK_LINES}, rounded down. */
  readonly id: number;
  /** In the order of their numbers; never empty. */
  readonly entries: readonly LogEntry[];
}

export interface LogBook {
  /** The lines have the numbers `start` … `end` - 1. */
  readonly start: number;
  readonly end: number;
  readonly blocks: readonly LogBlock[];
}

export const EMPTY_BOOK: LogBook = { start: 0, end: 0, blocks: [] };

/**
 * @param book its entries are reused: lines with the same number are the same line
 * @param start number of the first of `lines`
 */
export function withLines(book: LogBook, lines: readonly string[], start: number): LogBook {
  const end = start + lines.length;
  if (start === book.start && end === book.end) return book;
  const known = start < book.start || end < book.end ? EMPTY_BOOK : book;
  const blocks = keptBlocks(known, start);
  for (let number = Math.max(start, known.end); number < end; ) {
    const id = Math.floor(number / BLOCK_LINES);
    const stop = Math.min(end, (id + 1) * BLOCK_LINES);
    const entries = lines
      .slice(number - start, stop - start)
      .map((line, index) => parseLogLine(line, number + index));
    const last = blocks.at(-1);
    if (last?.id === id) blocks[blocks.length - 1] = { id, entries: [...last.entries, ...entries] };
    else blocks.push({ id, entries });
    number = stop;
  }
  return { start, end, blocks };
}

/** Drops the lines before `start`: whole blocks, and the beginning of the first block that stays. */
function keptBlocks({ blocks }: LogBook, start: number): LogBlock[] {
  const [first, ...rest] = blocks.filter(({ id }) => (id + 1) * BLOCK_LINES > start);
  if (!first) return [];
  const entries = first.entries.filter(({ number }) => number >= start);
  if (entries.length === first.entries.length) return [first, ...rest];
  return entries.length > 0 ? [{ ...first, entries }, ...rest] : rest;
}

/** Filters blocks, and caches the result of each block until the filter changes. */
export class BlockFilter {
  #filter: LogFilter | undefined;
  #from = 0;
  #shown = new WeakMap<LogBlock, LogBlock>();

  /** @param from number of the first line to show */
  apply(blocks: readonly LogBlock[], filter: LogFilter, from = 0): readonly LogBlock[] {
    if (filter !== this.#filter || from !== this.#from) this.#shown = new WeakMap();
    this.#filter = filter;
    this.#from = from;
    return blocks
      .map((block) => this.#shownOf(block, filter, from))
      .filter(({ entries }) => entries.length > 0);
  }

  #shownOf(block: LogBlock, filter: LogFilter, from: number): LogBlock {
    let shown = this.#shown.get(block);
    if (!shown) {
      const entries = block.entries.filter((entry) => entry.number >= from && isShown(entry, filter));
      shown = entries.length === block.entries.length ? block : { id: block.id, entries };
      this.#shown.set(block, shown);
    }
    return shown;
  }
}

export function countLines(blocks: readonly LogBlock[]): number {
  return blocks.reduce((sum, { entries }) => sum + entries.length, 0);
}

/** The lines with this number or a higher one. */
export function linesFrom(blocks: readonly LogBlock[], number: number): LogEntry[] {
  return blocks
    .filter(({ id }) => (id + 1) * BLOCK_LINES > number)
    .flatMap(({ entries }) => entries.filter((entry) => entry.number >= number));
}

export function sourcesOf(blocks: readonly LogBlock[]): string[] {
  const sources = new Set<string>();
  for (const { entries } of blocks)
    for (const entry of entries) if (entry.kind === "message") sources.add(entry.source);
  return [...sources].sort();
}
