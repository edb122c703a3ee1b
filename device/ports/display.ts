/** The display as services see it, and the buttons beside it. Apps draw and read through the engine. */
export interface Display {
  /** Has no app draw, and shows a black picture. */
  showNothing(): void;
  /** Pixels in a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Of the light behind it. @param percent 0 (dark) to 100, which it is at the start */
  setBrightness(percent: number): void;
  /**
   * Of apps that are not in front, as long as there is memory outside the heap; the oldest is dropped first.
   * @param count how many pictures are kept; 0 at the start
   */
  keepPictures(count: number): void;
  /**
   * Copies the displayed image; the copy stays unchanged until it is closed. It takes the memory of a full image,
   * outside the heap of the management VM.
   * @param isOwner whether it is for the console's owner: for others it is grey where an app conceals what it shows
   * @throws {Error} if there is not enough memory
   */
  snapshot(isOwner: boolean): Snapshot;
}

export interface Snapshot {
  /** Fills the first `width * 2` bytes of `into` with row `y`: RGB565 pixels, low byte first. */
  readRow(y: number, into: Uint8Array): void;
  /**
   * Fills the first `width * 3` bytes of `into` with row `y` as red, green and blue of eight bits each; the low bits
   * repeat the high ones.
   */
  readRgbRow(y: number, into: Uint8Array): void;
  /** May be called twice. */
  close(): void;
}

export interface Buttons {
  /** Bits of the buttons that are down, whoever presses them and whatever an app sees of them. */
  readonly pressed: number;
  /** Of those, the ones that count at home: the console's own, and those that its owner presses from elsewhere. */
  readonly pressedByOwner: number;
  /**
   * Has the buttons that are down now count as up, for the app in front, until they are released.
   * @param holdsAll whether those that go down later are held back in the same way, until the next call
   */
  holdBack(holdsAll: boolean): void;
  /**
   * Has apps see none of these buttons while they are pressed together (docs/spec/display-and-input.md#chord-wait).
   * @param bits 0 for no chord, as at the start
   */
  reserveChord(bits: number): void;
  /**
   * Presses exactly these buttons, in addition to those that the user presses, until the next call.
   * @param bits of `BUTTONS` in `wasm/abi.ts`
   * @param isOwner whether the console's owner presses them: the home screen sees no others
   */
  press(bits: number, isOwner: boolean): void;
}
