/** The loudspeaker as services see it. Apps play through the engine. */
export interface Sound {
  /** Whether what was played is kept, for `played`. */
  readonly isKept: boolean;
  /**
   * Copies what was played from one sample on, of what is kept; the copy stays unchanged until it is closed. It takes the
   * memory of two seconds, 64 KiB, outside the heap of the management VM.
   * @param since number of the sample, counted from 0 and only while something sounds; one that has not been played yet
   * counts as 0
   * @throws {Error} if there is not enough memory, or nothing is kept
   */
  played(since: number): PlayedSound;
}

export interface PlayedSound {
  /** Number of the first sample. */
  readonly start: number;
  /** Of 16-bit samples, low byte first. */
  readonly byteLength: number;
  /** Samples a second. */
  readonly rate: number;
  /** Fills `into` from byte `offset` on. @returns how many bytes there were */
  read(into: Uint8Array, offset: number): number;
  /** May be called twice. */
  close(): void;
}
