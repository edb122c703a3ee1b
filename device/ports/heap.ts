/** Free memory in the heap of the management VM. If it runs out, XS aborts the whole machine. */
export interface Heap {
  /**
   * Whether the heap has room for `byteLength` bytes, counted as on a board (slots of 16 bytes). Checks slots and
   * chunks separately, and collects garbage first if that may decide. Cheap if there is room.
   * @param isToStay whether the memory stays in use beyond the current turn; then the chunks that an install needs
   *   are kept free
   */
  hasHeapRoom(byteLength: number, isToStay: boolean): boolean;
  /** Bytes in use, garbage included, counted as on a board. Cheap. */
  usedHeapBytes(): number;
  /** Collects garbage and returns the bytes in use. Takes milliseconds. */
  liveHeapBytes(): number;
}
