/** Reads a file piece by piece, and yields to the event loop after each. */

import type { Memory, MemoryBlock } from "../../../protocol/ports/memory.js";
import type { ReadOnlyDirectory } from "../../ports/drives.js";
import type { Scheduler } from "../scheduler/scheduler.js";

export interface PieceSource {
  readonly files: Pick<ReadOnlyDirectory, "openFile">;
  readonly scheduler: Scheduler;
  /** Buffer of the piece; default: in the heap. */
  readonly memory?: Memory;
}

const HEAP: Memory = Object.freeze({
  allocate: (byteLength: number) => ({ bytes: new Uint8Array(byteLength), close: () => {} }),
});

/** @param take gets each piece, which is reused once it has returned, or what it promises has settled */
export async function eachPiece(
  { files, scheduler, memory = HEAP }: PieceSource,
  path: string,
  pieceBytes: number,
  take: (piece: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const file = files.openFile({ path, mode: "r" });
  let block: MemoryBlock | undefined;
  try {
    block = memory.allocate(pieceBytes);
    const piece = block.bytes;
    let position = 0;
    for (let taken = file.read(piece, 0); taken > 0; taken = file.read(piece, position)) {
      const promised = take(taken === piece.length ? piece : piece.subarray(0, taken));
      if (promised) await promised;
      position += taken;
      await scheduler.yield();
    }
  } finally {
    file.close();
    block?.close();
  }
}
