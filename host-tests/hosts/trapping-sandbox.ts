/** A sandbox whose programs trap when a test says so, as a fault of theirs would. */
import type { Sandbox } from "../../protocol/ports/sandbox.js";

export interface TrappingSandbox extends Sandbox {
  /** Have the next call of `feed` trap, of any program. */
  trapNext(): void;
}

export function trappingSandbox(sandbox: Sandbox): TrappingSandbox {
  let traps = false;
  return {
    trapNext() {
      traps = true;
    },
    open(name) {
      const program = sandbox.open(name);
      return {
        get memory() {
          return program.memory;
        },
        begin: (first, second) => program.begin(first, second),
        room: () => program.room(),
        feed(byteLength) {
          if (!traps) return program.feed(byteLength);
          traps = false;
          throw new Error("the program has trapped");
        },
        finish: () => program.finish(),
        close: () => program.close(),
      };
    },
  };
}
