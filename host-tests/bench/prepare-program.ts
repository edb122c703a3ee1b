/**
 * Validates and prepares on XS a module that the benchmark stored, in the slices of an install, as many times as a
 * byte in a second file specifies. Traces the milliseconds of validating and of preparing for each round; discards
 * the output.
 */
import files from "embedded:storage/files";
import sandbox from "svc/sandbox";
import system from "svc/system";
import { SLICE_BYTES } from "../../device/services/apps/app-store.js";
import { ModulePreparer } from "../../device/wasm/module-preparer.js";

export default function main(): void {
  for (let left = rounds(); left > 0; left--) {
    const began = system.uptimeMs();
    const preparer = new ModulePreparer(sandbox, { entry: "main" });
    eachPiece((piece) => preparer.validate(piece));
    preparer.endValidation();
    const validated = system.uptimeMs();
    const drop = () => {};
    eachPiece((piece) => preparer.prepare(piece, drop));
    preparer.endPreparation(drop);
    preparer.close();
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
