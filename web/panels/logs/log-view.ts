/**
 * View state of a session's log: filter, search, pause, cleared lines. It persists while other panels are shown; one
 * per session.
 */
import { batch, computed, signal } from "@preact/signals";
import { type Session, watchForOther } from "../../session/session.js";
import {
  BlockFilter,
  countLines,
  EMPTY_BOOK,
  type LogBook,
  linesFrom,
  sourcesOf,
  withLines,
} from "./log-book.js";
import { EVERYTHING, type LogFilter } from "./log-entry.js";
import { linesWith, neighbour, patternOf } from "./log-search.js";

export class LogView {
  readonly filter = signal<LogFilter>(EVERYTHING);
  readonly query = signal("");
  /** Number of the line with the current search result. */
  readonly current = signal<number | undefined>(undefined);
  /** Number of the first line added since the user scrolled up; `undefined` while the view follows the end. */
  readonly leftAt = signal<number | undefined>(undefined);

  readonly #frozen = signal<LogBook | undefined>(undefined);
  readonly #clearedBefore = signal(0);
  readonly #shownFilter = new BlockFilter();
  readonly #waitingFilter = new BlockFilter();
  readonly #session: Session;
  #known = EMPTY_BOOK;

  constructor(session: Session) {
    this.#session = session;
    watchForOther(session, () => this.#followEnd());
  }

  readonly #book = computed(() => {
    this.#known = withLines(this.#known, this.#session.log.value, this.#session.logStart.value);
    return this.#known;
  });
  readonly #looked = computed(() => this.#frozen.value ?? this.#book.value);

  readonly isPaused = computed(() => this.#frozen.value !== undefined);
  /** The shown lines. */
  readonly blocks = computed(() =>
    this.#shownFilter.apply(this.#looked.value.blocks, this.filter.value, this.#clearedBefore.value),
  );
  readonly lineCount = computed(() => countLines(this.blocks.value));
  /** One more than the number of the newest line, or of the newest before the pause. */
  readonly end = computed(() => this.#looked.value.end);
  /** Number of lines that have arrived during the pause and pass the filter. */
  readonly waitingCount = computed(() => {
    const frozen = this.#frozen.value;
    if (!frozen) return 0;
    return countLines(this.#waitingFilter.apply(this.#book.value.blocks, this.filter.value, frozen.end));
  });
  readonly newCount = computed(() => {
    const leftAt = this.leftAt.value;
    return leftAt === undefined ? 0 : linesFrom(this.blocks.value, leftAt).length;
  });
  readonly sources = computed(() => sourcesOf(this.#looked.value.blocks));
  readonly hasLines = computed(() => this.#looked.value.blocks.length > 0);
  readonly isCleared = computed(() => this.#clearedBefore.value > this.#looked.value.start);

  readonly pattern = computed(() => patternOf(this.query.value));
  readonly found = computed(() => linesWith(this.blocks.value, this.pattern.value));

  pauseOrResume(): void {
    this.#frozen.value = this.#frozen.value ? undefined : this.#book.value;
  }

  /** Hides all lines so far; `showCleared` shows them again. */
  clear(): void {
    batch(() => {
      this.#clearedBefore.value = this.#book.value.end;
      this.#followEnd();
    });
  }

  #followEnd(): void {
    batch(() => {
      this.#frozen.value = undefined;
      this.leftAt.value = undefined;
      this.current.value = undefined;
    });
  }

  showCleared(): void {
    this.#clearedBefore.value = 0;
  }

  search(query: string): void {
    batch(() => {
      this.query.value = query;
      this.current.value = undefined;
    });
  }

  goToFound(step: 1 | -1): void {
    this.current.value = neighbour(this.found.value, this.current.value, step);
  }

  /** The shown lines, as the text of a file. */
  text(): string {
    return this.blocks.value.flatMap(({ entries }) => entries.map(({ text }) => `${text}\n`)).join("");
  }
}

const views = new WeakMap<Session, LogView>();

export function logViewOf(session: Session): LogView {
  let view = views.get(session);
  if (!view) {
    view = new LogView(session);
    views.set(session, view);
  }
  return view;
}
