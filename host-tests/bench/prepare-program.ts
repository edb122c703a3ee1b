/**
 * Validates and prepares on XS a module that the benchmark stored, in the slices of an install, as many times as a
 * byte in a second file specifies. Traces the milliseconds of validating and of preparing for each round; discards
 * the output.
 */
import files from "embedded:storage/files";
import system from "svc/system";
import { SLICE_BYTES } from "../../device/services/apps/app-store.js";
import { ModuleRewriter } from "../../device/wasm/validation/module-rewriter.js";
import { ModuleValidator } from "../../device/wasm/validation/module-validator.js";

export default function main(): void {
  for (let left = rounds(); left > 0; left--) {
    const began = system.uptimeMs();
    const validator = new ModuleValidator({ entry: "main" });
    eachPiece((piece) => validator.push(piece));
    const facts = validator.end();
    const validated = system.uptimeMs();
    const rewriter = new ModuleRewriter(facts, () => {});
    eachPiece((piece) => rewriter.push(piece));
    rewriter.end();
    trace(`${validated - began} ${system.uptimeMs() - validated}\n`);
  }
  trace("done\n");
}

function rounds(): number {
  const count = new Uint8Array(1);
  const file = files.openFile({ path: "rounds", mode: "r" });
  file.read(count, 0);
  file.close();
  return count[0] as number;
}

function eachPiece(take: (piece: Uint8Array) => void): void {
  const piece = new Uint8Array(SLICE_BYTES);
  const file = files.openFile({ path: "module.wasm", mode: "r" });
  for (let position = 0; ; ) {
    const taken = file.read(piece, position);
    if (taken === 0) break;
    take(piece.subarray(0, taken));
    position += taken;
  }
  file.close();
}
