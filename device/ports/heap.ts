/** Room in the heap of the management VM, which XS ends the whole machine for when there is none left. */
export interface Heap {
  /**
   * Whether work that takes so many bytes on a board (slots of 16 bytes) can be done now: slots and chunks are looked at
   * apart, and what is garbage is collected first where that may decide it. A few additions where there is room.
   * @param isToStay the work is not over when its turn is: it leaves chunks what an install takes of them
   */
  hasHeapRoom(byteLength: number, isToStay: boolean): boolean;
  /** Bytes in use, garbage included, as on a board. A few additions. */
  usedHeapBytes(): number;
  /** Collects garbage, and returns what is in use then. Takes milliseconds. */
  liveHeapBytes(): number;
}
