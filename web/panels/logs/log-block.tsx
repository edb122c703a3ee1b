/**
 * A block of log lines. It is rendered again only when one of its lines has changed, and the browser lays it out only
 * near the viewport. Elsewhere it is plain text without an element per line, which the browser's own search still
 * finds. So thousands of lines are as fast as tens.
 */
import { Component } from "preact";
import type { LogBlock as Block } from "./log-book.js";
import type { LogEntry } from "./log-entry.js";
import { type Piece, piecesIn, piecesOf } from "./log-search.js";

export interface LogBlockProps {
  readonly block: Block;
  readonly pattern: RegExp | undefined;
  /** Number of the line with the current search result, if it is in this block. */
  readonly current: number | undefined;
  /** Whether the block is at the end of the log, and so visible first. */
  readonly isLast: boolean;
}

/** Browsers that do not report which elements they skip (CSS Containment 2 §4.4) get all elements immediately. */
const CAN_TELL = "oncontentvisibilityautostatechange" in HTMLElement.prototype;

export class LogBlock extends Component<LogBlockProps, { isNear: boolean }> {
  override state = { isNear: !CAN_TELL || this.props.isLast };

  override shouldComponentUpdate(next: LogBlockProps, nextState: { isNear: boolean }): boolean {
    const { block, pattern, current } = this.props;
    if (nextState.isNear !== this.state.isNear || next.block !== block) return true;
    return next.current !== current || (nextState.isNear && next.pattern !== pattern);
  }

  override render({ block, pattern, current }: LogBlockProps, { isNear }: { isNear: boolean }) {
    const { entries } = block;
    return (
      <div class="log-block" style={{ "--lines": entries.length }} ref={this.#listen}>
        {isNear || current !== undefined
          ? entries.map((entry) => (
              <Line key={entry.number} entry={entry} pattern={pattern} isCurrent={entry.number === current} />
            ))
          : entries.map(({ text }) => text).join("\n")}
      </div>
    );
  }

  readonly #listen = (element: HTMLElement | null) => {
    element?.addEventListener("contentvisibilityautostatechange", (event) => {
      this.setState({ isNear: !(event as Event & { skipped: boolean }).skipped });
    });
  };
}

interface LineProps {
  readonly entry: LogEntry;
  readonly pattern: RegExp | undefined;
  readonly isCurrent: boolean;
}

function Line({ entry, pattern, isCurrent }: LineProps) {
  if (entry.kind === "restart")
    return (
      <p class="log-restart">
        <span>restarted</span>
      </p>
    );
  const id = lineId(entry.number);
  const state = isCurrent ? " log-current" : "";
  if (entry.kind === "other")
    return (
      <div id={id} class={`log-line${state}`}>
        {marked(piecesOf(entry.text, pattern))}
      </div>
    );
  // The fields keep their order and spaces, so that a copied line is the text that the console wrote.
  const fields = [`${entry.time} `, `${entry.level} `, `${entry.source}: `, entry.message];
  const [time, level, source, message] = pattern
    ? piecesIn(
        piecesOf(entry.text, pattern),
        fields.map(({ length }) => length),
      ).map(marked)
    : fields;
  return (
    <div id={id} class={`log-line log-${entry.level}${state}`}>
      <span class="log-time">{time}</span>
      <span class="log-level">{level}</span>
      <span class="log-source">{source}</span>
      {message}
    </div>
  );
}

function marked(pieces: readonly Piece[]) {
  return pieces.map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : text));
}

export function lineId(number: number): string {
  return `log-line-${number}`;
}
