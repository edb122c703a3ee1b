/**
 * What a terminal shows of a program's output in the end. A compiler draws its progress over and over, and erases it: as
 * text, all of that would stand before its messages, or in the place of them.
 */

const CSI = "\\x1b\\[([\\d:;<=>?]*)[ -/]*([@-~])";
const STRING = "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)";
const OTHER = "\\x1b[ -/]*([0-~])";
/** A sequence of ECMA-48 (control, string, or another one), a control character, or text. */
const PART = new RegExp(`${CSI}|${STRING}|${OTHER}|[\\x00-\\x1f\\x7f]|[^\\x00-\\x1f\\x7f]+`, "g");

/** @returns lines without colours and without white space at their ends */
export function shownText(output: string): string {
  const screen = new Screen();
  for (const [part, parameters, control, other] of output.matchAll(PART)) {
    if (control !== undefined) screen.control(control, parameters ?? "");
    else if (other !== undefined) screen.escape(other);
    else if (part >= " ") screen.write(part);
    else if (part.length === 1) screen.move(part);
  }
  return screen.text;
}

/** Endless to the right and downwards. Parts that it does not know change nothing. */
class Screen {
  readonly #lines = [""];
  #row = 0;
  #column = 0;

  get text(): string {
    return this.#lines.map((line) => line.trimEnd()).join("\n");
  }

  write(text: string): void {
    const line = this.#line.padEnd(this.#column);
    this.#line = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
  }

  move(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\b") this.#goTo(this.#row, this.#column - 1);
    else if (character === "\t") this.write("\t");
    else if (character === "\n") this.#goTo(this.#row + 1, 0);
  }

  escape(final: string): void {
    if (final === "M") this.#goTo(this.#row - 1, this.#column);
  }

  control(final: string, parameters: string): void {
    const first = Number.parseInt(parameters, 10) || 0;
    const count = Math.max(first, 1);
    if (final === "A") this.#goTo(this.#row - count, this.#column);
    else if (final === "B") this.#goTo(this.#row + count, this.#column);
    else if (final === "C") this.#goTo(this.#row, this.#column + count);
    else if (final === "D") this.#goTo(this.#row, this.#column - count);
    else if (final === "E" || final === "F") this.#goTo(this.#row + (final === "E" ? count : -count), 0);
    else if (final === "G") this.#goTo(this.#row, count - 1);
    else if (final === "K") this.#eraseInLine(first);
    else if (final === "J") this.#eraseInScreen(first);
  }

  get #line(): string {
    return this.#lines[this.#row] as string;
  }

  set #line(text: string) {
    this.#lines[this.#row] = text;
  }

  #goTo(row: number, column: number): void {
    this.#row = Math.min(Math.max(row, 0), this.#lines.length);
    if (this.#row === this.#lines.length) this.#lines.push("");
    this.#column = Math.max(column, 0);
  }

  /** @param which 0: from here on, 1: up to here, 2: all */
  #eraseInLine(which: number): void {
    const before = which === 0 ? this.#line.slice(0, this.#column) : "";
    const after = which === 1 ? this.#line.slice(this.#column + 1).padStart(this.#line.length) : "";
    this.#line = before + after;
  }

  /** @param which as in a line */
  #eraseInScreen(which: number): void {
    this.#eraseInLine(which);
    for (let row = 0; which !== 0 && row < this.#row; row++) this.#lines[row] = "";
    if (which !== 1) this.#lines.length = this.#row + 1;
  }
}
