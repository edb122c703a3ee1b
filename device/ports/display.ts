/** The display as services see it, and the buttons beside it. Apps draw and read through the engine. */
export interface Display {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /**
   * What is shown now, kept as it is until it is closed. It takes as much memory as the picture has, outside
   * the heap of the management VM.
   * @throws {Error} where there is no memory for it
   */
  snapshot(): Snapshot;
}

export interface Snapshot {
  /** Fills the first `width * 2` bytes of `into` with row `y`, pixels RGB565, the low byte first. */
  readRow(y: number, into: Uint8Array): void;
  /**
   * Fills the first `width * 3` bytes of `into` with the same row in red, green and blue of eight bits each;
   * the lower bits are the higher ones again.
   */
  readRgbRow(y: number, into: Uint8Array): void;
  /** May be called twice. */
  close(): void;
}

export interface Buttons {
  /**
   * Holds exactly these buttons down, beside those that the user holds, until the next call.
   * @param bits of `BUTTONS` in `wasm/abi.ts`
   */
  press(bits: number): void;
}
