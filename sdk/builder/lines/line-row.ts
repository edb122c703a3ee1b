/** What compilers tell of lines, in whatever form. */

/** From this place on, up to the next row, the code is of this line. */
export interface LineRow {
  /** Bytes from the start of the code section's content (core specification 3.0 §5.5.13), as in DWARF for WebAssembly. */
  readonly offset: number;
  readonly file: string;
  /** From 1; 0: of no line, as after the end of a function. */
  readonly line: number;
}
